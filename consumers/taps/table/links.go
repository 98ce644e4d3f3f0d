package table

import (
	"io"

	"github.com/parquet-go/parquet-go"

	"millrace/consumers/taps"
	"millrace/schema"
)

// The bits of Link.rel.
const (
	relNofollow = 1 << iota
	relUGC
	relSponsored
	relRedirect
	relRefresh
)

// Links writes the links of pages as Parquet, from urls.discovered: a row for each link of each
// version of a page. The current links of a source are those of its greatest rev; Graph makes the
// graph of them.
type Links struct{ table *table[link] }

// link is one link of a record.
type link struct {
	record *taps.Record
	from   *schema.Links
	to     *schema.Link
	host   string
}

// NewLinks returns the format.
func NewLinks() *Links { return &Links{newTable("link", linkColumns())} }

// Name implements taps.Format.
func (*Links) Name() string { return "links" }

// Ext implements taps.Format.
func (*Links) Ext() string { return ".parquet" }

// Wants implements taps.Format.
func (*Links) Wants(r *taps.Record) bool {
	d, _ := r.Message.(*schema.Discovered)
	return d.GetLinks() != nil
}

// Part implements taps.Format.
func (*Links) Part(r *taps.Record) string { return taps.Day(r.Time) }

// Encode implements taps.Format.
func (l *Links) Encode(w io.Writer, _ taps.File, next func() (*taps.Record, error)) error {
	return l.table.encode(w, next, func(r *taps.Record, each func(link) error) error {
		d, _ := r.Message.(*schema.Discovered)
		from := d.GetLinks()
		for _, to := range from.GetLinks() {
			if err := each(link{r, from, to, d.Host}); err != nil {
				return err
			}
		}
		return nil
	})
}

func linkColumns() []column[link] {
	columns := inLog(func(l link) *taps.Record { return l.record })
	has := func(name string, bit uint32) column[link] {
		return always(name, parquet.Leaf(parquet.BooleanType), func(l link) parquet.Value { return parquet.ValueOf(l.to.Rel&bit != 0) })
	}
	return append(columns,
		text("source", func(l link) string { return l.from.SourceRowKey }),
		text("source_url", func(l link) string { return schema.RowKey(l.from.SourceRowKey).URL() }),
		text("source_site", func(l link) string { return l.from.SourceSite }),
		always("source_rev", parquet.Int(64), func(l link) parquet.Value { return parquet.ValueOf(l.from.SourceRev) }),
		text("target", func(l link) string { return l.host + l.to.Path }),
		text("target_url", func(l link) string { return schema.RowKey(l.host + l.to.Path).URL() }),
		text("target_host", func(l link) string { return l.host }),
		text("anchor", func(l link) string { return l.to.Anchor }),
		always("depth", parquet.Int(32), func(l link) parquet.Value { return parquet.ValueOf(l.from.Depth) }),
		has("nofollow", relNofollow), has("ugc", relUGC), has("sponsored", relSponsored),
		has("redirect", relRedirect), has("refresh", relRefresh),
	)
}
