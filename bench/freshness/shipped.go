package main

import (
	"encoding/binary"
	"fmt"
	"time"

	"millrace/consumers/schedule/policy"
	"millrace/schema"
)

// shipped is the rule of the group schedule: package policy on the rows of the URLs and
// of their host, answer by answer.
type shipped struct {
	opts policy.Options
	h    *host
	q    *queue
	host *schema.HostRow
	rows []*schema.UrlRow
}

const epoch = int64(1_700_000_000_000)

func millis(day float64) int64 { return epoch + int64(day*float64(24*time.Hour/time.Millisecond)) }
func inDays(ms int64) float64 {
	return float64(ms-epoch) / float64(24*time.Hour/time.Millisecond)
}

func (s *shipped) name() string { return "millrace" }

func (s *shipped) begin(h *host) {
	s.opts = policy.DefaultOptions()
	s.opts.Interval = time.Duration(float64(len(h.pages)) / h.budget * float64(24*time.Hour))
	s.opts.WeighByScore = h.model.Pareto
	s.opts.RecrawlShare, s.opts.Delay, s.opts.MinInterval = 1, 0, 10*time.Minute
	s.h, s.q = h, newQueue(len(h.pages))
	s.host, s.rows = &schema.HostRow{}, make([]*schema.UrlRow, len(h.pages))
	for _, p := range h.pages {
		s.renewed(p, 0)
	}
}

func (s *shipped) key(p *page) schema.RowKey {
	return schema.RowKey(fmt.Sprintf("com.example:http/kind-%c/p%d-%d", 'a'+rune(p.sort), p.index, p.born))
}

// due is when the next page is due: the group asks for it then, as far as its host's
// delay allows.
func (s *shipped) due() float64 {
	_, due := s.q.first()
	return due
}

func (s *shipped) next(now float64) *page {
	if i, due := s.q.first(); due <= now {
		return s.h.pages[i]
	}
	return nil
}

// change applies something to a page's row and counts its plan anew, as the ledger of
// the group does.
func (s *shipped) change(p *page, apply func(row *schema.UrlRow)) {
	row := s.rows[p.index]
	before := policy.Load(row)
	apply(row)
	policy.MoveLoad(s.host, before, policy.Load(row))
	s.q.set(p.index, inDays(row.NextDue))
}

// looked gives the row an answer: half of the pages say 304 when they have not
// changed, of the others extract finds the same text.
func (s *shipped) looked(p *page, now, since float64, changed bool) {
	at, key := millis(now), s.key(p)
	s.change(p, func(row *schema.UrlRow) {
		m := &schema.Outcome{Rev: row.Rev + 1, Result: schema.Outcome_OK, HttpStatus: 200, Etag: "x", FetchedAt: at}
		if !changed && row.Etag != "" && p.index%2 == 0 {
			m.Result, m.HttpStatus = schema.Outcome_UNCHANGED, 304
		}
		s.opts.Outcome(row, s.host, m, key, at)
		if m.Result == schema.Outcome_OK {
			text := binary.BigEndian.AppendUint64(nil, p.text)
			s.opts.Digest(row, s.host, &schema.Digest{Rev: m.Rev, TextHash: text, Useful: true}, key, at)
		}
	})
}

func (s *shipped) renewed(p *page, now float64) {
	if row := s.rows[p.index]; row != nil {
		policy.MoveLoad(s.host, policy.Load(row), 0)
	}
	s.rows[p.index] = &schema.UrlRow{Status: schema.UrlRow_QUEUED, Kind: schema.Kind_PAGE, Score: p.weight}
	s.looked(p, now, 0, true)
}

func (s *shipped) told(p *page, now float64) {
	at := millis(now)
	s.change(p, func(row *schema.UrlRow) {
		s.opts.Mention(row, s.host, policy.Mention{Origin: policy.OwnSite, Lastmod: at, Class: policy.ClassRecrawl + 1}, at)
	})
}
