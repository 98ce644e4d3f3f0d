package web

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// number reads a parameter between two bounds; a missing one has its default.
func number(q url.Values, name string, preset, least, most int) (int, error) {
	s := q.Get(name)
	if s == "" {
		return preset, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		return 0, refuse(http.StatusBadRequest, "%s must be a number from %d to %d", name, least, most)
	}
	return n, nil
}

// yes reads a switch: present without a value, or true.
func yes(q url.Values, name string) (bool, error) {
	if !q.Has(name) {
		return false, nil
	}
	if q.Get(name) == "" {
		return true, nil
	}
	on, err := strconv.ParseBool(q.Get(name))
	if err != nil {
		return false, refuse(http.StatusBadRequest, "%s must be true or false", name)
	}
	return on, nil
}

// asked is a question to the index.
type asked struct {
	query      string
	from, size int
}

// asked reads q, from and size. q may be empty.
func (p *searchPages) asked(r *http.Request) (asked, error) {
	q := r.URL.Query()
	a := asked{query: strings.TrimSpace(strings.ToValidUTF8(q.Get("q"), "\uFFFD"))}
	if len(a.query) > p.opts.MaxQueryBytes {
		cut := strings.ToValidUTF8(a.query[:p.opts.MaxQueryBytes], "")
		return asked{query: cut, size: defaultSize}, refuse(http.StatusBadRequest, "the query is too long: at most %d bytes", p.opts.MaxQueryBytes)
	}
	var err error
	if a.from, err = number(q, "from", 0, 0, p.opts.MaxFrom); err != nil {
		return asked{query: a.query, size: defaultSize}, err
	}
	if a.size, err = number(q, "size", defaultSize, 1, p.opts.MaxSize); err != nil {
		return asked{query: a.query, size: defaultSize}, err
	}
	return a, nil
}

// defaultSize is the number of hits on a page.
const defaultSize = 10

// maxURLBytes bounds an address asked about.
const maxURLBytes = 4 << 10

// address reads url, which may lack its scheme.
func address(r *http.Request) (string, error) {
	u := strings.TrimSpace(r.URL.Query().Get("url"))
	if len(u) > maxURLBytes {
		return "", refuse(http.StatusBadRequest, "url is too long: at most %d bytes", maxURLBytes)
	}
	return u, nil
}

// body reads a JSON object and nothing else.
func body(r *http.Request, into any) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return refuse(http.StatusUnsupportedMediaType, "the body must be JSON, with Content-Type: application/json")
	}
	if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		// What is read is what was sent, so its size is bounded before and after.
		return refuse(http.StatusUnsupportedMediaType, "the body must not be compressed")
	}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err = d.Decode(into); err != nil {
		var big *http.MaxBytesError
		if errors.As(err, &big) {
			return err
		}
		return refuse(http.StatusBadRequest, "the body is not the JSON that is wanted: %v", err)
	}
	if _, err = d.Token(); !errors.Is(err, io.EOF) {
		return refuse(http.StatusBadRequest, "the body must be one JSON object")
	}
	return nil
}
