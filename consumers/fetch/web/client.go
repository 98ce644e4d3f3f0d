package web

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/sync/semaphore"
)

// Client sends HTTP requests. It is safe for concurrent use.
type Client struct {
	o         Options
	transport *http.Transport
	dialer    *dialer
	large     chan struct{} // one place for each body above largeBody
	files     *semaphore.Weighted
}

// New returns a client that uses the system's DNS servers.
func New(o Options) (*Client, error) {
	return newClient(o, newSystem())
}

func newClient(o Options, ask resolver) (*Client, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	d, err := newDialer(o, ask)
	if err != nil {
		return nil, err
	}
	return &Client{o: o, dialer: d, large: make(chan struct{}, o.LargeBodies), files: semaphore.NewWeighted(o.FileMemory), transport: &http.Transport{
		Proxy:                  nil, // with a proxy the address of the host could not be checked
		DialContext:            d.dial,
		TLSHandshakeTimeout:    o.TLSTimeout,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		ResponseHeaderTimeout:  o.HeaderTimeout,
		MaxResponseHeaderBytes: o.MaxHeaderBytes,
		MaxIdleConns:           o.IdleConns,
		MaxIdleConnsPerHost:    1, // a politeness key has one request in flight
		IdleConnTimeout:        o.IdleTimeout,
		DisableCompression:     true, // bodies are carried as received
		ForceAttemptHTTP2:      true, // a custom DialContext switches it off
		WriteBufferSize:        8 << 10,
		ReadBufferSize:         16 << 10,
	}}, nil
}

// Guarded returns an HTTP client with the same address checks and mapping, for requests that are
// not part of a crawl (WebSub hubs). It follows at most three redirects, only those that keep the
// method.
func (c *Client) Guarded() *http.Client {
	return &http.Client{Transport: c.transport, Timeout: 30 * time.Second, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) > 3 || r.Method != via[0].Method {
			return http.ErrUseLastResponse
		}
		return nil
	}}
}

// Close closes the kept connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Lookup returns the addresses of a host, from the cache that dialling uses.
func (c *Client) Lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if to := c.dialer.mapping.find(host); to != "" {
		host, _, _ = net.SplitHostPort(to)
	}
	return c.dialer.names.lookup(ctx, host)
}

// Mapped reports whether the operator mapped a host (Options.Resolve): then its address says
// nothing about which hosts share it.
func (c *Client) Mapped(host string) bool { return c.dialer.mapping.find(host) != "" }

// Do makes one request. It returns when the answer is read, cut or given up.
func (c *Client) Do(ctx context.Context, r Request) *Result {
	began := time.Now()
	res := &Result{Length: -1, files: c.files}
	defer func() { res.Elapsed = time.Since(began) }()

	u, err := url.Parse(r.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		res.Err = &Error{KindURL, errors.New("not an absolute http or https URL")}
		return res
	}
	ctx, stop := context.WithTimeout(ctx, c.o.Deadline)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if r.Addr.IsValid() || r.Connect > 0 {
		ctx = context.WithValue(ctx, bound{}, bound{r.Addr.Unmap(), r.Connect})
	}
	x := &exchange{request: r, result: res, cancel: cancel}
	answer, err := c.transport.RoundTrip(c.httpRequest(x.trace(ctx), u, r))
	if err == nil {
		err = c.read(ctx, cancel, answer, r, res)
	}
	x.finish()
	res.Err = classify(ctx, err)
	if res.File && res.Err != nil && res.Err.Kind == KindTimeout { // not a time-out: the host's pages may be quick
		res.Err = &Error{KindTooBig, errUnwhole}
	}
	return res
}

func (c *Client) httpRequest(ctx context.Context, u *url.URL, r Request) *http.Request {
	h := http.Header{
		"User-Agent":      {c.o.UserAgent},
		"Accept":          {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
		"Accept-Encoding": {"gzip"},
	}
	// Validators come from a server: values that are not valid in a header are left out.
	if r.ETag != "" && httpguts.ValidHeaderFieldValue(r.ETag) {
		h.Set("If-None-Match", r.ETag)
	}
	if r.LastModified != "" && httpguts.ValidHeaderFieldValue(r.LastModified) {
		h.Set("If-Modified-Since", r.LastModified)
	}
	if r.Cookie != "" && httpguts.ValidHeaderFieldValue(r.Cookie) {
		h.Set("Cookie", r.Cookie)
	}
	req := &http.Request{
		Method: http.MethodGet, URL: u, Host: u.Host, Header: h,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	return req.WithContext(ctx)
}
