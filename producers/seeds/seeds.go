// Package seeds turns URLs from arguments, a file or standard input into Add records, one for each
// host and batch of 1,000.
//
//	Writes   urls.discovered (Add)
//
// # Goals
//
// A list of any length is read with bounded memory, and does not overload the crawl.
//
// # How it works
//
// Read parses a list; Producer groups the URLs of a batch by host and appends them. Before each
// batch it calls Sender.Wait, which waits while schedule is too far behind.
//
// # Promises
//
// When Flush returns, every URL that was added is acknowledged by the broker.
//
// # On failure
//
// A line that is no URL is reported with its number and skipped; the rest goes on. A line above 64
// KiB ends the reading with an error.
//
// # Limits
//
// A host without a scheme is taken as https.
package seeds

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"millrace/schema"
)

// batch is the number of URLs that are appended together.
const batch = 1000

// maxLine bounds a line of a list, in bytes.
const maxLine = 64 << 10

// Seed is a URL with which the crawl begins.
type Seed struct {
	URL schema.URL
}

// Parse reads one URL as people write it: a host with a dot or a port, or localhost, needs no
// scheme. Any other word without a scheme is no URL.
func Parse(c *schema.Canonicalizer, raw string) (Seed, error) {
	raw = strings.TrimSpace(raw)
	if !strings.Contains(raw, "://") {
		if !isHost(raw) {
			return Seed{}, &schema.URLError{Reason: schema.ErrRelative, Input: raw[:min(len(raw), 200)]}
		}
		raw = "https://" + raw
	}
	u, err := c.Parse(raw)
	return Seed{u}, err
}

// isHost reports whether the text before the first "/" can be a host.
func isHost(raw string) bool {
	host, _, _ := strings.Cut(raw, "/")
	return host == "localhost" || strings.ContainsAny(host, ".:")
}

// Read reads a list, one URL in each line. Empty lines, lines that begin with # and the mark of
// byte order that some editors put first are skipped. bad is called for every line that is no URL.
func Read(c *schema.Canonicalizer, r io.Reader, each func(Seed) error, bad func(line int, err error)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 4096), maxLine)
	for n := 1; lines.Scan(); n++ {
		text := lines.Text()
		if n == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if text = strings.TrimSpace(text); text == "" || text[0] == '#' {
			continue
		}
		s, err := Parse(c, text)
		if err != nil {
			bad(n, err)
			continue
		}
		if err := each(s); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read the list: %w", err)
	}
	return nil
}

// Sender appends records. Wait returns when the crawl can take more.
type Sender interface {
	Send(ctx context.Context, ms ...*schema.Discovered) error
	Wait(ctx context.Context) error
}

// Producer appends seeds in batches.
type Producer struct {
	out     Sender
	pending []Seed
	Sent    int // URLs appended so far
}

// New returns a producer over a sender of urls.discovered.
func New(out Sender) *Producer { return &Producer{out: out} }

// Add takes a seed; it is appended with the next full batch, or by Flush.
func (p *Producer) Add(ctx context.Context, s Seed) error {
	p.pending = append(p.pending, s)
	if len(p.pending) < batch {
		return nil
	}
	return p.Flush(ctx)
}

// Flush appends what is pending.
func (p *Producer) Flush(ctx context.Context) error {
	if len(p.pending) == 0 {
		return nil
	}
	if err := p.out.Wait(ctx); err != nil {
		return err
	}
	if err := p.out.Send(ctx, records(p.pending, time.Now())...); err != nil {
		return err
	}
	p.Sent += len(p.pending)
	p.pending = p.pending[:0]
	return nil
}

// records groups seeds by host, in the order in which the hosts first appear.
func records(list []Seed, now time.Time) []*schema.Discovered {
	var out []*schema.Discovered
	byHost := map[schema.Host]*schema.Add{}
	for _, s := range list {
		host := s.URL.Host()
		add := byHost[host]
		if add == nil {
			add = &schema.Add{Producer: "seeds"}
			byHost[host] = add
			out = append(out, &schema.Discovered{
				Host: string(host), DiscoveredAt: now.UnixMilli(), Body: &schema.Discovered_Add{Add: add},
			})
		}
		add.Items = append(add.Items, &schema.AddItem{Url: s.URL.String(), Kind: schema.Kind_PAGE})
	}
	return out
}
