package segment

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	api "github.com/blevesearch/scorch_segment_api/v2"
	"github.com/blevesearch/vellum/levenshtein"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// model is a document as it was made, beside what the segment gets.
type model struct {
	Document
	words map[string]modelWord
}

type modelWord struct {
	freqs       Frequencies
	title, body []uint32
}

// made makes a document. Small vocabularies give long lists, large ones many terms.
func made(r *rand.Rand, key string, vocabulary int, places bool) *model {
	d := &model{words: map[string]modelWord{}, Document: Document{
		Key: key, Mark: randomBytes(r, 20), Page: randomBytes(r, 200), Title: strings.Repeat("title ", r.IntN(4)),
		Text: strings.Repeat(fmt.Sprint("text of ", key, " "), r.IntN(200)),
	}}
	for p := range Parts {
		d.Lengths[p] = r.Uint32() >> r.IntN(32)
	}
	for range r.IntN(30) {
		w := modelWord{}
		switch r.IntN(4) {
		case 0:
			for p := range Parts {
				w.freqs[p] = uint32(r.IntN(3) * r.IntN(60))
			}
		case 1:
			w.freqs[Title] = 1
		default:
			w.freqs[Body] = 1 + uint32(r.IntN(5))
		}
		if w.freqs == (Frequencies{}) {
			w.freqs[Anchors] = 1 << 20
		}
		if places {
			w.title, w.body = ascending(r, w.freqs[Title]), ascending(r, w.freqs[Body])
		}
		d.words[term(r.IntN(vocabulary))] = w
	}
	for t, w := range d.words {
		d.Words = append(d.Words, Word{t, AppendEntry(nil, &w.freqs, w.title, w.body)})
	}
	for f := Author; f < Fields; f++ {
		for range r.IntN(4) {
			d.Terms[f] = append(d.Terms[f], term(r.IntN(vocabulary)))
		}
	}
	return d
}

func term(n int) string {
	switch n % 7 {
	case 0:
		return strings.Repeat("long", n%30) + fmt.Sprint(n)
	case 1:
		return fmt.Sprintf("слово%d", n)
	case 2:
		return ""
	}
	return fmt.Sprintf("%x", n)
}

func ascending(r *rand.Rand, n uint32) []uint32 {
	var all []uint32
	last := uint32(0)
	for range n {
		last += 1 + r.Uint32()>>(14+r.IntN(18))
		all = append(all, last)
	}
	return all
}

func randomBytes(r *rand.Rand, most int) []byte {
	b := make([]byte, r.IntN(most))
	for i := range b {
		b[i] = byte(r.IntN(4))
	}
	return b
}

func madeAll(r *rand.Rand, n, vocabulary int, prefix string, places bool) []*model {
	all := make([]*model, n)
	for i := range all {
		all[i] = made(r, fmt.Sprintf("%s%06d", prefix, r.IntN(1<<20)*1000+i), vocabulary, places)
	}
	return all
}

func build(t testing.TB, docs []*model, places bool) *Segment {
	t.Helper()
	var in []*Document
	for _, d := range docs {
		in = append(in, &d.Document)
	}
	data, err := Build(in, places)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// check compares everything that can be read of a segment with the documents that it should have.
func check(t *testing.T, s *Segment, docs []*model) {
	t.Helper()
	if s.Docs() != len(docs) {
		t.Fatalf("%d documents, want %d", s.Docs(), len(docs))
	}
	byKey := map[string]*model{}
	for _, d := range docs {
		byKey[d.Key] = d
	}
	keys := make([]string, len(docs))
	for n := range keys {
		key, err := s.KeyOf(uint32(n))
		if err != nil {
			t.Fatal(err)
		}
		keys[n] = string(key)
		checkDocument(t, s, uint32(n), byKey[keys[n]])
	}
	if _, ok := s.Find("no such key"); ok {
		t.Fatal("found a key that is not there")
	}
	for f := Author; f < Fields; f++ {
		want := map[string][]string{}
		for _, d := range docs {
			for _, t := range distinct(d.Terms[f]) {
				want[t] = append(want[t], d.Key)
			}
		}
		checkTerms(t, s.Dictionary(f), want, keys)
	}
	words := map[string][]string{}
	for _, d := range docs {
		for w := range d.words {
			words[w] = append(words[w], d.Key)
		}
	}
	checkTerms(t, s.Dictionary(Words), words, keys)
	checkWords(t, s, byKey, keys)
}

func distinct(all []string) []string {
	all = slices.Sorted(slices.Values(all))
	return slices.Compact(all)
}

func checkDocument(t *testing.T, s *Segment, n uint32, d *model) {
	t.Helper()
	if d == nil {
		t.Fatalf("document %d has a key that none was given", n)
	}
	page, title, text, err := s.Stored(n)
	if err != nil || !bytes.Equal(page, d.Page) || string(title) != d.Title || string(text) != d.Text {
		t.Fatalf("stored of %s: %v", d.Key, err)
	}
	if !bytes.Equal(s.Mark(n), d.Mark) || s.lengths(n) != d.Lengths {
		t.Fatalf("%s: mark %x, lengths %v, want %x, %v", d.Key, s.Mark(n), s.lengths(n), d.Mark, d.Lengths)
	}
	if doc, ok := s.Find(d.Key); !ok || doc != n {
		t.Fatalf("key %s is at %d %v, want %d", d.Key, doc, ok, n)
	}
}

func checkTerms(t *testing.T, dict *Dictionary, want map[string][]string, keys []string) {
	t.Helper()
	if dict.Len() != len(want) {
		t.Fatalf("%s: %d terms, want %d", dict.field, dict.Len(), len(want))
	}
	last := ""
	for terms := dict.All(); terms.Next(); {
		name := string(terms.Term())
		if name <= last && last != "" {
			t.Fatalf("%s: %q after %q", dict.field, name, last)
		}
		last = name
		for _, l := range []List{terms.List(), dict.Find(name)} {
			var got []string
			for _, doc := range l.Docs(nil) {
				got = append(got, keys[doc])
			}
			if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want[name]))) || l.Count() != len(got) {
				t.Fatalf("%s %q: %v, want %v", dict.field, name, got, want[name])
			}
		}
	}
	if l := dict.Find("not there"); l.Count() != 0 {
		t.Fatal("found a term that is not there")
	}
}

// checkWords reads every posting, and some by jumps, some of them without what is between.
func checkWords(t *testing.T, s *Segment, byKey map[string]*model, keys []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(9, uint64(len(keys))))
	for terms := s.Dictionary(Words).All(); terms.Next(); {
		l := terms.List()
		name, docs := string(terms.Term()), l.Docs(nil)
		for _, c := range []struct {
			step int
			read int
		}{{1, 1}, {1, 7}, {1 + r.IntN(300), 1}, {1 + r.IntN(40), 3}} {
			cursor := l.Cursor()
			for i := 0; i < len(docs); i += c.step {
				if i > 0 && c.step == 1 {
					cursor.Next()
				} else if from := uint32(0); true {
					if i > 0 {
						from = docs[i-1] + 1
					}
					cursor.Advance(from + uint32(r.IntN(int(docs[i]-from+1))))
				}
				if cursor.Doc != docs[i] {
					t.Fatalf("%q: at %d, want %d", name, cursor.Doc, docs[i])
				}
				if r.IntN(c.read) == 0 {
					checkPosting(t, cursor, name, byKey[keys[docs[i]]].words[name])
				}
			}
			if cursor.Advance(docs[len(docs)-1] + 1); cursor.Doc != AtEnd {
				t.Fatalf("%q does not end", name)
			}
		}
	}
}

func checkPosting(t *testing.T, c *Cursor, name string, want modelWord) {
	t.Helper()
	var got modelWord
	c.Frequencies(&got.freqs)
	got.title, got.body = c.Positions(nil, nil)
	if n, all := c.Body(); all && want.freqs != (Frequencies{Body: n}) {
		t.Fatalf("%q: only %d in the body, want %v", name, n, want.freqs)
	}
	if got.freqs != want.freqs || !slices.Equal(got.title, want.title) || !slices.Equal(got.body, want.body) {
		t.Fatalf("%q: %v, want %v", name, got, want)
	}
}

func TestASegmentHasWhatItWasBuiltOf(t *testing.T) {
	for seed, c := range []struct{ docs, vocabulary int }{{1, 3}, {2, 1}, {3, 400}, {128, 2}, {129, 5}, {500, 20}, {200, 3000}} {
		for _, places := range []bool{true, false} {
			r := rand.New(rand.NewPCG(uint64(seed), 1))
			docs := madeAll(r, c.docs, c.vocabulary, "a", places)
			check(t, build(t, docs, places), docs)
		}
	}
}

func TestAMergeHasTheDocumentsThatAreLeft(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 2))
		var segments []*Segment
		var drops []*roaring.Bitmap
		var left []*model
		for i := range 1 + r.IntN(5) {
			docs := madeAll(r, 1+r.IntN(200), 1+r.IntN(300), fmt.Sprint(i, "/"), seed%2 == 0)
			s := build(t, docs, seed%2 == 0)
			var drop *roaring.Bitmap
			if share := r.IntN(4); share > 0 {
				drop = roaring.New()
				for n := range docs {
					if r.IntN(3) < share-1 && n > 0 {
						drop.Add(uint32(n))
					}
				}
			}
			slices.SortFunc(docs, func(x, y *model) int { return cmp.Compare(x.Key, y.Key) })
			for n, d := range docs {
				if drop == nil || !drop.Contains(uint32(n)) {
					left = append(left, d)
				}
			}
			segments, drops = append(segments, s), append(drops, drop)
		}
		var out bytes.Buffer
		numbers, size, err := merge(fileWriter{w: &out}, segments, drops, nil)
		if err != nil || size != uint64(out.Len()) {
			t.Fatal(size, out.Len(), err)
		}
		s, err := Read(out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		check(t, s, left)
		for i, of := range numbers {
			for n, to := range of {
				if gone := drops[i] != nil && drops[i].Contains(uint32(n)); gone != (to == dropped) {
					t.Fatalf("document %d of %d has the new number %d", n, i, to)
				} else if !gone {
					was, _ := segments[i].KeyOf(uint32(n))
					is, _ := s.KeyOf(uint32(to))
					if !bytes.Equal(was, is) {
						t.Fatalf("%s became %s", was, is)
					}
				}
			}
		}
	}
}

func TestAMergeThatIsStoppedEnds(t *testing.T) {
	s := build(t, madeAll(rand.New(rand.NewPCG(1, 1)), 300, 5000, "a", true), true)
	stopped := make(chan struct{})
	close(stopped)
	if _, _, err := merge(fileWriter{w: &bytes.Buffer{}}, []*Segment{s}, make([]*roaring.Bitmap, 1), stopped); !errors.Is(err, errStopped) {
		t.Fatal(err)
	}
}

// A merge runs in a goroutine of scorch: a panic there would end the process.
func TestAMergeOfADamagedFileIsAnError(t *testing.T) {
	s := build(t, madeAll(rand.New(rand.NewPCG(7, 1)), 50, 40, "a", true), true)
	body := s.table.fields[Words].body
	for i := body.from; i < body.to; i++ {
		s.data[i] = 0xff
	}
	body = s.table.fields[Key].body
	for i := body.from; i < body.to; i++ {
		s.data[i] = 0xff
	}
	from := &memory{held{s}}
	if _, _, err := (Plugin{}).Merge([]api.Segment{from}, make([]*roaring.Bitmap, 1), t.TempDir()+"/merged", nil, nil); err == nil {
		t.Error("a damaged file was merged")
	}
	if _, err := from.DocNumbers([]string{"a000001"}); err == nil {
		t.Error("keys of a damaged file were found")
	}
}

func TestPrefixesAndLikeWordsAreThoseOfAScan(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	docs := make([]*model, 40)
	var all []string
	for i := range docs {
		docs[i] = made(r, fmt.Sprint(i), 10, true)
		for range 100 {
			word := ""
			for range 1 + r.IntN(9) {
				word += string("aeionrst"[r.IntN(8)])
			}
			docs[i].Terms[Form] = append(docs[i].Terms[Form], word)
		}
		all = append(all, docs[i].Terms[Form]...)
	}
	dict := build(t, docs, true).Dictionary(Form)
	all = distinct(all)
	builder, err := levenshtein.NewLevenshteinAutomatonBuilder(2, true)
	if err != nil {
		t.Fatal(err)
	}
	for range 60 {
		word := all[r.IntN(len(all))]
		prefix := word[:r.IntN(len(word)+1)]
		want := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return !strings.HasPrefix(w, prefix) })
		if got := listed(dict.Prefix(prefix)); !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v", prefix, got, want)
		}
		like, err := builder.BuildDfa(word, 2)
		if err != nil {
			t.Fatal(err)
		}
		want = slices.DeleteFunc(slices.Clone(all), func(w string) bool { ok, _ := like.MatchAndDistance(w); return !ok })
		if got := listed(dict.Matching(like)); !slices.Equal(got, want) {
			t.Fatalf("like %q: %v, want %v", word, got, want)
		}
	}
}

func listed(t Terms) (all []string) {
	for t.Next() {
		all = append(all, string(t.Term()))
	}
	return all
}

// FuzzDamage changes a byte of a segment. Reading it then may fail or panic, as shard expects, or
// give something else; it ends, and it does not read outside the file.
func FuzzDamage(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 5))
	whole := build(f, madeAll(r, 40, 40, "a", true), true).data
	for range 30 {
		f.Add(r.IntN(len(whole)), byte(1<<r.IntN(8)), r.IntN(8) == 0)
	}
	f.Fuzz(func(t *testing.T, at int, flip byte, cut bool) {
		if at < 0 || at >= len(whole) {
			return
		}
		data := bytes.Clone(whole)
		data[at] ^= flip
		if cut {
			data = data[:at]
		}
		defer func() { _ = recover() }() // shard makes ErrDamaged of it
		s, err := Read(data)
		if err != nil {
			return
		}
		for n := range min(s.Docs(), 1000) {
			_, _ = s.KeyOf(uint32(n))
			_, _, _, _ = s.Stored(uint32(n))
		}
		_, _, _ = merge(fileWriter{w: &bytes.Buffer{}}, []*Segment{s}, make([]*roaring.Bitmap, 1), nil)
	})
}

// Positions behind the first posting of a block are found by counting the ends of varints, eight
// bytes at a time.
func TestVarintsAreSkippedAsOneByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	for round := range 300 {
		var b []byte
		ends := []int{0}
		for range 1 + r.IntN(60) {
			b = binary.AppendUvarint(b, r.Uint64()>>(r.IntN(64)))
			ends = append(ends, len(b))
		}
		for n, want := range ends {
			if got := skipVarints(b, n); got != want {
				t.Fatalf("round %d: %d of %d varints are %d bytes, want %d", round, n, len(ends)-1, got, want)
			}
		}
	}
}
