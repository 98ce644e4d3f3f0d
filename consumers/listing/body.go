package listing

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"

	"millrace/schema"
)

const (
	// maxRatio bounds what comes out of a gzip, by what went in: sitemaps, which repeat themselves
	// more than anything else on the web, reach 60; deflate itself 1,032.
	maxRatio = 200
	// freeBytes may come out of any gzip, however small.
	freeBytes = 1 << 20
	// maxLayers is a Content-Encoding around a .gz file, and one more that a server put on by
	// mistake.
	maxLayers = 3
)

// Body returns a page's body without Content-Encoding and, for files like sitemap.xml.gz, without
// their own gzip: at most most bytes. Gzip is known by its magic bytes, since headers are wrong
// about it in both directions. What breaks off is kept as far as it goes.
func Body(p *schema.Page, most int) ([]byte, error) {
	for coding := range strings.SplitSeq(strings.ToLower(p.ContentEncoding), ",") {
		switch coding = strings.TrimSpace(coding); coding {
		case "", "identity", "gzip", "x-gzip":
		default:
			return nil, fmt.Errorf("content encoding %q is not supported", coding)
		}
	}
	limit := min(most, max(freeBytes, len(p.Body)*maxRatio))
	body := p.Body
	for range maxLayers {
		if !bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
			break
		}
		var err error
		if body, err = gunzip(body, limit); err != nil {
			return nil, err
		}
	}
	return body[:min(len(body), most)], nil
}

// gunzip returns at most limit bytes; an error counts only if nothing came out before it.
func gunzip(body []byte, limit int) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("gzip: %w", err)
	}
	defer r.Close()
	var out bytes.Buffer
	if n, err := out.ReadFrom(io.LimitReader(r, int64(limit))); n == 0 && err != nil {
		return nil, fmt.Errorf("gzip: %w", err)
	}
	return out.Bytes(), nil
}
