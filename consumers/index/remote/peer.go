package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// Peer is another process with shards.
type Peer struct {
	URL  string       // of its Handler
	HTTP *http.Client // presents Identity.Client, and follows no redirect
}

// call sends a request and decodes the reply.
func (p *Peer) call(ctx context.Context, what string, request, reply any) error {
	if err := p.ask(ctx, what, request, reply); err != nil {
		return fmt.Errorf("peer %s: %w", p.URL, explain(err))
	}
	return nil
}

func (p *Peer) ask(ctx context.Context, what string, request, reply any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(p.URL, "/")+"/"+what, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := p.HTTP.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := readAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", resp.Status, bytes.TrimSpace(answer[:min(500, len(answer))]))
	}
	return json.Unmarshal(answer, reply)
}

// readAll reads a reply of at most maxReply bytes; a longer one is an error.
func readAll(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxReply+1))
	if err == nil && len(b) > maxReply {
		err = fmt.Errorf("its answer is longer than %d bytes", maxReply)
	}
	return b, err
}

// view opens a view at the peer. It returns the peer's shards, and how many partitions it knows of.
func (p *Peer) view(ctx context.Context) ([]*distant, int32, error) {
	var reply viewReply
	if err := p.call(ctx, "view", struct{}{}, &reply); err != nil {
		return nil, 0, err
	}
	if reply.Count < 0 || reply.Count > maxParts || len(reply.Parts) > maxParts {
		return nil, 0, fmt.Errorf("peer %s: it names %d of %d partitions", p.URL, len(reply.Parts), reply.Count)
	}
	users := len(reply.Parts)
	var all []*distant
	for _, part := range reply.Parts {
		if part.Partition < 0 || part.Partition >= maxParts {
			return nil, 0, fmt.Errorf("peer %s: it has a partition %d", p.URL, part.Partition)
		}
		all = append(all, &distant{peer: p, view: reply.View, part: part, users: &users})
	}
	return all, reply.Count, nil
}

// distant is a shard of a peer in an open view. It implements search.Shard.
type distant struct {
	peer  *Peer
	view  string
	part  part
	users *int // shards of the view that are not released yet
}

// Analysers implements search.Shard.
func (d *distant) Analysers() []text.Analyser { return d.part.Analysers }

// Stats implements search.Shard: the first round.
func (d *distant) Stats(ctx context.Context, words []rank.Word) (rank.Stats, error) {
	var s rank.Stats
	err := d.peer.call(ctx, "stats", statsRequest{d.place(), words}, &s)
	if err == nil && !fits(s, words) {
		err = fmt.Errorf("peer %s: these are not the statistics that were asked for", d.peer.URL)
	}
	return s, err
}

// fits reports whether statistics have the shape of the question; otherwise adding them up would
// panic.
func fits(s rank.Stats, words []rank.Word) bool {
	if len(s.DF) != len(words) {
		return false
	}
	for i, w := range words {
		if len(s.DF[i]) != len(w.Terms)+1 {
			return false
		}
	}
	return true
}

// Top implements search.Shard: the second round.
func (d *distant) Top(ctx context.Context, plan *rank.Plan) (rank.Top, error) {
	var t rank.Top
	err := d.peer.call(ctx, "top", topRequest{d.place(), plan}, &t)
	if err == nil && (t.Total < 0 || len(t.Hits) > plan.K) {
		err = fmt.Errorf("peer %s: %d hits of %d, where %d were asked for", d.peer.URL, len(t.Hits), t.Total, plan.K)
	}
	return t, err
}

// Page implements search.Shard.
func (d *distant) Page(ctx context.Context, ref rank.Ref) (rank.Page, error) {
	var p rank.Page
	err := d.peer.call(ctx, "page", pageRequest{d.place(), ref}, &p)
	return p, err
}

// Lookup implements search.Shard.
func (d *distant) Lookup(ctx context.Context, key string) (rank.Page, bool, error) {
	var reply lookupReply
	err := d.peer.call(ctx, "lookup", lookupRequest{d.place(), key}, &reply)
	if err == nil && reply.Found && reply.Page.Key != key {
		err = fmt.Errorf("peer %s: this is not the page that was asked for", d.peer.URL)
	}
	return reply.Page, reply.Found && err == nil, err
}

// Vocabulary implements search.Shard.
func (d *distant) Vocabulary(ctx context.Context, look *rank.Lookup) ([]rank.Form, error) {
	var forms []rank.Form
	err := d.peer.call(ctx, "words", wordsRequest{d.place(), look}, &forms)
	if err == nil && len(forms) > look.Limit {
		err = fmt.Errorf("peer %s: %d words, where %d were asked for", d.peer.URL, len(forms), look.Limit)
	}
	return forms, err
}

// closeWithin bounds the closing of a view, which has its own time because that of the search may
// be over.
const closeWithin = time.Second

// Release closes the view with its last shard.
func (d *distant) Release() error {
	if *d.users--; *d.users > 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	var nothing struct{}
	return d.peer.call(ctx, "close", d.place(), &nothing)
}

func (d *distant) place() place { return place{d.view, d.part.Partition} }
