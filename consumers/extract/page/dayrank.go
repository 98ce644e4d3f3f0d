package page

import (
	"math"
	"strings"
)

// dayNames are the columns of a day's row.
const dayNames = `linked linked-modified meta-published meta-modified meta-other url time time-published named text text-short footer in-article comment script
count order near words clock update posted first after-first earliest latest rank-back candidates trust is-url gap-url gap-published
has-published has-url times month-first position`

// DayNames lists what the columns of a candidate's row are.
func DayNames() []string { return strings.Fields(dayNames) }

// rows returns a row for every candidate, one after the other.
func (d *days) rows(pl int, blocks int) []float32 {
	var out []float32
	url, published := -1, -1
	for i := range d.list {
		if d.list[i].bits&dayURL != 0 && url < 0 {
			url = i
		}
		if d.list[i].bits&(dayLinked|dayMetaPublished) != 0 && published < 0 {
			published = i
		}
	}
	for i := range d.list {
		out = append(out, d.row(i, url, published, pl, blocks)...)
	}
	return out
}

func (d *days) row(i, url, published, firstBlock, blocks int) []float32 {
	c := &d.list[i]
	row := make([]float32, 0, 48)
	for bit := range dayBits {
		row = append(row, float32(c.bits>>bit&1))
	}
	earlier, later := 0, 0
	for k := range d.list {
		switch o := &d.list[k]; {
		case o.day.Before(c.day):
			earlier++
		case o.day.After(c.day):
			later++
		}
	}
	after, position := float32(-20), float32(-1)
	if c.first >= 0 {
		after = float32(c.first - firstBlock)
		position = float32(c.first) / float32(blocks)
	}
	return append(row, log1p(c.count), float32(c.order), c.near, log1p(c.words), boolean(c.clock), boolean(c.update), boolean(c.posted),
		log1p(c.first+1), after, boolean(earlier == 0), boolean(later == 0), float32(later), float32(len(d.list)), float32(c.trust),
		boolean(i == url), d.gap(i, url), d.gap(i, published), boolean(published >= 0), boolean(url >= 0), float32(d.seen), float32(d.c.order), position)
}

// gap is the distance in days between two candidates on a logarithmic scale, with its sign.
func (d *days) gap(i, j int) float32 {
	if j < 0 {
		return -20
	}
	days := d.list[i].day.Sub(d.list[j].day).Hours() / 24
	if days < 0 {
		return -log1p(int(-days))
	}
	return log1p(int(days))
}

func log1p(n int) float32 { return float32(math.Log1p(float64(max(n, 0)))) }

func boolean(b bool) float32 {
	if b {
		return 1
	}
	return 0
}
