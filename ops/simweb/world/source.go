package world

import "millrace/ops/simweb/draw"

// TextID names a title with its text: two pages have the same one if and only
// if title and article are the same, byte for byte.
type TextID uint64

// Source is the page whose title, text and links another page shows.
type Source struct {
	Host Host
	Page PageID
	// Share is the part of the paragraphs taken from Of; 1 but for near-duplicates.
	Share float64
	Of    PageID // of the same host as Source.Host
}

// nearShares are the similarities near-duplicates are made at.
var nearShares = [...]float64{0.97, 0.9, 0.8, 0.5}

// source finds whose text a tree page shows.
func (w *World) source(h Host, id PageID, role Role) Source {
	self := Source{Host: h, Page: id, Share: 1, Of: id}
	x := w.hash(forCopy, uint64(h), uint64(id))
	switch role {
	case Copy:
		return w.copySource(h, id, x)
	case CanonicalCopy:
		self.Page = ID(Tree, draw.Mix(x)%w.inner(w.Pages(h)))
		self.Of = self.Page
	case Near:
		self.Of = ID(Tree, draw.Mix(x)%w.inner(w.Pages(h)))
		self.Share = nearShares[x>>40%uint64(len(nearShares))]
	}
	return self
}

// copySource is half the time the leaf before, which may die (so a twin has to
// take over), else an inner page of any host of the site.
func (w *World) copySource(h Host, id PageID, x uint64) Source {
	before := id.Index() - 1
	if x&1 == 0 && before >= w.inner(w.Pages(h)) && w.role(h, before) == Plain {
		p := ID(Tree, before)
		return Source{Host: h, Page: p, Share: 1, Of: p}
	}
	first := w.Site(h) * uint32(w.p.HostsPerSite)
	count := min(uint64(w.p.HostsPerSite), uint64(uint32(w.p.Hosts)-first))
	from := Host(uint64(first) + x>>8%count)
	if w.Lang(from) != w.Lang(h) {
		from = h
	}
	p := ID(Tree, draw.Mix(x)%w.inner(w.Pages(from)))
	return Source{Host: from, Page: p, Share: 1, Of: p}
}

// textSeed is the draw all paragraphs of a page come from.
func (w *World) textSeed(h Host, id PageID) uint64 {
	return w.hash(forText, uint64(h), uint64(id))
}

// textID of a source at a version.
func (w *World) textID(s Source, version int64) TextID {
	return TextID(draw.Hash(w.textSeed(s.Host, s.Page), uint64(version), uint64(s.Of)))
}

// softText is the text of every soft 404 of a site.
func (w *World) softText(h Host) TextID {
	return TextID(w.hash(forText, 1<<40, uint64(w.Site(h))))
}

// canonical returns the page a page names as canonical.
func (w *World) canonical(r Ref, role Role, s Source) (Ref, bool) {
	main := w.Main(r.Host)
	switch role {
	case CanonicalCopy:
		return Ref{s.Host, main, s.Page}, true
	case Alias:
		n := w.Pages(r.Host)
		i := w.hash(forCanonical, uint64(r.Host), uint64(r.Page)) % n
		return Ref{r.Host, main, ID(Tree, i)}, i != r.Page.Index()
	}
	self := w.trait(r.Host, traitSelfCanonical, 0.5)
	return Ref{r.Host, main, r.Page}, self
}
