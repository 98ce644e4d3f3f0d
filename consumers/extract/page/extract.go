package page

import (
	"errors"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"millrace/consumers/extract/article"
	"millrace/consumers/extract/charset"
	"millrace/consumers/extract/forest"
	"millrace/consumers/extract/lang"
	"millrace/consumers/extract/plain"
	"millrace/consumers/extract/rules"
	"millrace/schema"
)

// An Extractor reads pages. It is safe for concurrent use.
type Extractor struct {
	opts   Options
	canon  *schema.Canonicalizer
	rules  rules.Lookup
	chars  *charset.Decoder
	langs  *lang.Detector
	learnt Models
}

// New returns an Extractor with the models that are compiled in; find may be nil if there are no
// rules.
func New(opts Options, canon *schema.Canonicalizer, find rules.Lookup) (*Extractor, error) {
	models, err := LoadModels()
	if err != nil {
		return nil, err
	}
	return NewWith(models, opts, canon, find)
}

// NewWith is New with other models.
func NewWith(models Models, opts Options, canon *schema.Canonicalizer, find rules.Lookup) (*Extractor, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	if canon == nil {
		return nil, errors.New("page: no canonicaliser")
	}
	if find == nil {
		find = (*rules.Set)(nil)
	}
	return &Extractor{opts: opts, canon: canon, rules: find, chars: charset.New(), langs: lang.New(), learnt: models}, nil
}

// Extract reads a page.
func (e *Extractor) Extract(in Input) Result {
	var r Result
	r.Directives.fromHeaders(in.RobotsTags, e.opts.Robot)
	r.Kind = mediaKind(in.ContentType, in.Body)
	x := extraction{Extractor: e, in: in, opts: &e.opts, r: &r}
	x.url, _ = e.canon.Parse(in.URL) // of an address that is none, absolute links still count
	switch r.Kind {
	case Unknown:
		r.Drop = NotHTML
		return r
	case Feed, Sitemap:
		x.feed()
		return r
	}
	decoded := e.chars.Decode(in.Body, in.ContentType)
	r.Charset = charset.Text{Name: decoded.Name, Source: decoded.Source}
	switch r.Kind {
	case HTML:
		x.html(decoded.UTF8)
	case XML:
		r.Filetype = "xml"
		x.xml(decoded.UTF8)
	case Plain:
		r.Filetype = "txt"
		x.plain(decoded.UTF8)
	}
	x.finish()
	return r
}

// extraction is one page in work.
type extraction struct {
	*Extractor
	in   Input
	opts *Options
	r    *Result
	url  schema.URL
	odds []float32 // of the types, once they are judged
}

// feed reports a feed or sitemap that was fetched as a page as a link to itself, so that it is
// polled from now on.
func (x *extraction) feed() {
	x.r.Drop = IsFeed
	if x.url.IsZero() {
		return
	}
	kind := FeedLink
	if x.r.Kind == Sitemap {
		kind = SitemapLink
	}
	x.r.Links = []Link{{URL: x.url, Kind: kind}}
}

func (x *extraction) html(body []byte) {
	if isXHTML(x.in.ContentType) {
		body = endEmpty(body)
	}
	root, flat := parse(body)
	x.r.Flat = flat
	p, f, l := x.opts.look(root)
	x.directives(f)
	x.links(f)
	x.head(f, l)
	x.text(root, p, f, l)
}

// look reads what a page shows and states. A shell is filled with the text of its data.
func (o *Options) look(root *html.Node) (*article.Page, *facts, linked) {
	p := article.Split(root)
	f := scan(root, o.MaxJSON)
	l := readLinked(f.json)
	if l.body == "" {
		if filled := fill(root, p); filled != nil {
			f.walk(filled)
			p = article.Split(root)
		}
	}
	return p, f, l
}

// Blocks returns what the choice of the main text is made from; training and diagnosis look at it.
func (e *Extractor) Blocks(in Input) (*article.Page, article.Hints) {
	x, p, f, l := e.begin(in)
	return p, x.hints(f, l)
}

// UsefulRow returns what a page is judged useful from. prob are the probabilities of the page's
// blocks, as a model gave them that has not seen the page; nil asks the Extractor's own model.
func (e *Extractor) UsefulRow(in Input, prob []float32) []float32 {
	x, p, f, l := e.begin(in)
	choice := x.choose(p, x.hints(f, l), prob)
	x.title(f, l, p, choice)
	x.dates(f, l, p, choice)
	return x.usefulRow(f, l, p, choice)
}

// A Choice is a set of candidates, one of which is chosen by its row.
type Choice struct {
	Texts  []string
	Rows   []float32
	Marked []bool // of days: the page says by its markup that it is a day of publication
}

// Candidates returns what title and day of publication are chosen from; training and diagnosis look
// at it. prob is as for UsefulRow.
func (e *Extractor) Candidates(in Input, prob []float32) (titles, days Choice) {
	x, p, f, l := e.begin(in)
	choice := x.choose(p, x.hints(f, l), prob)
	t := gatherTitles(f, l, p, x.r.Title)
	for i := range t.list {
		titles.Texts = append(titles.Texts, t.list[i].text)
	}
	titles.Rows = newTitleContext(f, l, p, choice, in.URL, t).rows()
	d := x.clock(f, l).gather(f, l, in.URL, p, choice)
	for i := range d.list {
		days.Texts = append(days.Texts, d.list[i].day.Format(time.DateOnly))
		days.Marked = append(days.Marked, d.list[i].isMarked())
	}
	days.Rows = d.rows(firstKept(p, choice), len(p.Blocks))
	return titles, days
}

func (x *extraction) choose(p *article.Page, h article.Hints, prob []float32) article.Choice {
	if prob == nil {
		return x.learnt.Text.Main(p, h, x.opts.Article)
	}
	return article.Choose(p, prob, x.opts.Article.Caution)
}

func (e *Extractor) begin(in Input) (*extraction, *article.Page, *facts, linked) {
	x := &extraction{Extractor: e, in: in, opts: &e.opts, r: &Result{}}
	x.url, _ = e.canon.Parse(in.URL)
	body := e.chars.Decode(in.Body, in.ContentType).UTF8
	if isXHTML(in.ContentType) {
		body = endEmpty(body)
	}
	root, _ := parse(body)
	p, f, l := e.opts.look(root)
	x.head(f, l)
	return x, p, f, l
}

func (x *extraction) clock(f *facts, l linked) clock {
	return clock{order: orderOf(firstOf(f.lang, l.lang), x.in.URL), now: x.in.FetchedAt}
}

func firstKept(p *article.Page, choice article.Choice) int {
	for i := range p.Blocks {
		if choice.Keep[i] && p.Blocks[i].Words > 8 {
			return i
		}
	}
	return 0
}

func (x *extraction) hints(f *facts, l linked) article.Hints {
	return article.Hints{Title: x.r.Title, Body: l.body, Summary: x.r.Summary, Form: formOf(l.kind, f.meta["og:type"])}
}

// formOf orders what pages call themselves: see article.Hints.
func formOf(kind, ogType string) float32 {
	switch {
	case strings.HasSuffix(kind, "article") || kind == "blogposting":
		return 1
	case kind == "discussionforumposting" || kind == "qapage" || kind == "question":
		return 4
	case kind == "product" || strings.HasPrefix(ogType, "product"):
		return 2
	case kind == "collectionpage" || kind == "itemlist":
		return 3
	case strings.HasPrefix(ogType, "article"):
		return 1
	case ogType == "website":
		return 3
	}
	return 0
}

func (x *extraction) directives(f *facts) {
	for _, m := range f.robots {
		x.r.Directives.fromMeta(m[0], m[1], x.opts.Robot)
	}
}

// links collects all that leads elsewhere; in the order of the page, head first.
func (x *extraction) links(f *facts) {
	base := x.url
	if u, err := x.canon.Resolve(x.url, f.base); f.base != "" && err == nil {
		base = u
	}
	c := newCollector(x.canon, x.url, base, x.opts)
	c.chars = queryEncoding(x.r.Charset)
	for _, h := range x.in.LinkHeaders {
		x.linkHeader(c, h)
	}
	for _, n := range f.links {
		x.linkElement(c, attr(n, "rel"), attr(n, "href"), attr(n, "type"), attr(n, "hreflang"))
	}
	for _, content := range f.refresh {
		c.refresh(content)
	}
	for _, n := range f.anchors {
		if n.DataAtom == atom.A || n.DataAtom == atom.Area {
			c.anchor(n)
		} else {
			c.frame(n)
		}
	}
	x.r.Links, x.r.Cut = c.links, c.cut
}

func (x *extraction) linkElement(c *collector, rel, ref, mediaType, hreflang string) {
	c.link(rel, ref, mediaType, hreflang)
	switch rel = strings.ToLower(rel); {
	case strings.Contains(rel, "canonical") && x.r.Canonical.IsZero():
		if target, ok := c.resolve(ref); ok && !takesHome(x.url, target) {
			x.r.Canonical = target
		}
	case strings.Contains(rel, "alternate") && hreflang != "":
		if target, ok := c.resolve(ref); ok && len(x.r.Hreflang) < 200 {
			x.r.Hreflang = append(x.r.Hreflang, Alternate{Lang: plain.Clean(hreflang), URL: target})
		}
	}
}

// linkHeader reads `<https://example.com/a>; rel="canonical"`, several of them joined by commas.
func (x *extraction) linkHeader(c *collector, header string) {
	for part := range strings.SplitSeq(header, "<") {
		ref, params, ok := strings.Cut(part, ">")
		if !ok {
			continue
		}
		p := map[string]string{}
		for param := range strings.SplitSeq(params, ";") {
			k, v, _ := strings.Cut(param, "=")
			p[strings.ToLower(strings.TrimSpace(k))] = strings.Trim(v, " ,\"")
		}
		x.linkElement(c, p["rel"], ref, p["type"], p["hreflang"])
	}
}

func (x *extraction) head(f *facts, l linked) {
	r := x.r
	r.Title, r.TitleBy = pickTitle(f, l)
	r.Same.Title = r.Title
	r.Author, r.By = pickAuthor(f, l)
	r.Summary, _ = f.first("description", "og:description", "twitter:description", "dc.description", "dcterms.description")
	r.Headings = headings(f.heads, 50)
	locale, _ := f.first("content-language", "og:locale", "language", "dc.language")
	r.Stated = firstOf(lang.Base(f.lang), lang.Base(l.lang), lang.Base(locale), lang.Base(x.in.Language))
}

// text chooses the main text, then the title that stands best to it, then the day.
func (x *extraction) text(root *html.Node, p *article.Page, f *facts, l linked) {
	choice := x.choose(p, x.hints(f, l), nil)
	x.title(f, l, p, choice)
	x.dates(f, l, p, choice)
	if x.r.Author == "" {
		if a := authorInText(p, firstKept(p, choice)); a != "" {
			x.r.Author, x.r.By = a, "text"
		}
	}
	x.judge(f, l, p, choice)
	if d, ok := older(f, l); ok { // after the judgement, which knows no such days
		x.r.Published = d
	}
	x.body(p, choice)
	x.r.LinkShare = linkShare(p, choice)
	x.r.Same.Text = x.same(p, choice)
	x.witness(l, p, choice)
	if x.r.Text == "" {
		x.lastResort(root)
	}
	if rule, ok := x.rules.Find(x.url.Hostname(), x.url.String()); ok {
		x.ruled(root, p, rule)
		if rule.Refuse {
			x.r.Drop = ByRule
		}
	}
}

// body sets the text with the caution of the page's likely types. Where nothing looks like text, it
// is all that can be seen.
func (x *extraction) body(p *article.Page, choice article.Choice) {
	caution := x.opts.Cautions.Weighted(x.odds)
	choice = article.Choose(p, choice.P, caution)
	x.r.Text, x.r.TextBy = p.Text(choice.Keep, x.opts.MaxText), "model"
	if x.r.Text == "" {
		x.r.Text, x.r.TextBy = p.Text(p.Visible(), x.opts.MaxText), "all that is visible"
		return
	}
	if x.r.Type != TypeThread {
		x.r.Comments = p.Text(p.Comments(choice.Keep), x.opts.MaxComments)
	}
}

// enough words of main text tell pages apart: a list of links whose main text is "3 results" is not
// every such list.
const enough = 100

// same is the text that copies have in common. The choice of blocks does not depend on the address;
// the page's type does.
func (x *extraction) same(p *article.Page, choice article.Choice) string {
	words := 0
	for i, keep := range choice.Keep {
		if keep {
			words += p.Blocks[i].Words
		}
	}
	if words < enough {
		choice = article.Choose(p, choice.P, x.opts.Article.Elsewhere)
	}
	if text := p.Text(choice.Keep, x.opts.MaxText); text != "" {
		return text
	}
	return p.Text(p.Visible(), x.opts.MaxText)
}

func (x *extraction) title(f *facts, l linked, p *article.Page, choice article.Choice) {
	t := gatherTitles(f, l, p, x.r.Title)
	if i := Pick(x.learnt.Titles, newTitleContext(f, l, p, choice, x.in.URL, t).rows(), len(TitleNames())); i >= 0 {
		x.r.Title, x.r.TitleBy = t.list[i].text, t.list[i].from()
	}
}

func (x *extraction) dates(f *facts, l linked, p *article.Page, choice article.Choice) {
	c := x.clock(f, l)
	x.r.Modified = c.modified(f, l)
	d := c.gather(f, l, x.in.URL, p, choice)
	rows := d.rows(firstKept(p, choice), len(p.Blocks))
	i := Pick(x.learnt.Days, rows, len(DayNames()))
	if i < 0 {
		return
	}
	best := &d.list[i]
	best.best.Sure = float64(forest.Probability(x.learnt.Days.Odds(rows[i*len(DayNames()) : (i+1)*len(DayNames())])))
	from := x.opts.DayInText
	if best.isMarked() {
		from = x.opts.DayMarked
	}
	if best.best.Sure >= from && !best.isTold() { // no day is better than a wrong one
		x.r.Published = best.best
	}
}

// usefulWords makes a text or XML file useful: it has no page around it that could be a listing.
const usefulWords = 100

// withoutAnchor takes off the sign of the link to itself that documentation tools put behind a
// heading.
func withoutAnchor(heading string) string { return strings.TrimRight(heading, " ¶") }

// finish caps, names the language, and decides whether there is a document.
func (x *extraction) finish() {
	r := x.r
	if r.Same.Text == "" { // a file without a page around it
		r.Same = Identity{r.Title, r.Text}
	}
	r.Title = plain.Cut(withoutAnchor(r.Title), x.opts.MaxTitle)
	for i, h := range r.Headings {
		r.Headings[i] = withoutAnchor(h)
	}
	r.Summary = plain.Cut(plain.Clean(r.Summary), x.opts.MaxSummary)
	r.Detected = x.langs.Detect(r.Text)
	r.Lang = lang.Choose(r.Stated, r.Detected, r.Text)
	article.EachWord(plain.Cut(r.Text, 8<<10), func(string) { r.Words++ })
	if r.Kind != HTML && r.Words >= usefulWords {
		r.Useful, r.Score = true, 1
	}
	switch {
	case r.Drop != NotDropped:
	case r.Directives.NoIndex:
		r.Drop = NoIndex
	case r.Directives.past(x.in.FetchedAt):
		r.Drop = Unavailable
	case r.Text == "":
		r.Drop = Empty
	}
}
