package links

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"millrace/schema"
	"millrace/streams"
)

// site replaces what another site says of a page.
func (t *task) site(ctx context.Context, ts int64, s *schema.SiteLinks) error {
	r, err := t.rows.target(ctx, schema.PageID(s.RowKey))
	if err != nil {
		return err
	}
	if r.m.At >= ts {
		t.part.Drop("again", 1)
		return nil
	}
	r.m.RowKey, r.m.Site = s.RowKey, s.TargetSite
	t.place(r.m, s)
	r.m.At, r.dirty = ts, true
	t.show(r.m, ts, onTexts)
	return nil
}

// place puts a site into the sorted list of the best sites, or removes it if it has no links any
// more. Sites that do not fit are only counted, in More: the sender says whether this page knows
// the site (records of earlier versions do not: a first one has one page). A first record that
// comes again after a crash counts such a site once more.
func (t *task) place(row *schema.TargetRow, s *schema.SiteLinks) {
	count := int64(len(row.Others)) + row.More
	at := slices.IndexFunc(row.Others, func(e *schema.SiteEntry) bool { return e.Site == s.Site })
	if at >= 0 {
		row.Others = slices.Delete(row.Others, at, at+1)
	}
	if s.Pages <= 0 {
		count--
	} else {
		if at < 0 && !s.Known && s.Pages == 1 {
			count++
		}
		e := t.entry(s)
		i, _ := slices.BinarySearchFunc(row.Others, e, better)
		row.Others = slices.Insert(row.Others, i, e)
		row.Others = row.Others[:min(len(row.Others), t.opts.MaxSites)]
	}
	row.More = max(0, count-int64(len(row.Others)))
}

// entry is a site as a row keeps it.
func (t *task) entry(s *schema.SiteLinks) *schema.SiteEntry {
	e := &schema.SiteEntry{Site: s.Site, Pages: s.Pages, Followed: s.Followed, Example: s.Example, SitePages: s.SitePages}
	for _, x := range s.Texts {
		if text := tidy(x.Text, t.opts.MaxText); text != "" && len(e.Texts) < t.opts.MaxTexts {
			e.Texts = append(e.Texts, &schema.AnchorText{Text: text, Pages: x.Pages, Followed: x.Followed})
		}
	}
	return e
}

// better orders sites: those with followed links first, then those with more pages that link.
func better(a, b *schema.SiteEntry) int {
	follows := func(e *schema.SiteEntry) int { return int(min(1, e.Followed)) }
	return cmp.Or(follows(b)-follows(a), cmp.Compare(b.Pages, a.Pages), cmp.Compare(a.Site, b.Site))
}

// sites returns the number of sites that link, the page's own included.
func sites(row *schema.TargetRow) int64 {
	return int64(len(row.Others)) + row.More + min(1, row.Own.GetPages())
}

// bucket returns a number that rises when the number of sites passes 1, 2, 4, ..., or that of texts
// 1, 4, 16, ...
func bucket(row *schema.TargetRow) int32 {
	texts := len(row.Own.GetTexts())
	for _, e := range row.Others {
		texts += len(e.Texts)
	}
	return int32(max(bits.Len64(uint64(sites(row))), (bits.Len(uint(texts))+1)/2))
}

// occasion is the reason for which the texts shown of a page may be chosen again.
type occasion uint8

const (
	onMore  occasion = iota // the number of links changed
	onTexts                 // the texts changed
	onFetch                 // the page was fetched, or is gone
)

// StampHeader is the header of a record without a value on the topic links: InLinks.stamp.
const StampHeader = "stamp"

// show chooses the texts that are shown of a page again, and sends them if they changed: always
// when the page was fetched; otherwise when bucket has risen, or, after the texts changed, when a
// shown text is gone. A page that was not fetched shows none.
func (t *task) show(row *schema.TargetRow, ts int64, why occasion) {
	if !row.Fetched {
		row.Shown, row.Bucket = nil, 0
		return
	}
	b := bucket(row)
	if why != onFetch && b <= row.Bucket && (why == onMore || !lost(row)) {
		return
	}
	row.Bucket = b
	shown := Choose(row)
	same := slices.EqualFunc(shown, row.Shown, func(a, b *schema.ShownAnchor) bool { return a.Text == b.Text && a.Times == b.Times })
	row.Shown = shown
	if same && (why != onFetch || len(shown) == 0) {
		return
	}
	if sites(row) == 0 {
		t.out.links.Tombstone(t.part.ID(), row.RowKey, row.RowKey, streams.VersionHeader(StampHeader, ts))
		return
	}
	t.out.links.Send(InLinks(row, ts))
}

// lost reports whether no site uses one of the shown texts any more.
func lost(row *schema.TargetRow) bool {
	if len(row.Shown) == 0 {
		return false
	}
	said := map[uint32]bool{}
	for _, e := range entries(row) {
		for _, x := range e.Texts {
			said[hashText(x.Text)] = true
		}
	}
	return slices.ContainsFunc(row.Shown, func(s *schema.ShownAnchor) bool { return !said[hashText(s.Text)] })
}

// entries returns the sites that link and are listed, the page's own site last.
func entries(row *schema.TargetRow) []*schema.SiteEntry {
	if row.Own == nil {
		return row.Others
	}
	return append(row.Others[:len(row.Others):len(row.Others)], row.Own)
}

// maxListed is the most links in a record of the topic links.
const maxListed = 64

// InLinks returns a row as a record of the topic links.
func InLinks(row *schema.TargetRow, ts int64) *schema.InLinks {
	in := &schema.InLinks{RowKey: row.RowKey, Site: row.Site, Sites: sites(row), Stamp: ts}
	add := func(e *schema.SiteEntry, text string, pages, followed int64) {
		l := &schema.InLink{Site: e.Site, Example: e.Example, Anchor: text, Pages: pages, Everywhere: everywhere(e, pages)}
		if followed == 0 {
			l.Rel = 1
		}
		if len(in.Links) < maxListed {
			in.Links = append(in.Links, l)
		}
	}
	for _, e := range entries(row) {
		in.Pages += e.Pages
		for _, x := range e.Texts {
			add(e, x.Text, x.Pages, x.Followed)
		}
		if len(e.Texts) == 0 {
			add(e, "", e.Pages, e.Followed)
		}
	}
	return in
}
