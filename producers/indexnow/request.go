package indexnow

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"millrace/schema"
)

// Bounds of a request, as the protocol has them.
const (
	MaxURLs  = 10_000
	leastKey = 8
	mostKey  = 128
)

// request holds the URLs that a site announces, and its key.
type request struct {
	host     schema.Host
	key      string
	location schema.URL // of the key file
	urls     []schema.URL
}

// refusal is the answer to a request that is not taken.
type refusal struct {
	status int
	why    string
}

func (r *refusal) Error() string { return r.why }

func refuse(status int, format string, args ...any) error {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

// body is the JSON form.
type body struct {
	Host        string   `json:"host"`
	Key         string   `json:"key"`
	KeyLocation string   `json:"keyLocation"`
	URLs        []string `json:"urlList"`
}

// read reads a request in either form. An error is a refusal.
func (e *Endpoint) read(w http.ResponseWriter, r *http.Request) (*request, error) {
	b := body{}
	switch r.Method {
	case http.MethodGet:
		q := r.URL.Query()
		b = body{Key: q.Get("key"), KeyLocation: q.Get("keyLocation"), URLs: []string{q.Get("url")}}
	case http.MethodPost:
		if err := readBody(w, r, e.opts.MaxBody, &b); err != nil {
			return nil, err
		}
	default:
		return nil, refuse(http.StatusMethodNotAllowed, "GET with url and key, or POST with JSON")
	}
	return e.check(b)
}

func readBody(w http.ResponseWriter, r *http.Request, most int64, into *body) error {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return refuse(http.StatusRequestEntityTooLarge, "a request has at most %d bytes", most)
	case err != nil:
		return refuse(http.StatusBadRequest, "the request could not be read")
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return refuse(http.StatusBadRequest, `no JSON of the form {"host": "", "key": "", "urlList": [""]}`)
	}
	return nil
}

// check compares what is announced with the protocol.
func (e *Endpoint) check(b body) (*request, error) {
	if !isKey(b.Key) {
		return nil, refuse(http.StatusUnprocessableEntity, "a key has %d to %d characters of a-z, A-Z, 0-9 and -", leastKey, mostKey)
	}
	if len(b.URLs) == 0 || len(b.URLs) > MaxURLs {
		return nil, refuse(http.StatusUnprocessableEntity, "%d URLs: 1 to %d may be announced at a time", len(b.URLs), MaxURLs)
	}
	out := &request{key: b.Key}
	for _, raw := range b.URLs {
		u, err := e.deps.Canon.Parse(raw)
		if err != nil {
			return nil, refuse(http.StatusUnprocessableEntity, "%.200q is no URL of a page", raw)
		}
		if out.host == "" {
			out.host = u.Host()
		}
		if u.Host() != out.host {
			return nil, refuse(http.StatusUnprocessableEntity, "%.200q is not on the host of the other URLs", raw)
		}
		out.urls = append(out.urls, u)
	}
	if b.Host != "" && schema.HostOf(strings.ToLower(b.Host)) != out.host {
		return nil, refuse(http.StatusUnprocessableEntity, "the URLs are not on host %.200q", b.Host)
	}
	return out, e.locate(out, b.KeyLocation)
}

// locate sets where the key file is, and checks that it may speak for all URLs.
func (e *Endpoint) locate(r *request, location string) error {
	raw := r.urls[0].Scheme() + "://" + r.urls[0].Authority() + "/" + r.key + ".txt"
	if location != "" {
		raw = location
	}
	at, err := e.deps.Canon.Parse(raw)
	if err != nil || at.Host() != r.host {
		return refuse(http.StatusUnprocessableEntity, "keyLocation must be on the host of the URLs")
	}
	r.location = at
	file, err := url.Parse(at.String())
	if err != nil {
		return refuse(http.StatusUnprocessableEntity, "keyLocation is no address")
	}
	folder := file.Path[:strings.LastIndexByte(file.Path, '/')+1]
	for _, u := range r.urls {
		if !strings.HasPrefix(u.PathQuery(), folder) {
			return refuse(http.StatusUnprocessableEntity, "the key file speaks for URLs below %s only", folder)
		}
	}
	return nil
}

func isKey(s string) bool {
	return len(s) >= leastKey && len(s) <= mostKey && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == ""
}
