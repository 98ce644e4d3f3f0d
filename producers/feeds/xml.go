package feeds

import (
	"bytes"
	"fmt"
	"time"

	"github.com/mmcdole/gofeed"
	"github.com/mmcdole/gofeed/rss"
)

// parseXML reads a document that cut has let through.
func parseXML(text []byte) (feed, error) {
	p := gofeed.NewParser()
	p.RSSTranslator = addresses{gofeed.DefaultRSSTranslator{DisableContentImageScan: true}}
	in, err := p.Parse(bytes.NewReader(bytes.TrimSpace(text)))
	if err != nil {
		return feed{}, fmt.Errorf("%w: %w", errNot, err)
	}
	f := feed{base: in.Link}
	for _, it := range in.Items {
		f.entries = append(f.entries, entry{link: address(it), published: millis(it.PublishedParsed), updated: millis(it.UpdatedParsed)})
	}
	return f, nil
}

func address(it *gofeed.Item) string {
	if it.Link == "" && len(it.Links) > 0 {
		return it.Links[0]
	}
	return it.Link
}

func millis(t *time.Time) int64 {
	if t == nil {
		return 0
	}
	return max(0, t.UnixMilli())
}

// addresses gives the items of RSS that have no link their guid, if that is an address.
type addresses struct{ gofeed.DefaultRSSTranslator }

// Translate implements gofeed.Translator.
func (t addresses) Translate(in any) (*gofeed.Feed, error) {
	if in, ok := in.(*rss.Feed); ok {
		for _, it := range in.Items {
			if it.Link == "" && len(it.Links) == 0 && it.GUID != nil && it.GUID.IsPermalink == "true" {
				it.Link = it.GUID.Value
			}
		}
	}
	return t.DefaultRSSTranslator.Translate(in)
}
