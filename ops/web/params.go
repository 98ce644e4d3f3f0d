package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// number reads a parameter within bounds; a missing one has the value preset.
func number(q url.Values, name string, preset, least, most int) (int, error) {
	s := q.Get(name)
	if s == "" {
		return preset, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		return 0, refuse(http.StatusBadRequest, "%s must be a number from %d to %d", name, least, most)
	}
	return n, nil
}

// yes reads a switch: it is on if it has no value, or the value true.
func yes(q url.Values, name string) (bool, error) {
	if !q.Has(name) {
		return false, nil
	}
	if q.Get(name) == "" {
		return true, nil
	}
	on, err := strconv.ParseBool(q.Get(name))
	if err != nil {
		return false, refuse(http.StatusBadRequest, "%s must be true or false", name)
	}
	return on, nil
}

// asked reads the question of a request. Its query may be empty.
func (p *searchPages) asked(r *http.Request) (Question, error) {
	q := r.URL.Query()
	a := Question{Query: strings.TrimSpace(strings.ToValidUTF8(q.Get("q"), "\uFFFD")), Size: defaultSize}
	if len(a.Query) > p.opts.MaxQueryBytes {
		a.Query = strings.ToValidUTF8(a.Query[:p.opts.MaxQueryBytes], "")
		return a, refuse(http.StatusBadRequest, "the query is too long: at most %d bytes", p.opts.MaxQueryBytes)
	}
	bare := a
	var err error
	if a.From, err = number(q, "from", 0, 0, p.opts.MaxFrom); err != nil {
		return bare, err
	}
	if a.Size, err = number(q, "size", defaultSize, 1, p.opts.MaxSize); err != nil {
		return bare, err
	}
	if a.PerSite, err = number(q, "per_site", -1, 0, p.opts.MaxSize); err != nil {
		return bare, err
	}
	a.PerSite = asPerSite(a.PerSite)
	switch q.Get("sort") {
	case "", "relevance":
	case "date":
		a.Newest = true
	default:
		return bare, refuse(http.StatusBadRequest, "sort must be relevance or date")
	}
	if a.Facets, err = yes(q, "facets"); err != nil {
		return bare, err
	}
	if a.Exact, err = yes(q, "exact"); err != nil {
		return bare, err
	}
	if a.Explain, err = yes(q, "explain"); err != nil {
		return bare, err
	}
	if a.Cursor = q.Get("cursor"); len(a.Cursor) > maxCursorBytes {
		return bare, refuse(http.StatusBadRequest, "this is no cursor: it is too long")
	}
	if a.Seen = q.Get("seen"); len(a.Seen) > maxSeenBytes {
		return bare, refuse(http.StatusBadRequest, "seen is not the token of an earlier page of results: it is too long")
	}
	return a, nil
}

// maxSeenBytes bounds the token of the hits that were shown: 5 bytes for each of 600, in base 64.
const maxSeenBytes = 4 << 10

// maxCursorBytes bounds a cursor, which contains a row key.
const maxCursorBytes = 4 << 10

// asPerSite converts the parameter per_site (0 = no limit, -1 = not given) to Question.PerSite.
func asPerSite(n int) int {
	switch n {
	case -1:
		return 0
	case 0:
		return -1
	}
	return n
}

// defaultSize is the number of hits on a page.
const defaultSize = 10

// maxURLBytes bounds the address in a question.
const maxURLBytes = 4 << 10

// address reads the parameter url, which may lack its scheme.
func address(r *http.Request) (string, error) {
	u := strings.TrimSpace(r.URL.Query().Get("url"))
	if len(u) > maxURLBytes {
		return "", refuse(http.StatusBadRequest, "url is too long: at most %d bytes", maxURLBytes)
	}
	return u, nil
}

// body reads one JSON object; unknown fields and other content are errors.
func body(r *http.Request, into any) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return refuse(http.StatusUnsupportedMediaType, "the body must be JSON, with Content-Type: application/json")
	}
	if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		// So the bound of the body holds for what is decoded, too.
		return refuse(http.StatusUnsupportedMediaType, "the body must not be compressed")
	}
	d := json.NewDecoder(r.Body)
	var raw json.RawMessage
	if err = d.Decode(&raw); err == nil {
		err = one(raw, into)
	}
	if err != nil {
		var big *http.MaxBytesError
		if errors.As(err, &big) {
			return err
		}
		return refuse(http.StatusBadRequest, "the body is not the JSON that is wanted: %s", inJSONWords(err))
	}
	if _, err = d.Token(); !errors.Is(err, io.EOF) {
		return refuse(http.StatusBadRequest, "the body must be one JSON object")
	}
	return nil
}

// one decodes an object; null, which the decoder takes for any, is none.
func one(raw json.RawMessage, into any) error {
	if !bytes.HasPrefix(raw, []byte("{")) {
		return errors.New("it must be an object")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// inJSONWords says what is wrong with a value without the names of our types.
func inJSONWords(err error) string {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Sprintf("%q cannot be a %s", kind.Field, kind.Value)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}
