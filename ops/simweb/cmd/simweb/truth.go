package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"maps"
	"net/http"
	"slices"

	"millrace/ops/simweb"
)

// truth answers what a crawl under the rules of the request must find.
func (a *admin) truth(rw http.ResponseWriter, r *http.Request) {
	q := queryOf(r)
	rules := a.rules(q, 1)
	if err := q.done(); err != nil {
		a.reply(rw, nil, err)
		return
	}
	t, err := a.srv.Truth(rules)
	if err != nil {
		a.reply(rw, nil, err)
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	if err := writeTruth(rw, a.w, rules, t); err != nil {
		a.log.Warn("truth not sent", "error", err)
	}
}

// writeTruth writes a truth as JSON, a list's elements a line each and in the
// order of their URLs, so that two answers can be compared by lines.
func writeTruth(out io.Writer, w *simweb.World, rules simweb.Rules, t *simweb.Truth) error {
	b := bufio.NewWriter(out)
	o := object{out: b, values: json.NewEncoder(b)}
	o.field("at", rules.At)
	o.field("since", rules.Since)
	list(&o, "urls", byKey(t.URLs))
	list(&o, "docs", byKey(t.Docs))
	o.field("aliases", t.Aliases)
	list(&o, "near_duplicates", slices.Values(w.NearDuplicates(t)))
	b.WriteString("}\n")
	return errors.Join(o.err, b.Flush())
}

// byKey goes through a map's values in the order of their keys.
func byKey[V any](m map[string]V) iter.Seq[V] {
	return func(yield func(V) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(m[k]) {
				return
			}
		}
	}
}

// object writes a JSON object piece by piece: that of a truth can be larger than
// the memory it should take to send it. The writer keeps its own first error.
type object struct {
	out    *bufio.Writer
	values *json.Encoder
	begun  bool
	err    error
}

func (o *object) name(name string) {
	before := byte('{')
	if o.begun {
		before = ','
	}
	o.begun = true
	o.out.WriteByte(before)
	o.out.WriteString(`"` + name + `":`)
}

func (o *object) value(v any) {
	if o.err == nil {
		o.err = o.values.Encode(v)
	}
}

func (o *object) field(name string, v any) {
	o.name(name)
	o.value(v)
}

// list writes a field that is an array.
func list[V any](o *object, name string, values iter.Seq[V]) {
	o.name(name)
	o.out.WriteString("[\n")
	first := true
	for v := range values {
		if !first {
			o.out.WriteByte(',')
		}
		first = false
		o.value(v)
	}
	o.out.WriteByte(']')
}
