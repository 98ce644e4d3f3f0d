package shard

import (
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"millrace/consumers/index/query"
	"millrace/consumers/index/rank"
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

// kept has the columns of the segments of a shard, by the segment's id.
type kept struct {
	mu  sync.Mutex
	all map[uint64]*columns
}

// columns returns the columns of a segment.
func (s *Snapshot) columns(v *segmentView) (*columns, error) {
	if v.cols != nil {
		return v.cols, nil
	}
	k := &s.of.columns
	k.mu.Lock()
	defer k.mu.Unlock()
	id := v.snap.Id()
	if v.cols = k.all[id]; v.cols != nil {
		return v.cols, nil
	}
	made, err := v.makeColumns()
	if err != nil {
		return nil, err
	}
	k.add(id, made, s.segments)
	v.cols = made
	return made, nil
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

func (v *segmentView) makeColumns() (*columns, error) {
	n := v.snap.Segment().Count()
	c := &columns{day: make([]int32, n), links: make([]uint8, n), near: make([]uint64, n)}
	for _, col := range []struct {
		field string
		into  *column
	}{{fieldSite, &c.site}, {fieldLang, &c.lang}, {fieldType, &c.kind}} {
		col.into.of, col.into.values = make([]uint16, n), []string{""}
		err := v.each(col.field, func(term string, pages *roaring.Bitmap) {
			if len(col.into.values) < maxValues {
				number := uint16(len(col.into.values))
				col.into.values = append(col.into.values, strings.Clone(term))
				set(col.into.of, pages, number)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	err := v.each(fieldDay, func(term string, pages *roaring.Bitmap) {
		if t, err := time.Parse(time.DateOnly, term); err == nil { // years and months are shorter terms
			set(c.day, pages, int32(query.DayOf(t)))
		}
	})
	if err != nil {
		return nil, err
	}
	if err := v.each(fieldLinks, func(term string, pages *roaring.Bitmap) {
		if n, err := strconv.Atoi(term); err == nil {
			set(c.links, pages, uint8(n/10))
		}
	}); err != nil {
		return nil, err
	}
	return c, v.each(fieldNear, func(term string, pages *roaring.Bitmap) {
		if n, err := strconv.ParseUint(term, 16, 64); err == nil {
			set(c.near, pages, n)
		}
	})
}

// each calls fn with every term of a field and its pages, deleted ones too.
func (v *segmentView) each(field string, fn func(term string, pages *roaring.Bitmap)) error {
	dict, err := v.dict(field)
	if err != nil {
		return err
	}
	for terms := dict.AutomatonIterator(nil, nil, nil); ; {
		entry, err := terms.Next()
		if err != nil || entry == nil {
			return err
		}
		postings, err := dict.PostingsList([]byte(entry.Term), nil, nil)
		if err != nil {
			return err
		}
		fn(entry.Term, livePages(postings))
	}
}

func set[T any](of []T, pages *roaring.Bitmap, value T) {
	for it := pages.Iterator(); it.HasNext(); {
		if doc := it.Next(); int(doc) < len(of) {
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
