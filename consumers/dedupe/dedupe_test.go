package dedupe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// The pages of the examples, in the order of order().
const (
	short = "com.example.www:https/a"
	long  = "com.example.www:https/aaaa"
	plain = "com.example.www:http/a"
)

// scene is one partition on which records are handled one after the other.
type scene struct {
	*testing.T
	w *world
}

func newScene(t *testing.T, change func(*Options)) *scene {
	opts := testOptions()
	if change != nil {
		change(&opts)
	}
	s := &scene{t, newWorld(opts)}
	if err := s.w.start(); err != nil {
		t.Fatal(err)
	}
	return s
}

// come handles records and returns what was sent, in short: + for a document, its
// title; - for a tombstone; ? for a recheck.
func (s *scene) come(in ...*schema.Extracted) string {
	s.Helper()
	before := len(s.w.out)
	s.w.in = append(s.w.in, in...)
	if err := s.w.rounds(1); err != nil {
		s.Fatal(err)
	}
	var out []string
	for _, sent := range s.w.out[before:] {
		out = append(out, inShort(s.T, sent))
	}
	return strings.Join(out, " ")
}

func inShort(t *testing.T, s said) string {
	path := func(key string) string { return strings.TrimPrefix(key, "com.example.www:") }
	if s.Topic == topics.Discovered().Name {
		d := &schema.Discovered{}
		if err := d.UnmarshalVT(s.Value); err != nil {
			t.Fatal(err)
		}
		return "?" + path(d.GetRecheck().GetRowKey())
	}
	if s.Value == nil {
		return "-" + path(s.Key)
	}
	u := &schema.Unique{}
	if err := u.UnmarshalVT(s.Value); err != nil {
		t.Fatal(err)
	}
	return "+" + path(s.Key) + "=" + strings.TrimPrefix(u.Doc.Title, "title of ") + "/" + u.Doc.Author
}

// want handles records and compares what was sent.
func (s *scene) want(want string, in ...*schema.Extracted) {
	s.Helper()
	if got := s.come(in...); got != want {
		s.Errorf("sent %q, want %q", got, want)
	}
}

// page is a document whose author identifies it.
func page(key, text string, rev int64) *schema.Extracted { return pageNaming(key, text, "", rev) }

func pageNaming(key, text, canonical string, rev int64) *schema.Extracted {
	return document(key, text, canonical, map[string]string{short: "S", long: "L", plain: "P"}[key], rev)
}

func ofSite(site, key string) *schema.Extracted {
	d := document(key, "x", "", "E", 1)
	d.GetDoc().Site = site
	return d
}

func lost(key string, rev int64) *schema.Extracted { return gone(key, schema.Gone_NOT_FOUND, rev) }

func TestOfTwinsOneIsPublished(t *testing.T) {
	s := newScene(t, nil)
	s.want("+https/a=x/S", page(short, "x", 1))
	s.want("", page(long, "x", 1), page(plain, "x", 1))
}

func TestTheFirstOneStandsWhateverComesLater(t *testing.T) {
	s := newScene(t, nil)
	s.want("+https/aaaa=x/L", page(long, "x", 1))
	s.want("", page(short, "x", 1), page(plain, "x", 1))
	s.want("", pageNaming(short, "x", short, 2), pageNaming(plain, "x", short, 2)) // what copies say of themselves
}

func TestTwoThatNameThemselvesTheFirstStands(t *testing.T) {
	s := newScene(t, nil)
	s.want("+https/aaaa=x/L", pageNaming(long, "x", long, 1))
	s.want("", pageNaming(short, "x", short, 1))
	s.want("+https/a=x/S -https/aaaa", lost(long, 2))
	s.want("+https/aaaa=x/L -https/a", pageNaming(long, "x", long, 3)) // it was there first
}

func TestAPageThatTheFirstNamesStands(t *testing.T) {
	s := newScene(t, nil)
	s.want("+https/a=x/S", pageNaming(short, "x", long, 1))
	s.want("", page(plain, "x", 1))
	s.want("+https/aaaa=x/L -https/a", page(long, "x", 1))
	s.want("", lost(short, 2))                              // and not the copy that came between the two
	s.want("+https/a=x/S -https/aaaa", page(short, "x", 3)) // it was first, and names none any more
	s.want("+https/aaaa=x/L -https/a +http/a=x/P -https/aaaa", lost(short, 4), lost(long, 2))
}

func TestTwoThatNameEachOtherTheFirstStands(t *testing.T) {
	s := newScene(t, nil)
	s.want("+https/aaaa=x/L", pageNaming(long, "x", short, 1))
	s.want("", pageNaming(short, "x", long, 1))
}

func TestTheTwinTakesOverBeforeTheTombstone(t *testing.T) {
	s := newScene(t, nil)
	s.come(page(short, "x", 1), page(long, "x", 1))
	s.want("+https/aaaa=x/L -https/a", lost(short, 2))
	s.want("-https/aaaa", lost(long, 2))
	s.want("+https/aaaa=x/L", page(long, "x", 3))
}

func TestTheTwinTakesOverBeforeTheTextChanges(t *testing.T) {
	s := newScene(t, nil)
	s.come(page(short, "x", 1), page(long, "x", 1))
	s.want("+https/aaaa=x/L +https/a=y/S", page(short, "y", 2))
	s.want("-https/a", page(short, "x", 3)) // the twin was there first by now
}

func TestAnAliasIsNotPublished(t *testing.T) {
	for name, test := range map[string]struct {
		in   []*schema.Extracted
		want string
	}{
		"target first":         {[]*schema.Extracted{page(short, "x", 1), pageNaming(long, "y", short, 1)}, "+https/a=x/S"},
		"alias first":          {[]*schema.Extracted{pageNaming(long, "y", short, 1), page(short, "x", 1)}, "+https/aaaa=y/L +https/a=x/S -https/aaaa"},
		"each names the other": {[]*schema.Extracted{pageNaming(long, "y", short, 1), pageNaming(short, "x", long, 1)}, "+https/aaaa=y/L +https/a=x/S -https/aaaa"},
		"the other way round":  {[]*schema.Extracted{pageNaming(short, "x", long, 1), pageNaming(long, "y", short, 1)}, "+https/a=x/S"},
		"twin of a page  ": {[]*schema.Extracted{page(plain, "y", 1), pageNaming(long, "y", short, 1), page(short, "x", 1)},
			"+http/a=y/P +https/a=x/S"},
		"twin of an alias": {[]*schema.Extracted{pageNaming(long, "y", short, 1), page(plain, "y", 1), page(short, "x", 1)},
			"+https/aaaa=y/L +http/a=y/P +https/a=x/S -https/aaaa"},
	} {
		t.Run(name, func(t *testing.T) { newScene(t, nil).want(test.want, test.in...) })
	}
}

func TestACanonicalThatCountsForNothing(t *testing.T) {
	elsewhere := "com.elsewhere:https/"
	for name, test := range map[string]struct {
		in   []*schema.Extracted
		want string
	}{
		"of another site":    {[]*schema.Extracted{document(elsewhere, "x", "", "E", 1), pageNaming(long, "y", elsewhere, 1)}, "+com.elsewhere:https/=x/E +https/aaaa=y/L"},
		"that names a third": {[]*schema.Extracted{pageNaming(short, "x", plain, 1), pageNaming(long, "y", short, 1)}, "+https/a=x/S +https/aaaa=y/L"},
		"that is not there":  {[]*schema.Extracted{pageNaming(long, "y", short, 1)}, "+https/aaaa=y/L"},
		"that is the page":   {[]*schema.Extracted{pageNaming(long, "y", long, 1)}, "+https/aaaa=y/L"},
		"with the same text": {[]*schema.Extracted{page(short, "y", 1), pageNaming(long, "y", short, 1)}, "+https/a=y/S"},
		"of a site below its own": {[]*schema.Extracted{ofSite("blog.example.com", "com.example.blog:https/"), pageNaming(long, "y", "com.example.blog:https/", 1)},
			"+com.example.blog:https/=x/E +https/aaaa=y/L"},
		"of a site like its own": {[]*schema.Extracted{document("com.badexample:https/", "x", "", "E", 1), pageNaming(long, "y", "com.badexample:https/", 1)},
			"+com.badexample:https/=x/E +https/aaaa=y/L"},
	} {
		t.Run(name, func(t *testing.T) { newScene(t, nil).want(test.want, test.in...) })
	}
}

func TestAnAliasIsAskedForAgainOnceWhenItsCanonicalGoes(t *testing.T) {
	s := newScene(t, nil)
	s.come(page(short, "x", 1), pageNaming(long, "y", short, 1))
	s.want("-https/a ?https/aaaa", lost(short, 2))
	s.want("", lost(short, 3))
	s.want("+https/aaaa=y/L", pageNaming(long, "y", short, 2))
	s.want("+https/a=x/S -https/aaaa", page(short, "x", 4))
}

func TestAnAliasIsAskedForAgainWhenItsCanonicalNamesAnother(t *testing.T) {
	s := newScene(t, nil)
	s.come(page(short, "x", 1), pageNaming(long, "y", short, 1))
	s.want("+https/a=x/S ?https/aaaa", pageNaming(short, "x", plain, 2))
}

func TestOnlySoManyPagesGiveWayToOneCanonical(t *testing.T) {
	s := newScene(t, func(o *Options) { o.MaxAliases = 1 })
	s.come(page(short, "x", 1))
	s.want("", pageNaming(long, "y", short, 1))
	s.want("+http/a=z/P", pageNaming(plain, "z", short, 1))
	s.want("+https/aaaa=y/L", page(long, "y", 2)) // makes room
	s.want("-http/a", pageNaming(plain, "z", short, 2))
}

func TestTheSameContentIsNotPublishedAgain(t *testing.T) {
	s := newScene(t, nil)
	s.come(page(short, "x", 1))
	again := page(short, "x", 2)
	again.GetDoc().Score, again.GetDoc().ExtractedAt = 3, 4
	s.want("", again)
	again = page(short, "x", 3)
	again.GetDoc().PublishedAt = 5
	s.want("+https/a=x/S", again)
}

func TestAnOlderOrEqualVersionChangesNothing(t *testing.T) {
	s := newScene(t, nil)
	s.come(page(short, "x", 5))
	s.want("", page(short, "y", 4), lost(short, 4), page(short, "y", 5), lost(short, 5))
	edition := page(short, "y", 5)
	edition.GetDoc().Edition = 2
	s.want("+https/a=y/S", edition)
	s.want("-https/a", lost(short, 6))
	s.want("", page(short, "x", 5))
	want := map[string]int{"older_version": 3, "repeated_version": 2}
	if got := s.w.link.Drops(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("drops %v, want %v", got, want)
	}
}

// A takedown is of what a page says: its twin does not show the text instead, nor does a page that
// has it later, also after all that had it went and came back.
func TestATakedownIsOfTheText(t *testing.T) {
	s := newScene(t, nil)
	s.come(page(short, "x", 1), page(long, "x", 1))
	s.want("-https/a", gone(short, schema.Gone_TAKEDOWN, 2))
	s.want("", page(short, "x", 3), lost(short, 4))
	s.want("", page(long, "x", 2), page(plain, "x", 1))
	s.want("", lost(long, 3), lost(plain, 2))
	for i := range 100 { // further than the window of the journal
		s.come(page(fmt.Sprintf("com.example.www:https/other/%d", i), "o", 1))
	}
	s.want("", page(long, "x", 4))
	s.want("+https/aaaa=y/L", page(long, "y", 5))
	s.want("-https/aaaa", page(long, "x", 6))
}

// Links with invented parameters, all with the text of a known page.
func TestTooManyEqualTextsTakeNothingAway(t *testing.T) {
	at := func(i int) string { return fmt.Sprintf("com.example.www:https/a?%04d", i) }
	for name, first := range map[string]*schema.Extracted{
		"names nothing": page(short, "x", 1), "names itself": pageNaming(short, "x", short, 1),
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, nil)
			s.want("+https/a=x/S", first)
			for i := range 1200 {
				s.want("", page(at(i), "x", 1))
			}
			s.want("", pageNaming("com.example.copy:https/", "x", "com.example.copy:https/", 1))
			if got := s.w.link.Drops()["cluster_full"]; got != 1200+2-1000 {
				t.Errorf("%d pages were turned away, want %d", got, 1200+2-1000)
			}
		})
	}
}

func TestAFullClusterLetsInWhatItsFirstPageNames(t *testing.T) {
	s := newScene(t, func(o *Options) { o.MaxMembers = 2 })
	s.want("+https/aaaa=x/L", pageNaming(long, "x", short, 1))
	s.want("", page(plain, "x", 1), page("com.example.www:https/b", "x", 1))
	s.want("+https/a=x/S -https/aaaa", page(short, "x", 1))
}

func TestAPageThatWasTurnedAwayIsAskedForWhenThereIsRoom(t *testing.T) {
	s := newScene(t, func(o *Options) { o.MaxMembers = 2 })
	s.want("+https/a=x/S", page(short, "x", 1), page(plain, "x", 1))
	s.want("", page(long, "x", 1))
	s.want("?https/aaaa", lost(plain, 2))
	s.want("", page(long, "x", 2))
	s.want("+https/aaaa=x/L -https/a", lost(short, 2))
}

func TestAPageOfItsOwnTextThatBecomesSurplusIsWithdrawn(t *testing.T) {
	s := newScene(t, func(o *Options) { o.MaxMembers = 2 })
	s.want("+https/a=x/S", page(short, "x", 1), page(plain, "x", 1))
	s.want("+https/aaaa=y/L", page(long, "y", 1))
	s.want("-https/aaaa", page(long, "x", 2))
	s.want("+https/aaaa=y/L", page(long, "y", 3))
}

func TestARecordThatCannotBeReadBecomesADeadLetter(t *testing.T) {
	unhashed, homeless := page(short, "x", 1), page(short, "x", 1)
	unhashed.GetDoc().TextHash, homeless.GetDoc().Site = nil, ""
	for name, in := range map[string]*schema.Extracted{
		"neither doc nor gone":        {},
		"no reason":                   gone(short, schema.Gone_UNSPECIFIED, 1),
		"unknown reason":              gone(short, 99, 1),
		"no hash":                     unhashed,
		"no site":                     homeless,
		"no row key":                  gone("", schema.Gone_EMPTY, 1),
		"a key that is no text":       page("test.a:http/\xff", "x", 1),
		"a key of no URL":             page("abc", "x", 1),
		"a long key":                  page("com.example:https/"+strings.Repeat("a", 40<<10), "x", 1),
		"a site that is no text":      ofSite("\xff", short),
		"a canonical that is no text": pageNaming(short, "x", "com.example:https/\xff", 1),
		"a long hash":                 document(short, strings.Repeat("x", 100), "", "A", 1),
		"an empty doc":                {Body: &schema.Extracted_Doc{}},
		"an empty gone":               {Body: &schema.Extracted_Gone{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, nil)
			s.w.in = []*schema.Extracted{in}
			_, err := s.w.handle()
			if p := (*streams.DeadLetterError)(nil); !errors.As(err, &p) {
				t.Errorf("got %v, want a dead letter", err)
			}
		})
	}
}

func TestATombstoneSaysWhy(t *testing.T) {
	moved := gone(short, schema.Gone_REDIRECT, 7)
	moved.GetGone().MovedTo = "https://www.example.com/new"
	for name, test := range map[string]struct {
		in   []*schema.Extracted
		want string
	}{
		"gone":      {[]*schema.Extracted{page(short, "x", 1), moved}, "7 REDIRECT https://www.example.com/new example.com"},
		"duplicate": {[]*schema.Extracted{pageNaming(plain, "x", short, 3), page(short, "x", 1)}, "3 duplicate  example.com"},
		"canonical": {[]*schema.Extracted{pageNaming(long, "y", short, 2), page(short, "x", 1)}, "2 canonical https://www.example.com/a example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, nil)
			for i, in := range test.in {
				s.w.in = append(s.w.in, in)
				if err := s.w.task.Handle(context.Background(), s.w.record(i)); err != nil {
					t.Fatal(err)
				}
			}
			sends := taken(s.w)
			last := sends[len(sends)-1]
			var got []string
			for _, name := range []string{"rev", "reason", "moved_to", "site"} {
				r := streams.Record[*schema.Extracted]{Headers: last.Headers}
				got = append(got, r.Header(name))
			}
			if got := strings.Join(got, " "); last.Value != nil || got != test.want || last.Partition != 0 {
				t.Errorf("value %q, headers %q in partition %d, want %q", last.Value, got, last.Partition, test.want)
			}
		})
	}
}

func TestOptionsThatCannotWorkAreRefused(t *testing.T) {
	deps := Deps{Store: newMemory(), Logger: slog.New(slog.DiscardHandler)}
	if _, err := New(DefaultOptions(), deps); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Options, *Deps){
		"store":   func(_ *Options, d *Deps) { d.Store = nil },
		"logger":  func(_ *Options, d *Deps) { d.Logger = nil },
		"members": func(o *Options, _ *Deps) { o.MaxMembers = 1 },
		"aliases": func(o *Options, _ *Deps) { o.MaxAliases = 0 },
		"window":  func(o *Options, _ *Deps) { o.Window = 999 },
		"bytes":   func(o *Options, _ *Deps) { o.MaxLiveBytes = 0 },
	} {
		o, d := DefaultOptions(), deps
		if change(&o, &d); func() error { _, err := New(o, d); return err }() == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}
