package shard

import (
	"strconv"
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"millrace/consumers/index/query"
	"millrace/consumers/index/rank"
	"millrace/consumers/index/segment"
)

// columns keep in memory what is needed of every page that matches: 21 bytes a page. They are
// computed from the segment, which never changes, when it is first searched.
type columns struct {
	site, lang, kind column
	day              []int32
	links            []uint8 // tens of percent
	near             []uint64
}

// column has for each page the number of its value; 0 = none.
type column struct {
	of     []uint16
	values []string // values[0] = ""
}

// maxValues is the number of different values of a column; pages with further values have none.
const maxValues = 1<<16 - 1

func (c *column) value(doc uint64) string { return c.values[c.of[doc]] }

// number returns the number of a value, 0 if no page has it.
func (c *column) number(value string) uint16 {
	for i, v := range c.values {
		if v == value {
			return uint16(i)
		}
	}
	return 0
}

// kept has the columns of the segments of a shard, by the segment's id, and the memory of searches
// that ended.
type kept struct {
	spare sync.Pool // of *best

	mu  sync.Mutex
	all map[uint64]*columns
}

// columns returns the columns of a segment.
func (s *Snapshot) columns(v *segmentView) *columns {
	if v.cols != nil {
		return v.cols
	}
	k := &s.of.columns
	k.mu.Lock()
	defer k.mu.Unlock()
	id := v.snap.Id()
	if v.cols = k.all[id]; v.cols != nil {
		return v.cols
	}
	v.cols = v.makeColumns()
	k.add(id, v.cols, s.segments)
	return v.cols
}

// add keeps columns, and removes those of segments that were merged away.
func (k *kept) add(id uint64, c *columns, now []*segmentView) {
	if k.all == nil {
		k.all = map[uint64]*columns{}
	}
	if len(k.all) > 2*len(now) {
		live := map[uint64]*columns{}
		for _, v := range now {
			if c := k.all[v.snap.Id()]; c != nil {
				live[v.snap.Id()] = c
			}
		}
		k.all = live
	}
	k.all[id] = c
}

func (v *segmentView) makeColumns() *columns {
	n := v.seg.Docs()
	c := &columns{day: make([]int32, n), links: make([]uint8, n), near: make([]uint64, n)}
	v.values(segment.Site, &c.site)
	v.values(segment.Lang, &c.lang)
	v.values(segment.Type, &c.kind)
	v.each(segment.Day, func(term string, pages []uint32) {
		if t, err := time.Parse(time.DateOnly, term); err == nil { // years and months are shorter terms
			set(c.day, pages, int32(query.DayOf(t)))
		}
	})
	v.each(segment.Links, func(term string, pages []uint32) {
		if n, err := strconv.Atoi(term); err == nil {
			set(c.links, pages, uint8(n/10))
		}
	})
	v.each(segment.Near, func(term string, pages []uint32) {
		if n, err := strconv.ParseUint(term, 16, 64); err == nil {
			set(c.near, pages, n)
		}
	})
	return c
}

// values fills a column.
func (v *segmentView) values(field segment.Field, into *column) {
	into.of, into.values = make([]uint16, v.seg.Docs()), []string{""}
	v.each(field, func(term string, pages []uint32) {
		if len(into.values) < maxValues {
			number := uint16(len(into.values))
			into.values = append(into.values, term)
			set(into.of, pages, number)
		}
	})
}

// each calls fn with every term of a field and its pages, deleted ones too.
func (v *segmentView) each(field segment.Field, fn func(term string, pages []uint32)) {
	var pages []uint32
	for terms := v.seg.Dictionary(field).All(); terms.Next(); {
		l := terms.List()
		pages = l.Docs(pages[:0])
		fn(string(terms.Term()), pages)
	}
}

func set[T any](of []T, pages []uint32, value T) {
	for _, doc := range pages {
		if int(doc) < len(of) {
			of[doc] = value
		}
	}
}

// facets counts the pages by their values.
func (c *columns) facets(pages *roaring.Bitmap, into *rank.Facets) {
	site, lang, kind := make([]int64, len(c.site.values)), make([]int64, len(c.lang.values)), make([]int64, len(c.kind.values))
	days := map[int32]int64{}
	for it := pages.Iterator(); it.HasNext(); {
		doc := it.Next()
		site[c.site.of[doc]]++
		lang[c.lang.of[doc]]++
		kind[c.kind.of[doc]]++
		days[c.day[doc]]++
	}
	count(&c.site, site, into.Site)
	count(&c.lang, lang, into.Lang)
	count(&c.kind, kind, into.Type)
	for day, n := range days {
		into.Year[strconv.Itoa(query.Day(day).Time().Year())] += n
	}
}

func count(c *column, n []int64, into map[string]int64) {
	for i, n := range n {
		if n > 0 {
			into[c.values[i]] += n
		}
	}
}
