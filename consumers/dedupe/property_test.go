package dedupe

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"millrace/schema"
	"millrace/topics"
)

const site = "example.com"

// document returns a Doc with a text, and with the canonical and author that its page states.
func document(key, text, canonical, author string, rev int64) *schema.Extracted {
	return &schema.Extracted{Body: &schema.Extracted_Doc{Doc: &schema.Doc{
		RowKey: key, Url: schema.RowKey(key).URL(), Site: site, Rev: rev, Edition: 1,
		TextHash: []byte("hash of " + text), Title: "title of " + text, Text: "text of " + text,
		Summary: "summary of " + text, Headings: []string{"head of " + text},
		Canonical: canonical, Author: author, FetchedAt: rev * 1000,
	}}}
}

func gone(key string, reason schema.Gone_Reason, rev int64) *schema.Extracted {
	return &schema.Extracted{Body: &schema.Extracted_Gone{Gone: &schema.Gone{
		RowKey: key, Url: schema.RowKey(key).URL(), Site: site, Rev: rev, Edition: 1, Reason: reason,
	}}}
}

// pages are few, so that records often have effects on each other.
func pages() []string {
	return []string{
		"com.example.www:https/a", "com.example.www:https/bb", "com.example.www:http/a", "com.example:https/a",
		"com.example.m:https/c", "com.example.m:https/dd", "com.example.m:http/c",
	}
}

// history draws records of extract about the pages of one site, in the order of the log.
func history(t *rapid.T) []*schema.Extracted {
	rev := map[string]int64{}
	var in []*schema.Extracted
	for range rapid.IntRange(1, 30).Draw(t, "records") {
		key := rapid.SampledFrom(pages()).Draw(t, "page")
		step := rapid.SampledFrom([]int64{1, 1, 1, 1, 1, 1, 0, -1}).Draw(t, "rev")
		rev[key] += max(step, 0)
		v := max(rev[key]+min(step, 0), 0) + 1
		switch what := rapid.IntRange(0, 19).Draw(t, "what"); {
		case what == 0:
			in = append(in, gone(key, schema.Gone_TAKEDOWN, v))
		case what < 5:
			in = append(in, gone(key, schema.Gone_NOT_FOUND, v))
		default:
			text := rapid.SampledFrom([]string{"x", "x", "y", "z"}).Draw(t, "text")
			canonical := ""
			if rapid.IntRange(0, 2).Draw(t, "canonical?") == 0 {
				canonical = rapid.SampledFrom(append(pages()[:5], "com.elsewhere:https/")).Draw(t, "canonical")
			}
			in = append(in, document(key, text, canonical, rapid.SampledFrom([]string{"A", "A", "B"}).Draw(t, "author"), v))
		}
	}
	return in
}

// ideal is the result of a run without crashes.
type ideal struct {
	in        []*schema.Extracted
	sends     [][]said                 // by offset
	published []map[string]*schema.Doc // before each offset, and at the end
	end       *model
	dump      map[string]string
}

// runIdeal runs a history to its end, with the answers to rechecks, and checks everything that
// holds without crashes.
func runIdeal(t *rapid.T, opts Options, in []*schema.Extracted) *ideal {
	w := newWorld(opts)
	w.in = in
	must(t, w.start())
	for answered := 0; answered < 100; answered++ {
		must(t, w.rounds(rapid.IntRange(1, 9).Draw(t, "round")))
		asked := rechecks(t, w.out)
		if answered == len(asked) {
			return checkIdeal(t, w)
		}
		m := newModel(opts.MaxMembers)
		for _, x := range w.in {
			m.apply(x)
		}
		if d := m.docs[asked[answered]]; d != nil {
			w.in = append(w.in, document(d.RowKey, d.Title[len("title of "):], d.Canonical, d.Author, d.Rev+1))
		}
	}
	t.Fatal("pages ask for each other again for ever")
	return nil
}

func rechecks(t *rapid.T, log []said) []string {
	var keys []string
	for _, s := range log {
		if s.Topic == topics.Discovered().Name {
			d := &schema.Discovered{}
			must(t, d.UnmarshalVT(s.Value))
			keys = append(keys, d.GetRecheck().GetRowKey())
		}
	}
	return keys
}

func checkIdeal(t *rapid.T, w *world) *ideal {
	i := &ideal{in: w.in, sends: make([][]said, len(w.in)), end: newModel(w.opts.MaxMembers), dump: w.store.dump()}
	for _, s := range w.out {
		i.sends[s.offset] = append(i.sends[s.offset], s)
	}
	i.published = append(i.published, i.end.published())
	var log []said
	for offset, x := range w.in {
		i.end.apply(x)
		must(t, nobodyFalls(x, i.published[offset], i.end.published(), i.end))
		i.published = append(i.published, i.end.published())
		for _, s := range i.sends[offset] {
			log = append(log, s)
			must(t, nothingMissing(log, i.published[offset], i.published[offset+1]))
		}
		docs, _, err := standing(log)
		must(t, err)
		if err := differ(docs, i.published[offset+1]); err != nil {
			t.Fatalf("after record %d: %v", offset, err)
		}
	}
	docs, _, err := standing(log)
	must(t, err)
	must(t, differ(docs, i.end.pure()))
	must(t, noRepeats(log))
	must(t, w.checkDigest(log))
	must(t, i.checkCounts(w))
	return i
}

// checkCounts compares the group's counts at the end with those of the model.
func (i *ideal) checkCounts(w *world) error {
	want := Counts{Documents: int64(len(i.end.published())), Aliases: int64(len(i.end.alias)), Surplus: int64(len(i.end.surplus))}
	want.SameText = int64(len(i.end.docs)) - want.Documents - want.Aliases - want.Surplus
	got, err := Count(context.Background(), w.store, 4)
	if err == nil && got != want {
		err = fmt.Errorf("counted %+v, want %+v", got, want)
	}
	return err
}

func must(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// nothingMissing checks I12: a text that is published both before and after a record is published
// after every prefix of the record's output.
func nothingMissing(log []said, before, after map[string]*schema.Doc) error {
	docs, _, err := standing(log)
	if err != nil {
		return err
	}
	stands, kept := map[string]bool{}, map[string]bool{}
	for _, u := range docs {
		stands[u.Doc.Text] = true
	}
	for _, d := range before {
		kept[d.Text] = true
	}
	for _, d := range after {
		if kept[d.Text] && !stands[d.Text] {
			return fmt.Errorf("%q is missing after %v", d.Text, log[len(log)-1])
		}
	}
	return nil
}

// noRepeats checks I2: no two successive records of a key are equal.
func noRepeats(log []said) error {
	last := map[string][]byte{}
	for _, s := range log {
		if s.Topic != topics.Unique().Name {
			continue
		}
		was, known := last[s.Key]
		if known && slices.Equal(was, s.Value) && (was == nil) == (s.Value == nil) || !known && s.Value == nil {
			return fmt.Errorf("%v repeats", s)
		}
		last[s.Key] = s.Value
	}
	return nil
}

func TestWhatIsPublishedIsWhatTheModelSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opts := testOptions()
		opts.MaxMembers = rapid.SampledFrom([]int64{3, 1000}).Draw(t, "members")
		one := runIdeal(t, opts, history(t))
		w := newWorld(opts)
		w.in = one.in
		must(t, w.start())
		must(t, w.rounds(len(w.in)))
		if got, want := fmt.Sprint(w.out), fmt.Sprint(slices.Concat(one.sends...)); got != want {
			t.Fatalf("in one round: %s\nin many: %s", got, want) // I8
		}
	})
}

// What is published depends only on the live pages, on which of them had a text first, and on which
// texts were taken down.
func TestWhatHappenedInBetweenDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one := runIdeal(t, testOptions(), history(t)).end
		var in []*schema.Extracted
		for _, hash := range slices.Sorted(maps.Keys(one.ended)) {
			text := strings.TrimPrefix(hash, "hash of ")
			in = append(in, page("com.example.www:https/down/"+text, text, 1), gone("com.example.www:https/down/"+text, schema.Gone_TAKEDOWN, 2))
		}
		for _, key := range slices.SortedFunc(maps.Keys(one.docs), func(a, b string) int {
			return cmp.Or(one.since[a]-one.since[b], strings.Compare(a, b))
		}) {
			d := one.docs[key]
			in = append(in, document(key, d.Title[len("title of "):], d.Canonical, d.Author, 1))
		}
		w := newWorld(testOptions())
		w.in = in
		must(t, w.start())
		must(t, w.rounds(len(in)))
		docs, _, err := standing(w.out)
		must(t, err)
		want := one.pure()
		for key := range want {
			if docs[key] == nil {
				t.Fatalf("%s stands, but not when the live pages come one after the other", key)
			}
		}
		if len(docs) != len(want) {
			t.Fatalf("%d documents, want %d", len(docs), len(want))
		}
	})
}

// nobodyFalls checks that no record takes another page's document away, except in favour of the
// record's page, if the other page names it or had its text later, or because the text was taken
// down.
func nobodyFalls(x *schema.Extracted, before, after map[string]*schema.Doc, m *model) error {
	key := x.GetDoc().GetRowKey() + x.GetGone().GetRowKey()
	for other, d := range before {
		if other == key || after[other] != nil || m.names(d) == key || m.ended[string(d.TextHash)] {
			continue
		}
		if x.GetDoc() == nil || m.since[key] > m.since[other] {
			return fmt.Errorf("%s fell because of %v", other, x)
		}
	}
	return nil
}
