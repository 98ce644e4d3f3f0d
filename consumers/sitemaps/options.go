package sitemaps

import "fmt"

// Options limit what one sitemap can cost.
type Options struct {
	MaxBytes      int // uncompressed; sitemaps.org: 50 MB
	MaxURLs       int // sitemaps.org: 50,000
	MaxAlternates int // hreflang links in addition
	MaxElements   int // 50,000 URLs with twenty alternates each are a million
	MaxDepth      int // of elements
}

// DefaultOptions are the limits of sitemaps.org.
func DefaultOptions() Options {
	return Options{MaxBytes: 50 << 20, MaxURLs: 50_000, MaxAlternates: 50_000, MaxElements: 2_000_000, MaxDepth: 64}
}

// Validate reports options with which every sitemap would be refused.
func (o Options) Validate() error {
	if o.MaxBytes < 1 || o.MaxURLs < 1 || o.MaxAlternates < 0 || o.MaxElements < 3 || o.MaxDepth < 3 {
		return fmt.Errorf("sitemaps: options out of range: %+v", o)
	}
	return nil
}
