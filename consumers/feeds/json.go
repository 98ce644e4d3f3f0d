package feeds

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// jsonItem is the part of a JSON Feed item that is read.
type jsonItem struct {
	URL       string `json:"url"`
	External  string `json:"external_url"` // the page that a link blog writes about; used if there is no url
	Published string `json:"date_published"`
	Modified  string `json:"date_modified"`
}

// jsonFeed reads a JSON Feed item by item, so that only the entries take memory.
type jsonFeed struct {
	Options
	dec     *json.Decoder
	version string
	feed    feed
}

// parseJSON reads a JSON Feed. One that breaks off is read as far as it goes.
func (o Options) parseJSON(text []byte) (feed, error) {
	j := jsonFeed{Options: o, dec: json.NewDecoder(bytes.NewReader(text))}
	err := j.object()
	if !strings.Contains(j.version, "jsonfeed.org/version/") {
		return feed{}, errNot
	}
	if err == errCut {
		return j.feed, err
	}
	return j.feed, nil
}

func (j *jsonFeed) object() error {
	if _, err := j.dec.Token(); err != nil {
		return err
	}
	for j.dec.More() {
		name, err := j.dec.Token()
		if err == nil {
			err = j.field(name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (j *jsonFeed) field(name json.Token) error {
	switch name {
	case "version":
		return j.dec.Decode(&j.version)
	case "home_page_url":
		return j.dec.Decode(&j.feed.base)
	case "feed_url":
		return j.dec.Decode(&j.feed.says.Self)
	case "hubs":
		return j.hubs()
	case "items":
		return j.items()
	}
	return j.skip()
}

// hubs reads the WebSub hubs.
func (j *jsonFeed) hubs() error {
	var list []struct {
		Type, URL string
	}
	if err := j.dec.Decode(&list); err != nil {
		return err
	}
	for _, h := range list {
		if strings.EqualFold(h.Type, "WebSub") {
			j.feed.says.Link("hub", h.URL)
		}
	}
	return nil
}

func (j *jsonFeed) items() error {
	if t, err := j.dec.Token(); err != nil || t != json.Delim('[') {
		return fmt.Errorf("items: %v: %w", t, io.ErrUnexpectedEOF)
	}
	for j.dec.More() {
		if len(j.feed.entries) == j.MaxItems {
			return errCut
		}
		var it jsonItem
		if err := j.dec.Decode(&it); err != nil {
			return err
		}
		if it.URL == "" {
			it.URL = it.External
		}
		j.feed.entries = append(j.feed.entries, entry{link: it.URL, published: rfc3339(it.Published), updated: rfc3339(it.Modified)})
	}
	_, err := j.dec.Token()
	return err
}

func (j *jsonFeed) skip() error {
	var raw json.RawMessage
	return j.dec.Decode(&raw)
}

func rfc3339(s string) int64 {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return 0
	}
	return millis(&t)
}
