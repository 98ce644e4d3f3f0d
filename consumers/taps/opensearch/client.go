package opensearch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Options say where the index is.
type Options struct {
	URL      string // http://host:port or https://host:port/prefix
	Index    string
	User     string // "" = no login
	Password func() (string, error)
	Client   *http.Client // nil: a plain one
	Shards   int          // of an index that is created
	Replicas int
	Bulk     int // most bytes of a request, unless one document is larger

	Pause time.Duration // after a request that failed; doubled after each more, up to 30 s
}

// DefaultOptions returns the index "millrace" with one shard and no replicas.
func DefaultOptions() Options {
	return Options{Index: "millrace", Shards: 1, Bulk: 5 << 20, Pause: 250 * time.Millisecond}
}

// Validate returns an error for the first option that is out of bounds.
func (o Options) Validate() error {
	u, err := url.Parse(o.URL)
	switch {
	case o.URL == "":
		return errors.New("no OpenSearch: name one with --to http://host:9200")
	case strings.Contains(o.URL, "@"):
		return errors.New("no name or password in the address, where logs and lists of processes show it: " +
			"set --user, and --password-file or the variable MILLRACE_OPENSEARCH_PASSWORD")
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("%q is no address of an OpenSearch, such as http://host:9200", o.URL)
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("the address of an OpenSearch ends with its path")
	case o.Index == "" || o.Index != strings.ToLower(o.Index) || strings.ContainsAny(o.Index, `\/*?"<>| ,#:`) || strings.ContainsAny(o.Index[:1], "-_+."):
		return fmt.Errorf("%q cannot name an index: small letters, digits, - and _, beginning with a letter", o.Index)
	case o.Shards < 1 || o.Replicas < 0 || o.Bulk < 1<<10 || o.Pause <= 0:
		return errors.New("at least one shard, no negative number of replicas, and 1 KiB for a request")
	}
	return nil
}

// Timeout bounds a request. It is shorter than the round of a member of a group may be
// (streams: four sessions), so that a server that hangs does not cost the membership.
const Timeout = 40 * time.Second

// client speaks to one OpenSearch.
type client struct {
	opts Options
	http *http.Client
}

func newClient(o Options) *client {
	c := &client{o, o.Client}
	if c.http == nil {
		c.http = &http.Client{Timeout: Timeout}
	}
	// A client that followed redirects would turn what is written into questions, and take their
	// answers for success.
	plain := *c.http
	plain.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &plain
	c.opts.URL = strings.TrimRight(o.URL, "/")
	return c
}

// maxAnswer bounds an answer, in bytes; the answer to a bulk request of 5 MiB is far smaller.
const maxAnswer = 64 << 20

// statusError is an answer with a status other than 2xx.
type statusError struct {
	status int
	body   string
}

// Error implements error.
func (e *statusError) Error() string {
	what := fmt.Sprintf("OpenSearch answered %d: %.300s", e.status, e.body)
	if e.status == http.StatusUnauthorized || e.status == http.StatusForbidden {
		what += " (the user needs to read, write and create the indices; see --user and --password-file)"
	}
	return what
}

// status returns the HTTP status in an error; 0 if it has none.
func status(err error) int {
	var s *statusError
	if errors.As(err, &s) {
		return s.status
	}
	return 0
}

// ask sends a request and decodes the answer if its status is 2xx.
func (c *client) ask(ctx context.Context, method, path, kind string, body []byte, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, c.opts.URL+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if c.opts.User != "" {
		password := ""
		if c.opts.Password != nil {
			if password, err = c.opts.Password(); err != nil {
				return err
			}
		}
		req.SetBasicAuth(c.opts.User, password)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return err
	}
	if to := resp.Header.Get("Location"); to != "" && resp.StatusCode/100 == 3 {
		return fmt.Errorf("%s redirects to %.200q: name the server itself with --to", c.opts.URL, withoutSecrets(to))
	}
	if resp.StatusCode/100 != 2 {
		return &statusError{resp.StatusCode, strings.TrimSpace(string(raw))}
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(raw, into)
}

// withoutSecrets is an address without what only its owner is to read.
func withoutSecrets(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address that is none"
	}
	u.User, u.RawQuery = nil, ""
	return u.String()
}

const inJSON = "application/json"

// prepare creates the two indices if they do not exist. It returns a mappingError if an existing
// one does not take our documents.
func (c *client) prepare(ctx context.Context) error {
	o := c.opts
	settings := map[string]any{"number_of_shards": o.Shards, "number_of_replicas": o.Replicas, "gc_deletes": "1h"}
	text := map[string]any{"type": "text", "analyzer": "millrace"}
	word, number, moment := kind("keyword"), kind("long"), map[string]any{"type": "date", "format": "epoch_millis"}
	index := map[string]any{
		"settings": map[string]any{"index": settings, "analysis": map[string]any{"analyzer": map[string]any{
			"millrace": map[string]any{"type": "custom", "tokenizer": "standard", "filter": []string{"lowercase"}},
		}}},
		"mappings": map[string]any{"dynamic": false, "properties": map[string]any{
			"title": text, "text": text, "summary": text, "headings": text,
			"author":  map[string]any{"type": "text", "analyzer": "millrace", "fields": map[string]any{"word": word}},
			"row_key": map[string]any{"type": "keyword", "ignore_above": 2048}, "url": map[string]any{"type": "keyword", "ignore_above": 4096},
			"host": word, "site": word, "lang": word, "kind": word, "rule_id": word, "text_hash": word, "filetype": word, "page_type": word,
			"rev": number, "edition": number, "depth": kind("integer"), "score": kind("double"), "fit": kind("boolean"),
			"published_at": moment, "modified_at": moment, "fetched_at": moment, "extracted_at": moment, "discovered_at": moment,
		}},
	}
	progress := map[string]any{
		"settings": map[string]any{"index": map[string]any{"number_of_shards": 1, "number_of_replicas": o.Replicas}},
		"mappings": map[string]any{"dynamic": false, "properties": map[string]any{"topic_id": word, "era": number, "next": number}},
	}
	if err := errors.Join(c.create(ctx, o.Index, index), c.create(ctx, o.Index+"-progress", progress)); err != nil {
		return err
	}
	return c.fits(ctx)
}

func kind(name string) map[string]any { return map[string]any{"type": name} }

// indexGoneError says that the index is not the one that was filled.
type indexGoneError struct{ name string }

// Error implements error.
func (e indexGoneError) Error() string {
	return fmt.Sprintf("the index %s is gone, or was made anew: all documents are sent again", e.name)
}

// Denied implements streams.Denial: it ends the member of the group; Run begins another one.
func (indexGoneError) Denied() bool { return true }

// uuid returns the identity of the index, which a new one of the same name does not share; "" if
// there is no index, or its name is an alias of several.
func (c *client) uuid(ctx context.Context) (string, error) {
	var answer map[string]struct {
		Settings struct {
			Index struct {
				UUID string `json:"uuid"`
			} `json:"index"`
		} `json:"settings"`
	}
	err := c.ask(ctx, http.MethodGet, "/"+c.opts.Index+"/_settings/index.uuid", "", nil, &answer)
	if status(err) == http.StatusNotFound {
		return "", nil
	}
	if len(answer) == 1 {
		for _, i := range answer {
			return i.Settings.Index.UUID, err
		}
	}
	return "", err
}

// create creates an index. An existing one is used as it is.
func (c *client) create(ctx context.Context, name string, with map[string]any) error {
	if err := c.ask(ctx, http.MethodHead, "/"+name, "", nil, nil); status(err) != http.StatusNotFound {
		return err
	}
	raw, err := json.Marshal(with)
	if err != nil {
		return err
	}
	err = c.ask(ctx, http.MethodPut, "/"+name, inJSON, raw, nil)
	if status(err) == http.StatusBadRequest && strings.Contains(err.Error(), "resource_already_exists") {
		return nil
	}
	return err
}

// progress is how far the index is, for one partition.
type progress struct {
	TopicID string    `json:"topic_id"`
	Era     int64     `json:"era"`
	Next    int64     `json:"next"`
	At      time.Time `json:"at"`
	Index   string    `json:"index_uuid,omitempty"` // of the index that has the documents; "": not known

	Last *lastRecord `json:"last,omitempty"` // the newest record before Next; nil: not known
}

// lastRecord names a record of the log, to know the log again.
type lastRecord struct {
	Offset int64  `json:"offset"`
	Key    string `json:"key"`
	Time   int64  `json:"time"` // ms
}

func (c *client) progressPath(partition int32) string {
	return fmt.Sprintf("/%s-progress/_doc/%d", c.opts.Index, partition)
}

// load returns the progress of a partition; nil if none was saved.
func (c *client) load(ctx context.Context, partition int32) (*progress, error) {
	var answer struct {
		Source progress `json:"_source"`
	}
	err := c.ask(ctx, http.MethodGet, c.progressPath(partition), "", nil, &answer)
	if status(err) == http.StatusNotFound {
		return nil, nil
	}
	return &answer.Source, err
}

func (c *client) save(ctx context.Context, partition int32, p progress) error {
	raw, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return c.ask(ctx, http.MethodPut, c.progressPath(partition), inJSON, raw, nil)
}
