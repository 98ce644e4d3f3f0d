package fetch

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"

	"millrace/consumers/fetch/web"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/topics"
)

// instantWeb is a web that answers at once.
type instantWeb struct{ body []byte }

func (i instantWeb) Do(_ context.Context, r web.Request) *web.Result {
	if err := r.MayWrite(); err != nil {
		return &web.Result{Err: &web.Error{Kind: web.KindRefused, Err: err}}
	}
	return &web.Result{Status: 200, Header: http.Header{}, Body: i.body, Written: true, Started: time.Now()}
}

func (instantWeb) Lookup(context.Context, string) ([]netip.Addr, error) { return nil, nil }
func (instantWeb) Mapped(string) bool                                   { return true }
func (instantWeb) Close()                                               {}

// sink is a broker that acknowledges at once and forgets.
type sink struct{ done sync.WaitGroup }

func (s *sink) Stage(streams.Send)                       {}
func (s *sink) SendNow(_ streams.Send, done func(error)) { done(nil) }
func (s *sink) Drop(string, int)                         {}
func (s *sink) Done(int64)                               { s.done.Done() }
func (s *sink) Fresh() bool                              { return true }
func (s *sink) Era() int64                               { return 1 }
func (s *sink) Behind() bool                             { return false }
func (s *sink) Eased() bool                              { return false }
func (s *sink) Full() bool                               { return false }
func (s *sink) BehindOn(string) bool                     { return false }
func (s *sink) Log() *streams.Log                        { return nil }

// BenchmarkRecord is the cost of the group's own work on a record, without sockets and broker: from
// Scheduled to Page and Outcome, 20 KB pages of 1,000 hosts.
func BenchmarkRecord(b *testing.B) {
	o := DefaultOptions()
	o.Contact, o.Delay = "https://example.test/", 0
	f, err := start(o, Deps{Store: &rows{cells: map[string]state.Mutation{}}}, instantWeb{make([]byte, 20<<10)})
	if err != nil {
		b.Fatal(err)
	}
	link := &sink{}
	t := f.Task(streams.NewPartition(0, 4, link))
	var records []*streams.Record[*schema.Scheduled]
	for i := range 10_000 {
		u, err := new(schema.Canonicalizer).Parse(fmt.Sprintf("https://h%d.example/page/%d", i%1000, i))
		if err != nil {
			b.Fatal(err)
		}
		records = append(records, &streams.Record[*schema.Scheduled]{Topic: topics.Scheduled().Name, Value: &schema.Scheduled{
			RowKey: string(u.RowKey()), Url: u.String(), Site: string(u.Site()), PoliteKey: string(u.Host()), FirstContact: true,
		}})
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		r := records[i%len(records)]
		r.Offset, r.Value.Rev = int64(i), int64(i)
		link.done.Add(1)
		if err := t.Handle(b.Context(), r); err != nil {
			b.Fatal(err)
		}
		if i++; i%1000 == 0 {
			link.done.Wait()
		}
	}
	link.done.Wait()
	b.StopTimer()
	t.Revoke(b.Context(), false)
	f.Close()
}
