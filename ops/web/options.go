package web

import (
	"errors"
	"fmt"
	"net"
	"time"
)

// Options of a Server.
type Options struct {
	Listen       string   // host:port; port 0 picks a free one
	Names        []string // by which people reach it, besides IP addresses, localhost, Listen and the machine's name
	PublicSearch bool     // search needs no token, on any address

	MaxBodyBytes  int64
	MaxQueryBytes int // of a search query
	MaxSize       int // hits on one page
	MaxFrom       int // offset of a page
	PageDepth     int // offset up to which the search page offers results
	MaxSearches   int // at once; further ones get 503
	MaxReaders    int // of topics, at once; and as many of dead letters
	MaxFollowers  int // of topics, at once
	MaxConns      int // connections at once; further ones wait until one ends

	HeaderTimeout time.Duration // for a request's header
	ReadTimeout   time.Duration // for a whole request
	WriteTimeout  time.Duration // for an answer, or a part of one that streams
	IdleTimeout   time.Duration // of a connection
	Grace         time.Duration // for answers under way when the server stops
}

// DefaultOptions returns the defaults.
func DefaultOptions() Options {
	return Options{
		Listen:       "127.0.0.1:8080",
		MaxBodyBytes: 1 << 20, MaxQueryBytes: 1 << 10, MaxSize: 100, MaxFrom: 1000, PageDepth: 1000,
		MaxSearches: 64, MaxReaders: 4, MaxFollowers: 16, MaxConns: 1024,
		HeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: 60 * time.Second,
		IdleTimeout: 2 * time.Minute, Grace: 3 * time.Second,
	}
}

// Validate returns an error for options that cannot work.
func (o Options) Validate() error {
	if _, _, err := net.SplitHostPort(o.Listen); err != nil {
		return fmt.Errorf("web: listen: %w", err)
	}
	for _, n := range []int{int(o.MaxBodyBytes), o.MaxQueryBytes, o.MaxSize, o.MaxFrom, o.PageDepth, o.MaxSearches, o.MaxReaders, o.MaxFollowers, o.MaxConns} {
		if n < 1 {
			return errors.New("web: every bound must be positive")
		}
	}
	for _, d := range []time.Duration{o.HeaderTimeout, o.ReadTimeout, o.WriteTimeout, o.IdleTimeout, o.Grace} {
		if d <= 0 {
			return errors.New("web: every timeout must be positive")
		}
	}
	return nil
}
