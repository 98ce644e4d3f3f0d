package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// Dial connects to an address that is already resolved.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Options are the settings of a Client.
type Options struct {
	UserAgent    string   // "millrace/1.0 (+https://operator/contact)"
	AllowPrivate bool     // switch the guard against private addresses and odd ports off
	Ports        []uint16 // ports that may be dialled
	Dial         Dial     // connects to what Resolve names; nil: the network does
	Resolve      []string // PATTERN=HOST:PORT: hosts that are dialled elsewhere; PATTERN is a host, *.suffix or *

	MaxHeaderBytes int64 // of an answer's header
	MaxBodyBytes   int64 // of a body as received
	MaxFileBytes   int64 // of a PDF or Office file as received; 0: they are too big, all of them
	FileMemory     int64 // bytes of such files in memory at once; a further one waits, then is given back
	LargeBodies    int   // bodies above 256 KiB in memory at once; a further one is read on when another was released

	Deadline       time.Duration // of a whole request, dialling included
	ConnectTimeout time.Duration // of all attempts to connect to a host's addresses
	TLSTimeout     time.Duration
	HeaderTimeout  time.Duration // from request written to header read
	MinRate        int64         // bytes per RateWindow of body; slower is cut off
	RateWindow     time.Duration

	DNSTimeout     time.Duration
	DNSKeep        time.Duration // how long an answer is used that does not say how long it holds
	DNSKeepLeast   time.Duration // the least and the most that an answer may say
	DNSKeepMost    time.Duration
	DNSKeepMissing time.Duration // how long "no such host" is believed
	DNSEntries     int           // bound of the cache

	IdleConns   int // kept connections, over all hosts
	IdleTimeout time.Duration
}

// DefaultOptions returns the values a public crawl starts with; UserAgent must be set.
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
		TLSTimeout:     10 * time.Second, // net/http's default is none, and hangs
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
