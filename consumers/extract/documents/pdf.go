package documents

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdferrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// pdfFile is a PDF that is being read.
type pdfFile struct {
	*writer
	ctx   context.Context
	in    pdfium.Pdfium
	doc   references.FPDF_DOCUMENT
	lines []pdfLine // of the current page
	links []pdfLink // of the current page
	sizes fontSizes
}

// readPDF reads page after page until the text, the pages or the time end; what was read until then
// counts. Before each page it calls next with what was read so far, which is not changed any more
// and not complete yet.
func readPDF(ctx context.Context, o Options, in pdfium.Pdfium, body []byte, next func(soFar Document)) (*Document, error) {
	body = withoutLoops(body)
	opened, err := in.OpenDocument(&requests.OpenDocument{File: &body})
	cut := false
	if whole := withTrailer(body); err != nil && whole != nil && !fatal(err) && ctx.Err() == nil {
		cut = true
		opened, err = in.OpenDocument(&requests.OpenDocument{File: &whole})
	}
	if err != nil {
		return nil, openError(ctx, err)
	}
	f := &pdfFile{writer: newWriter(o, "pdf"), ctx: ctx, in: in, doc: opened.Document, sizes: newFontSizes()}
	f.d.Cut = cut
	f.about()
	count, err := in.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: f.doc})
	if err != nil {
		return nil, openError(ctx, err)
	}
	outline := f.outline()
	for _, t := range outline {
		f.heading(t)
	}
	var failed error
	for i := range count.PageCount {
		if i >= o.MaxPages || f.full || ctx.Err() != nil {
			f.d.Cut = true
			break
		}
		next(f.soFar(count.PageCount))
		if err := f.readPage(i); fatal(err) {
			f.d.Cut, failed = true, err
			break
		}
	}
	if f.out.Len() == 0 && (failed != nil || ctx.Err() != nil) {
		return nil, fmt.Errorf("%w: %w", ErrHeavy, errors.Join(failed, ctx.Err()))
	}
	f.d.Pages = count.PageCount
	f.headings(len(outline) > 0)
	return f.finish(), nil
}

// soFar returns what was read of a file of a number of pages.
func (f *pdfFile) soFar(pages int) Document {
	d := *f.d
	d.Text, d.Pages, d.Cut = f.out.String(), pages, true
	return d
}

func openError(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ErrHeavy
	case fatal(err): // killed, or out of memory
		return fmt.Errorf("%w: %w", ErrHeavy, err)
	case errors.Is(err, pdferrors.ErrPassword), errors.Is(err, pdferrors.ErrSecurity):
		return ErrEncrypted
	}
	return fmt.Errorf("%w: %w", ErrBroken, err)
}

// fatal reports errors after which the instance must not be used any more: it was killed, or
// stopped in the middle.
func fatal(err error) bool {
	if err == nil {
		return false
	}
	text := err.Error()
	return strings.Contains(text, "wasm") || strings.Contains(text, "panic") || strings.Contains(text, "closed") || strings.Contains(text, "memory")
}

// about reads the document information dictionary (14.3.3) and the language of the catalogue
// (14.9.2).
func (f *pdfFile) about() {
	meta := func(tag string) string {
		r, err := f.in.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: f.doc, Tag: tag})
		if err != nil {
			return ""
		}
		return strings.TrimRight(r.Value, "\x00")
	}
	f.d.Title, f.d.Author, f.d.Summary = meta("Title"), meta("Author"), meta("Subject")
	f.d.Created, f.d.Modified = pdfDate(meta("CreationDate")), pdfDate(meta("ModDate"))
	if r, err := f.in.FPDFCatalog_GetLanguage(&requests.FPDFCatalog_GetLanguage{Document: f.doc}); err == nil {
		f.d.Lang = strings.TrimRight(r.Language, "\x00")
	}
}

// pdfDate parses D:YYYYMMDDHHmmSSOHH'mm' (7.9.4), where everything after the day may be missing;
// zero if it is no date.
func pdfDate(s string) time.Time {
	s = strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(s), "D:"), "'", "")
	digits := 0
	for digits < len(s) && digits < 14 && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	if digits < 8 {
		return time.Time{}
	}
	layout := "20060102150405"[:digits&^1]
	t, err := time.Parse(layout, s[:digits&^1])
	if err != nil {
		return time.Time{}
	}
	if zone, err := time.Parse("-0700", s[digits:]); err == nil && digits >= 12 {
		_, offset := zone.Zone()
		t = t.Add(-time.Duration(offset) * time.Second)
	}
	return t
}

// outline returns the titles of the bookmarks (12.3.3), in order, down to three levels. A cycle of
// bookmarks ends at the bound of calls.
func (f *pdfFile) outline() []string {
	var titles []string
	left := 4 * f.opts.MaxHeadings // calls, bounded
	var walk func(parent *references.FPDF_BOOKMARK, depth int)
	walk = func(parent *references.FPDF_BOOKMARK, depth int) {
		child, err := f.in.FPDFBookmark_GetFirstChild(&requests.FPDFBookmark_GetFirstChild{Document: f.doc, Bookmark: parent})
		if err != nil {
			return
		}
		for at := child.Bookmark; at != nil && left > 0 && len(titles) < f.opts.MaxHeadings; left-- {
			if t, err := f.in.FPDFBookmark_GetTitle(&requests.FPDFBookmark_GetTitle{Bookmark: *at}); err == nil {
				titles = append(titles, strings.TrimRight(t.Title, "\x00"))
			}
			if depth < 3 {
				walk(at, depth+1)
			}
			next, err := f.in.FPDFBookmark_GetNextSibling(&requests.FPDFBookmark_GetNextSibling{Document: f.doc, Bookmark: *at})
			if err != nil {
				return
			}
			at = next.Bookmark
		}
	}
	walk(nil, 1)
	return titles
}

// readPage adds the text and the links of a page. A page that cannot be loaded counts as empty.
func (f *pdfFile) readPage(i int) error {
	f.page()
	loaded, err := f.in.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: f.doc, Index: i})
	if err != nil {
		return err
	}
	page := requests.Page{ByReference: &loaded.Page}
	annotated, err := f.pageLinks(page)
	if !annotated || err != nil {
		return errors.Join(err, f.loaded(i, loaded.Page))
	}
	// Form fields and notes are drawn by their appearances (12.5.5). Flattening makes these part of
	// the page's text.
	_, err = f.in.FPDFPage_Flatten(&requests.FPDFPage_Flatten{Page: page, Usage: requests.FPDFPage_FlattenUsageNormalDisplay})
	if fatal(err) {
		return err
	}
	f.closePage(loaded.Page)
	if loaded, err = f.in.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: f.doc, Index: i}); err != nil {
		return err
	}
	return f.loaded(i, loaded.Page)
}

func (f *pdfFile) closePage(page references.FPDF_PAGE) {
	_, _ = f.in.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: page})
}

// loaded reads the text of a loaded page, and closes the page.
func (f *pdfFile) loaded(i int, page references.FPDF_PAGE) error {
	defer f.closePage(page)
	text, err := f.in.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: requests.Page{ByReference: &page}})
	if err != nil {
		return err
	}
	defer f.in.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text.TextPage})
	if err := f.readText(i, text.TextPage); err != nil {
		return err
	}
	f.placeLinks(text.TextPage)
	return f.writtenLinks(text.TextPage)
}

// maxPageChars bounds the characters of a page.
const maxPageChars = 1 << 20

func (f *pdfFile) readText(i int, page references.FPDF_TEXTPAGE) error {
	n, err := f.in.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: page})
	if err != nil || n.Count <= 0 {
		return err
	}
	got, err := f.in.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: page, Count: min(n.Count, maxPageChars)})
	if err != nil {
		return err
	}
	f.lines = splitLines(f.lines[:0], got.Text, n.Count)
	if i < sizedPages {
		for k := range f.lines {
			if at := f.lines[k].at; at >= 0 {
				s, err := f.in.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: page, Index: at})
				if err != nil {
					return err
				}
				f.lines[k].size = s.FontSize
			}
		}
		f.sizes.note(i, f.lines)
	}
	for _, p := range paragraphs(f.lines) {
		f.text(p)
		f.end()
	}
	return nil
}

// maxPageLinks bounds the link annotations that are read on a page.
const maxPageLinks = 500

// pageLinks collects the link annotations of a page that lead to a URI (12.5.6.5, 12.6.4.7). It
// reports whether there are annotations of other kinds.
func (f *pdfFile) pageLinks(page requests.Page) (others bool, err error) {
	f.links = f.links[:0]
	all, err := f.in.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: page})
	if err != nil {
		return false, err
	}
	n := 0
	for at := 0; n < min(all.Count, maxPageLinks); n++ {
		l, err := f.in.FPDFLink_Enumerate(&requests.FPDFLink_Enumerate{Page: page, StartPos: at})
		if fatal(err) {
			return false, err
		}
		if err != nil || l.Link == nil || l.NextStartPos == nil {
			break
		}
		at = *l.NextStartPos
		if url := f.uri(*l.Link); url != "" {
			link := pdfLink{url: url}
			if r, err := f.in.FPDFLink_GetAnnotRect(&requests.FPDFLink_GetAnnotRect{Link: *l.Link}); err == nil && r.Rect != nil {
				link.rect = [4]float32{r.Rect.Left, r.Rect.Top, r.Rect.Right, r.Rect.Bottom}
			}
			f.links = append(f.links, link)
		}
	}
	return all.Count > n, nil
}

// pdfLink is a link annotation: its target and its place on the page.
type pdfLink struct {
	url  string
	rect [4]float32 // left, top, right, bottom
}

// placeLinks adds the links of the page with the words at their place.
func (f *pdfFile) placeLinks(text references.FPDF_TEXTPAGE) {
	for _, l := range f.links {
		if len(f.d.Links) >= f.opts.MaxLinks {
			return
		}
		t, err := f.in.FPDFText_GetBoundedText(&requests.FPDFText_GetBoundedText{TextPage: text,
			Left: float64(l.rect[0]), Top: float64(l.rect[1]), Right: float64(l.rect[2]), Bottom: float64(l.rect[3])})
		words := ""
		if err == nil {
			words = joinDivided(strings.Trim(t.Text, "\x00"))
		}
		f.link(l.url, words)
	}
}

func (f *pdfFile) uri(link references.FPDF_LINK) string {
	action, err := f.in.FPDFLink_GetAction(&requests.FPDFLink_GetAction{Link: link})
	if err != nil || action.Action == nil {
		return ""
	}
	uri, err := f.in.FPDFAction_GetURIPath(&requests.FPDFAction_GetURIPath{Document: f.doc, Action: *action.Action})
	if err != nil || uri.URIPath == nil {
		return ""
	}
	return strings.TrimRight(*uri.URIPath, "\x00")
}

// writtenLinks adds addresses that are written in the text.
func (f *pdfFile) writtenLinks(text references.FPDF_TEXTPAGE) error {
	links, err := f.in.FPDFLink_LoadWebLinks(&requests.FPDFLink_LoadWebLinks{TextPage: text})
	if err != nil {
		return err
	}
	defer f.in.FPDFLink_CloseWebLinks(&requests.FPDFLink_CloseWebLinks{PageLink: links.PageLink})
	n, err := f.in.FPDFLink_CountWebLinks(&requests.FPDFLink_CountWebLinks{PageLink: links.PageLink})
	if err != nil {
		return err
	}
	for i := range min(n.Count, maxPageLinks) {
		u, err := f.in.FPDFLink_GetURL(&requests.FPDFLink_GetURL{PageLink: links.PageLink, Index: i})
		if err != nil {
			return err
		}
		if url := strings.TrimRight(u.URL, "\x00"); strings.HasPrefix(url, "http") {
			f.link(url, "")
		}
	}
	return nil
}
