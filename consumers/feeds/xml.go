package feeds

import (
	"bytes"
	"fmt"
	"time"

	"github.com/mmcdole/gofeed"
	"github.com/mmcdole/gofeed/atom"
	"github.com/mmcdole/gofeed/rss"

	"millrace/consumers/listing"
)

// parseXML parses a document that cut has returned. The name of its first element decides the
// format: gofeed looks for that only in the first 4 KB, and some feeds begin with a longer comment.
func parseXML(text []byte, root string) (feed, error) {
	var in *gofeed.Feed
	var says listing.Says
	var err error
	if root == "feed" {
		in, says, err = parseAtom(text)
	} else {
		in, says, err = parseRSS(text)
	}
	if err != nil {
		return feed{}, fmt.Errorf("%w: %w", errNot, err)
	}
	f := feed{base: in.Link, says: says}
	for _, it := range in.Items {
		f.entries = append(f.entries, entry{link: address(it), published: millis(it.PublishedParsed), updated: millis(it.UpdatedParsed)})
	}
	return f, nil
}

func parseAtom(text []byte) (*gofeed.Feed, listing.Says, error) {
	in, err := (&atom.Parser{}).Parse(bytes.NewReader(text))
	if err != nil {
		return nil, listing.Says{}, err
	}
	says := atomSays(in)
	out, err := (&gofeed.DefaultAtomTranslator{}).Translate(in)
	return out, says, err
}

// parseRSS parses RSS. An item without a link gets its guid as link, if that is marked as a
// permalink.
func parseRSS(text []byte) (*gofeed.Feed, listing.Says, error) {
	in, err := (&rss.Parser{}).Parse(bytes.NewReader(text))
	if err != nil {
		return nil, listing.Says{}, err
	}
	for _, it := range in.Items {
		if it.Link == "" && len(it.Links) == 0 && it.GUID != nil && it.GUID.IsPermalink == "true" {
			it.Link = it.GUID.Value
		}
	}
	says := rssSays(in)
	out, err := (&gofeed.DefaultRSSTranslator{DisableContentImageScan: true}).Translate(in)
	return out, says, err
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
