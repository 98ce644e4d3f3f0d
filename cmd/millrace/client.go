package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// client asks a millrace over its HTTP API: the one that runs, or one that this
// process opened for the purpose.
type client struct {
	base  string
	token string
	here  bool   // who answers is this process: it ends with it
	last  string // position to go on from, as Last-Event-ID
	http  *http.Client
	close func() // lets go of what answers
}

// answerTimeout bounds the wait for an answer to begin: why reads many rows.
const answerTimeout = 60 * time.Second

// newClient returns a client of the process at addr, which is on this machine.
func newClient(addr, token string) *client {
	// No proxy. No compression: what comes is bounded as it comes.
	transport := &http.Transport{ResponseHeaderTimeout: answerTimeout, DisableCompression: true}
	return &client{
		base: "http://" + reachable(addr), token: token,
		http: &http.Client{Transport: transport}, close: transport.CloseIdleConnections,
	}
}

// reachable is the address to dial for one to listen on: a process that listens
// on all addresses listens on loopback too.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	switch ip := net.ParseIP(host); {
	case host == "" || ip.Equal(net.IPv4zero):
		host = "127.0.0.1"
	case ip.Equal(net.IPv6unspecified):
		host = "::1"
	}
	return net.JoinHostPort(host, port)
}

// maxAnswer bounds an answer that is read whole: 10,000 dead letters with their errors fit.
const maxAnswer = 64 << 20

// aliveTimeout bounds the wait for a sign of life.
const aliveTimeout = 3 * time.Second

// alive reports why no millrace answers, or nil.
func (a *client) alive(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, aliveTimeout)
	defer cancel()
	var list struct{ Routes []struct{ Pattern string } }
	stranger := *a
	stranger.token = "" // until it is known who answers
	if err := stranger.get(ctx, "/api/v1/", nil, &list); err != nil {
		return err
	}
	if len(list.Routes) == 0 {
		return fmt.Errorf("what answers at %s is no millrace", a.base)
	}
	return nil
}

// get asks for JSON and decodes it.
func (a *client) get(ctx context.Context, path string, query url.Values, into any) error {
	raw, err := a.raw(ctx, path, query)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%s%s: %w", a.base, path, err)
	}
	return nil
}

// raw asks for JSON and returns it as it came.
func (a *client) raw(ctx context.Context, path string, query url.Values) ([]byte, error) {
	body, err := a.open(ctx, http.MethodGet, path, query, nil)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	b, err := io.ReadAll(io.LimitReader(body, maxAnswer+1))
	if len(b) > maxAnswer {
		return nil, fmt.Errorf("%s%s: the answer has more than %d bytes", a.base, path, maxAnswer)
	}
	return b, err
}

// post sends JSON with the token, and decodes the answer.
func (a *client) post(ctx context.Context, path string, in, into any) error {
	b, err := json.Marshal(in)
	if err != nil {
		return err
	}
	body, err := a.open(ctx, http.MethodPost, path, nil, bytes.NewReader(b))
	if err != nil {
		return err
	}
	defer body.Close()
	return json.NewDecoder(body).Decode(into)
}

// open sends a request and returns the body of a good answer.
func (a *client) open(ctx context.Context, method, path string, query url.Values, in io.Reader) (io.ReadCloser, error) {
	address := a.base + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, address, in)
	if err != nil {
		return nil, err
	}
	if a.token != "" {
		req.Header.Set("Authorization", "Bearer "+a.token)
	}
	if a.last != "" {
		req.Header.Set("Last-Event-ID", a.last)
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := a.http.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode/100 == 2 {
		return resp.Body, nil
	}
	defer resp.Body.Close()
	return nil, refusal(resp)
}

// refusal returns the error that a server gave in place of an answer.
func refusal(resp *http.Response) error {
	b, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return err
	}
	var said struct{ Error string }
	if json.Unmarshal(b, &said) == nil && said.Error != "" {
		return fmt.Errorf("%s", said.Error)
	}
	return fmt.Errorf("%s answered %s: %s", resp.Request.URL.Host, resp.Status, strings.TrimSpace(string(b)))
}
