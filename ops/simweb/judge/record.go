package judge

import (
	"net/netip"
	"slices"
	"sync"
	"time"

	"millrace/ops/simweb/world"
)

// Event is one request.
type Event struct {
	Start    int64 // ns since 1970, of the machine's clock
	At       int64 // ns since 1970, of the web's clock
	Page     world.PageID
	Bytes    uint32 // of the body as it was meant to be sent
	Micros   uint32 // from start to the answer's end, of the machine's clock
	Host     world.Host
	Form     world.Form
	Status   uint16 // 0: none sent
	IP       uint16 // number of the local address
	Flags    Flag
	Override bool
}

// Flag marks a request.
type Flag uint8

// The flags.
const (
	NoHost      Flag = 1 << iota // the web has no such host
	Head                         // HEAD
	Conditional                  // carried a validator
	Odd                          // its URL is kept as a string
	AgentRight                   // the User-Agent names the expected product
)

const (
	shards = 64
	chunk  = 4096
	// MaxOddURLs bounds the URLs kept as strings.
	MaxOddURLs = 100_000
)

// Record collects requests. It is safe for many goroutines.
type Record struct {
	shard [shards]shard

	mu   sync.Mutex
	ips  []netip.Addr
	odd  map[oddKey]string
	lost int
}

type shard struct {
	mu     sync.Mutex
	chunks [][]Event
	_      [40]byte // a cache line each
}

type oddKey struct {
	host world.Host
	form world.Form
	page world.PageID
}

// NewRecord returns an empty record.
func NewRecord() *Record { return &Record{odd: map[oddKey]string{}} }

// Add records a request; url is kept if the event is Odd.
func (r *Record) Add(e Event, url string) {
	if e.Flags&Odd != 0 {
		r.keep(oddKey{e.Host, e.Form, e.Page}, url)
	}
	s := &r.shard[e.Host%shards]
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.chunks); n == 0 || len(s.chunks[n-1]) == chunk {
		s.chunks = append(s.chunks, make([]Event, 0, chunkSize(n)))
	}
	last := &s.chunks[len(s.chunks)-1]
	*last = append(*last, e)
}

// chunkSize lets a shard start small.
func chunkSize(n int) int {
	if n == 0 {
		return 64
	}
	return chunk
}

func (r *Record) keep(k oddKey, url string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.odd[k]; known {
		return
	}
	if len(r.odd) >= MaxOddURLs {
		r.lost++
		return
	}
	r.odd[k] = url
}

// Address numbers a local address.
func (r *Record) Address(ip netip.Addr) uint16 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.ips, ip); i >= 0 {
		return uint16(i)
	}
	r.ips = append(r.ips, ip)
	return uint16(len(r.ips) - 1)
}

// Events returns all requests by their start.
func (r *Record) Events() []Event {
	var all []Event
	for i := range r.shard {
		s := &r.shard[i]
		s.mu.Lock()
		for _, c := range s.chunks {
			all = append(all, c...)
		}
		s.mu.Unlock()
	}
	slices.SortStableFunc(all, func(a, b Event) int { return int(max(-1, min(1, a.Start-b.Start))) })
	return all
}

// Reset forgets all requests.
func (r *Record) Reset() {
	for i := range r.shard {
		s := &r.shard[i]
		s.mu.Lock()
		s.chunks = nil
		s.mu.Unlock()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.odd, r.lost = map[oddKey]string{}, 0
}

// End is when the answer was sent, on the machine's clock.
func (e Event) End() int64 {
	return e.Start + int64(time.Duration(e.Micros)*time.Microsecond)
}

// ref is the address of the page.
func (e Event) ref() world.Ref { return world.Ref{Host: e.Host, Form: e.Form, Page: e.Page} }
