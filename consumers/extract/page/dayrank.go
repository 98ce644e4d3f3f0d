package page

import "math"

// A dayColumn is the index of a feature of a day.
type dayColumn int

// The features of a day. The first ones are the bits of a dayCandidate, in their order.
const (
	dcLinked dayColumn = iota
	dcLinkedModified
	dcMetaPublished
	dcMetaModified
	dcMetaOther
	dcUrl
	dcTime
	dcTimePublished
	dcNamed
	dcText
	dcTextShort
	dcFooter
	dcInArticle
	dcComment
	dcScript
	dcCount
	dcOrder
	dcNear
	dcWords
	dcClock
	dcUpdate
	dcPosted
	dcFirst
	dcAfterFirst
	dcEarliest
	dcLatest
	dcRankBack
	dcCandidates
	dcTrust
	dcIsUrl
	dcGapUrl
	dcGapPublished
	dcHasPublished
	dcHasUrl
	dcTimes
	dcMonthFirst
	dcPosition
	dcBefore
	dcAfter
	dcKept
	dcListed
	dcForm
	dcAuthor
	dcPageWords
	dcEnd
)

// dayNames are the names of the features in the model file.
func dayNames() [dcEnd]string {
	return [dcEnd]string{
		dcLinked:         "linked",
		dcLinkedModified: "linked-modified",
		dcMetaPublished:  "meta-published",
		dcMetaModified:   "meta-modified",
		dcMetaOther:      "meta-other",
		dcUrl:            "url",
		dcTime:           "time",
		dcTimePublished:  "time-published",
		dcNamed:          "named",
		dcText:           "text",
		dcTextShort:      "text-short",
		dcFooter:         "footer",
		dcInArticle:      "in-article",
		dcComment:        "comment",
		dcScript:         "script",
		dcCount:          "count",
		dcOrder:          "order",
		dcNear:           "near",
		dcWords:          "words",
		dcClock:          "clock",
		dcUpdate:         "update",
		dcPosted:         "posted",
		dcFirst:          "first",
		dcAfterFirst:     "after-first",
		dcEarliest:       "earliest",
		dcLatest:         "latest",
		dcRankBack:       "rank-back",
		dcCandidates:     "candidates",
		dcTrust:          "trust",
		dcIsUrl:          "is-url",
		dcGapUrl:         "gap-url",
		dcGapPublished:   "gap-published",
		dcHasPublished:   "has-published",
		dcHasUrl:         "has-url",
		dcTimes:          "times",
		dcMonthFirst:     "month-first",
		dcPosition:       "position",
		dcBefore:         "before",
		dcAfter:          "after",
		dcKept:           "kept",
		dcListed:         "listed",
		dcForm:           "form",
		dcAuthor:         "author",
		dcPageWords:      "page-words",
	}
}

// DayNames returns the names of the features of a day, in order.
func DayNames() []string {
	names := dayNames()
	return names[:]
}

// rows returns the features of all candidates, one row after the other.
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
	row := make([]float32, dcEnd)
	for bit := range dayBits {
		row[bit] = float32(c.bits >> bit & 1)
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
	row[dcCount] = log1p(c.count)
	row[dcOrder] = float32(c.order)
	row[dcNear] = c.near
	row[dcWords] = log1p(c.words)
	row[dcClock] = boolean(c.clock)
	row[dcUpdate] = boolean(c.update)
	row[dcPosted] = boolean(c.posted)
	row[dcFirst] = log1p(c.first + 1)
	row[dcAfterFirst] = after
	row[dcEarliest] = boolean(earlier == 0)
	row[dcLatest] = boolean(later == 0)
	row[dcRankBack] = float32(later)
	row[dcCandidates] = float32(len(d.list))
	row[dcTrust] = float32(c.trust)
	row[dcIsUrl] = boolean(i == url)
	row[dcGapUrl] = d.gap(i, url)
	row[dcGapPublished] = d.gap(i, published)
	row[dcHasPublished] = boolean(published >= 0)
	row[dcHasUrl] = boolean(url >= 0)
	row[dcTimes] = float32(d.seen)
	row[dcMonthFirst] = float32(d.c.order)
	row[dcPosition] = position
	row[dcBefore] = log1p(c.before)
	row[dcAfter] = log1p(c.after)
	row[dcKept] = boolean(c.kept)
	row[dcListed] = boolean(c.listed)
	row[dcForm] = d.form
	row[dcAuthor] = boolean(d.author)
	row[dcPageWords] = log1p(d.words)
	return row
}

// gap returns the distance in days between two candidates, on a logarithmic scale, with its sign.
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
