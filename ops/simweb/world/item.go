package world

import (
	"slices"
	"time"
)

// Items are numbered window << itemBits | position in the window, so that the
// number alone says when an item appeared.
const (
	itemBits       = 5
	archiveWindows = 16 // windows an archive page covers: about 16 items
	homeItems      = 10 // newest items the home page names
)

// HasItems says whether a host publishes items.
func (w *World) HasItems(h Host) bool { return w.trait(h, traitItems, w.p.Items.Share) }

// NewsItem is an article and when it appeared.
type NewsItem struct {
	Ref Ref
	At  time.Time
}

type event struct {
	id PageID
	at int64
}

// itemTime is when an item appears, never if there is no such item.
func (w *World) itemTime(h Host, id PageID) int64 {
	window, pos := int64(id.Index()>>itemBits), int(id.Index()&(1<<itemBits-1))
	if window > (never-w.epoch)/int64(w.p.Items.Every)-2 {
		return never
	}
	at := int64(never)
	w.eachEvent(forItems, h, 0, int64(w.p.Items.Every), window, func(i int, t int64) {
		if i == pos {
			at = t
		}
	})
	return at
}

// windowItems appends the items of a window that exist at t, newest first.
func (w *World) windowItems(dst []event, h Host, window, t int64) []event {
	start := len(dst)
	w.eachEvent(forItems, h, 0, int64(w.p.Items.Every), window, func(i int, at int64) {
		if at <= t {
			dst = append(dst, event{ID(Item, uint64(window)<<itemBits|uint64(i)), at})
		}
	})
	slices.SortFunc(dst[start:], func(a, b event) int { return int(max(-1, min(1, b.at-a.at))) })
	return dst
}

// newest appends the n newest items of a host at t.
func (w *World) newest(dst []event, h Host, n int, t int64) []event {
	if !w.HasItems(h) || t < w.epoch {
		return dst
	}
	for window := (t - w.epoch) / int64(w.p.Items.Every); window >= 0 && len(dst) < n; window-- {
		dst = w.windowItems(dst, h, window, t)
	}
	return dst[:min(n, len(dst))]
}

// lastArchive is the number of the newest archive page at t.
func (w *World) lastArchive(t int64) uint64 {
	return uint64(max(0, t-w.epoch) / int64(w.p.Items.Every) / archiveWindows)
}

// archived appends the items of an archive page at t.
func (w *World) archived(dst []event, h Host, page uint64, t int64) []event {
	for window := int64(page) * archiveWindows; window < int64(page+1)*archiveWindows; window++ {
		dst = w.windowItems(dst, h, window, t)
	}
	return dst
}

// Items lists the articles of a host that appeared within (from, to], oldest
// first.
func (w *World) Items(h Host, from, to time.Time) []NewsItem {
	if !w.HasItems(h) {
		return nil
	}
	var items []NewsItem
	a, b, every := max(from.UnixNano(), w.epoch-1), to.UnixNano(), int64(w.p.Items.Every)
	for window := max(0, a-w.epoch) / every; b >= w.epoch && window <= (b-w.epoch)/every; window++ {
		for _, e := range w.windowItems(nil, h, window, b) {
			if e.at > a {
				items = append(items, NewsItem{Ref{h, w.Main(h), e.id}, time.Unix(0, e.at).UTC()})
			}
		}
	}
	slices.SortFunc(items, func(a, b NewsItem) int { return a.At.Compare(b.At) })
	return items
}

func sortTimes(t []time.Time) { slices.SortFunc(t, time.Time.Compare) }
