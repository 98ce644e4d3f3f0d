package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// Dial connects to an address that was resolved already.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Options are the settings of a Client.
type Options struct {
	UserAgent    string   // "millrace/1.0 (+https://operator/contact)"
	AllowPrivate bool     // switch off the check for private addresses and ports
	Ports        []uint16 // ports that may be dialled
	Dial         Dial     // connects to mapped hosts; nil: by the network
	Resolve      []string // PATTERN=HOST:PORT: mapped hosts; PATTERN is a host, *.suffix or *

	MaxHeaderBytes int64 // of an answer's header
	MaxBodyBytes   int64 // of a body as received
	MaxFileBytes   int64 // of a PDF or Office file as received; 0: none is read
	FileMemory     int64 // bytes of such files in memory at once; a further file waits fileWait, then ends with KindLater
	LargeBodies    int   // bodies above 256 KiB in memory at once; a further one waits for one to be released

	Deadline       time.Duration // of a whole request, dialling included
	ConnectTimeout time.Duration // of all tries to connect to a host's addresses together
	TLSTimeout     time.Duration
	HeaderTimeout  time.Duration // from request written to header read
	MinRate        int64         // least bytes of body per RateWindow; a slower request is cancelled
	RateWindow     time.Duration

	DNSTimeout     time.Duration
	DNSKeep        time.Duration // how long an answer without a TTL is kept
	DNSKeepLeast   time.Duration // lower and upper limit of an answer's TTL
	DNSKeepMost    time.Duration
	DNSKeepMissing time.Duration // how long "no such host" is kept
	DNSEntries     int           // most entries of the cache

	IdleConns   int // kept connections, over all hosts
	IdleTimeout time.Duration
}

// DefaultOptions returns the defaults of a public crawl; UserAgent must be set.
func DefaultOptions() Options {
	return Options{
		Ports:          []uint16{80, 443},
		MaxHeaderBytes: 64 << 10,
		MaxBodyBytes:   8 << 20,  // with headers below topics.MaxRecordBytes
		MaxFileBytes:   32 << 20, // with headers below topics.MaxFileBytes
		FileMemory:     128 << 20,
		LargeBodies:    32,
		Deadline:       60 * time.Second,
		ConnectTimeout: 10 * time.Second,
		TLSTimeout:     10 * time.Second, // net/http has no limit by default
		HeaderTimeout:  30 * time.Second,
		MinRate:        2 << 10,
		RateWindow:     10 * time.Second,
		DNSTimeout:     10 * time.Second,
		DNSKeep:        5 * time.Minute,
		DNSKeepLeast:   30 * time.Second,
		DNSKeepMost:    time.Hour,
		DNSKeepMissing: 30 * time.Second,
		DNSEntries:     100_000, // about 20 MB
		IdleConns:      1024,
		IdleTimeout:    30 * time.Second,
	}
}

// Validate reports the first setting that makes no sense.
func (o Options) Validate() error {
	if o.UserAgent == "" {
		return errors.New("web: a User-Agent is required")
	}
	for name, n := range map[string]int64{
		"MaxHeaderBytes": o.MaxHeaderBytes, "MaxBodyBytes": o.MaxBodyBytes, "LargeBodies": int64(o.LargeBodies), "Deadline": int64(o.Deadline),
		"ConnectTimeout": int64(o.ConnectTimeout), "TLSTimeout": int64(o.TLSTimeout), "HeaderTimeout": int64(o.HeaderTimeout),
		"MinRate": o.MinRate, "RateWindow": int64(o.RateWindow), "DNSTimeout": int64(o.DNSTimeout),
		"DNSEntries": int64(o.DNSEntries), "DNSKeepLeast": int64(o.DNSKeepLeast), "DNSKeepMost": int64(o.DNSKeepMost), "IdleConns": int64(o.IdleConns), "IdleTimeout": int64(o.IdleTimeout),
	} {
		if n <= 0 {
			return fmt.Errorf("web: %s must be positive", name)
		}
	}
	if o.MaxFileBytes < 0 || o.FileMemory < o.MaxFileBytes {
		return errors.New("web: MaxFileBytes must not be negative, and FileMemory must hold one file")
	}
	_, err := parseMapping(o.Resolve)
	return err
}
