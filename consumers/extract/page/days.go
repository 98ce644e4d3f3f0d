package page

import (
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"millrace/consumers/extract/article"
	"millrace/consumers/extract/dates"
	"millrace/consumers/extract/plain"
)

// A dayCandidate is one calendar day, with all places of the page that name it. It is large because
// each field becomes a feature of the model (dayrank.go).
type dayCandidate struct {
	day    time.Time
	best   Date // the most trusted of the places
	trust  int  // of best
	bits   uint32
	count  int
	order  int     // of first mention, among all mentions
	near   float32 // least distance to the title or the beginning of the main text
	words  int     // of the shortest block that has it
	clock  bool
	update bool // words or names that mean a change are beside it
	posted bool // words or names that mean publication are beside it
	first  int  // block of first mention; -1 if in none
	before int  // fewest words before it in its block
	after  int  // fewest words after it in its block
	kept   bool // it is in a block of the main text
	listed bool // it is in a list or table
	dated  bool // a place other than a sentence about something has it: see isTold
}

// Where a day was found, as bits.
const (
	dayLinked = 1 << iota
	dayLinkedModified
	dayMetaPublished
	dayMetaModified
	dayMetaOther
	dayURL
	dayTimeElement
	dayTimePublished // a time element that is marked as publication
	dayNamed         // an element with a class of dates
	dayText
	dayTextShort // a block that is hardly longer than the date
	dayFooter
	dayArticle // time element inside article or main
	dayComment
	dayScript
	dayBits = iota
)

// isMarked reports whether markup or the address states the day as that of publication, and not
// only text.
func (c *dayCandidate) isMarked() bool {
	return c.bits&(dayLinked|dayMetaPublished|dayURL|dayTimePublished) != 0
}

// isTold reports whether only sentences about something have the day: an event, or history.
func (c *dayCandidate) isTold() bool {
	return c.bits&^(dayText|dayTextShort|dayFooter|dayComment) == 0 && !c.dated
}

const maxDays = 60

// days collects the candidates of a page.
type days struct {
	c     clock
	list  []dayCandidate
	index map[time.Time]int
	seen  int

	form   float32 // what the page calls itself: see article.Hints
	author bool    // the page names one in its metadata
	words  int     // of the page
}

func (c clock) gather(f *facts, l linked, url string, p *article.Page, choice article.Choice) *days {
	d := &days{c: c, index: make(map[time.Time]int, 16), form: formOf(l.kind, f.meta["og:type"]), author: l.author != "" || f.meta["author"] != ""}
	for i := range p.Blocks {
		d.words += p.Blocks[i].Words
	}
	d.field(l.published, "json-ld", dayLinked, 10)
	d.field(l.modified, "json-ld", dayLinkedModified, 4)
	for _, name := range publishedMeta {
		d.field(f.meta[name], "meta "+name, dayMetaPublished, 9)
	}
	for _, name := range modifiedMeta {
		d.field(f.meta[name], "meta "+name, dayMetaModified, 3)
	}
	for _, name := range f.metas {
		if containsAny(name, "date", "time", "publish", "created", "stamp") {
			d.field(f.meta[name], "meta "+name, dayMetaOther, 3)
		}
	}
	for _, v := range f.stamps {
		d.field(v, "script", dayScript, 2)
	}
	if t, ok := dates.InURL(url); ok {
		d.add(dates.Found{Time: t, Day: t}, Date{From: "url", Text: t.Format(time.DateOnly)}, dayURL, 8)
	}
	places := newPlaces(p, choice)
	for _, n := range f.times[:min(len(f.times), 40)] {
		d.element(n, places, dayTimeElement, 7)
	}
	for _, n := range f.dated[:min(len(f.dated), 60)] {
		d.element(n, places, dayNamed, 6)
	}
	d.blocks(p, places)
	return d
}

// field reads a metadata value that should be a date.
func (d *days) field(value, from string, bit uint32, trust int) {
	if value == "" || len(value) > 100 {
		return
	}
	if found, ok := d.whole(value); ok {
		d.add(found, Date{From: from, Text: plain.Clean(value)}, bit, trust)
	}
}

// whole reads a value that is a date and nothing else.
func (d *days) whole(value string) (dates.Found, bool) {
	t, ok := dates.ParseIn(value, d.c.order)
	if !ok {
		return dates.Found{}, false
	}
	if found, ok := dates.Find(value, d.c.order); ok {
		return found, true
	}
	return dates.Found{Time: t, Day: t.Truncate(24 * time.Hour)}, true
}

// add adds a mention of a day; nil if it cannot be the day of a web page.
func (d *days) add(f dates.Found, at Date, bit uint32, trust int) *dayCandidate {
	if !d.c.plausible(f.Time) {
		return nil
	}
	i, seen := d.index[f.Day]
	if !seen {
		if len(d.list) >= maxDays {
			return nil
		}
		i = len(d.list)
		d.index[f.Day] = i
		d.list = append(d.list, dayCandidate{day: f.Day, order: d.seen, near: 20, words: 1000, first: -1, before: 1000, after: 1000})
	}
	c := &d.list[i]
	c.bits |= bit
	c.count++
	c.clock = c.clock || f.HasClock
	if at.Time = f.Time; trust > c.trust || f.HasClock && trust == c.trust && !clocked(c.best.Time) {
		c.best, c.trust = at, trust
	}
	d.seen++
	return c
}

func clocked(t time.Time) bool { return t.Hour()+t.Minute()+t.Second() > 0 }

// element reads the attributes of an element that indicates a date, then its text.
func (d *days) element(n *html.Node, pl *places, bit uint32, trust int) {
	name := strings.ToLower(attr(n, "class") + " " + attr(n, "itemprop") + " " + attr(n, "id"))
	if attr(n, "pubdate") != "" || strings.Contains(name, "publi") || strings.Contains(name, "entry-date") || strings.Contains(name, "posted") {
		bit |= dayTimePublished
	}
	for _, key := range []string{"datetime", "content", "data-datetime", "data-date", "data-timestamp", "title"} {
		v := attr(n, key)
		if v == "" || len(v) > 60 {
			continue
		}
		if found, ok := d.whole(v); ok {
			d.mark(d.add(found, Date{From: elementName(n) + " " + key, Text: plain.Clean(v)}, bit, trust), n, name, pl)
			return
		}
	}
	if s := textOf(n); len(s) < 200 {
		for _, found := range dates.InText(s, d.c.order, 2) {
			c := d.add(found, Date{From: elementName(n), Text: s[found.Start:found.End]}, bit, trust-1)
			d.mark(c, n, name+" "+s[:found.Start], pl)
		}
	}
}

func elementName(n *html.Node) string {
	if n.DataAtom == atom.Time {
		return "time element"
	}
	return "element " + n.Data
}

// mark notes where the element is, and which words are beside the date.
func (d *days) mark(c *dayCandidate, n *html.Node, said string, pl *places) {
	if c == nil {
		return
	}
	c.say(said)
	for p := n; p != nil; p = p.Parent {
		switch p.DataAtom {
		case atom.Footer:
			c.bits |= dayFooter
		case atom.Article, atom.Main:
			c.bits |= dayArticle
		}
		if i, ok := pl.box[p]; ok {
			c.place(pl.page.Boxes[i].First, pl)
			return
		}
	}
}

func (c *dayCandidate) place(block int, pl *places) {
	if block < 0 || block >= len(pl.distance) {
		return
	}
	c.near = min(c.near, pl.distance[block])
	if c.first < 0 {
		c.first = block
	}
}

// say looks for words that mean a change or a publication.
func (c *dayCandidate) say(s string) {
	s = strings.ToLower(s)
	if len(s) > 80 {
		s = s[len(s)-80:]
	}
	if saysChanged(s) {
		c.update = true
	}
	if saysPublished(s) || containsAny(s, "on ", "am ") {
		c.posted = true
	}
	if containsAny(s, "comment", "reply") {
		c.bits |= dayComment
	}
}

func saysChanged(s string) bool {
	return containsAny(s, "updat", "modif", "last edit", "aktualisiert", "geändert", "stand:", "обновлен", "actualiz", "mis à jour", "更新", "revised")
}

func saysPublished(s string) bool {
	return containsAny(s, "publi", "posted", "veröffentlicht", "erschienen", "опубликован", "发布", "发表", "written", "created", "verfasst")
}

func containsAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// blocks reads dates in the text: those of short blocks, and the first of long ones.
func (d *days) blocks(p *article.Page, pl *places) {
	for i := range p.Blocks {
		b := &p.Blocks[i]
		if b.Digit < 3 && !dates.HasOtherDigits(b.Text) || d.seen > 400 || p.Inside(b.Box, atom.Pre, atom.Code, atom.Samp, atom.Kbd) {
			continue // the output of programs has other dates
		}
		text, most := b.Text, 3
		if b.Words > 60 {
			text, most = plain.Cut(text, 300), 1
		}
		for _, found := range dates.InText(text, d.c.order, most) {
			bit := uint32(dayText)
			if b.Words <= 12 {
				bit |= dayTextShort
			}
			c := d.add(found, Date{From: "text", Text: text[found.Start:found.End]}, bit, 2)
			if c == nil {
				continue
			}
			c.say(text[:found.Start])
			c.dated = c.dated || !isTold(b, text, found)
			c.words = min(c.words, b.Words)
			c.before = min(c.before, wordsIn(text[:found.Start]))
			c.after = min(c.after, wordsIn(text[found.End:]))
			c.kept = c.kept || pl.keep[i]
			c.listed = c.listed || p.Inside(b.Box, atom.Table, atom.Ul, atom.Ol, atom.Dl)
			c.place(i, pl)
		}
	}
}

// toldWords are fewest words of a paragraph that tells of a day.
const toldWords = 7

// isTold reports whether a date is inside a sentence that tells of something ("On 4 July 1996 the
// mill burned down."), and not the date of what follows or of the page: no word of publication is
// before it, and nothing sets it apart.
func isTold(b *article.Block, text string, f dates.Found) bool {
	before, after := strings.TrimSpace(text[:f.Start]), strings.TrimSpace(text[f.End:])
	if b.Words < toldWords || b.Stops == 0 || f.HasClock || before == "" || after == "" || strings.ContainsAny(before, "|•·©") {
		return false
	}
	if r, _ := utf8.DecodeRuneInString(after); strings.ContainsRune("(-–—:|/[)]•·.", r) {
		return false
	}
	if r, _ := utf8.DecodeLastRuneInString(before); strings.ContainsRune("(:|/[•·–—-", r) {
		return false
	}
	return !saysPublished(strings.ToLower(before)) && !saysChanged(strings.ToLower(before))
}

// places has the distance of every block from the beginnings of title and article.
type places struct {
	page     *article.Page
	keep     []bool
	box      map[*html.Node]int
	distance []float32
	first    int
	last     int
}

func newPlaces(p *article.Page, choice article.Choice) *places {
	pl := &places{page: p, keep: choice.Keep, box: make(map[*html.Node]int, len(p.Boxes)), distance: make([]float32, len(p.Blocks)), first: -1, last: -1}
	for i := range p.Boxes {
		pl.box[p.Boxes[i].Node] = i
	}
	h1 := -1
	for i := range p.Blocks {
		if h1 < 0 && p.Blocks[i].Tag == atom.H1 {
			h1 = i
		}
		if choice.Keep[i] && p.Blocks[i].Words > 8 {
			if pl.first < 0 {
				pl.first = i
			}
			pl.last = i
		}
	}
	for i := range pl.distance {
		pl.distance[i] = min(apart(i, h1), apart(i, pl.first), apart(i, pl.last)+2)
	}
	return pl
}

// apart returns a distance that grows with the logarithm of the number of blocks between.
func apart(i, j int) float32 {
	if j < 0 {
		return 20
	}
	return log1p(max(i-j, j-i))
}
