package table

import (
	"encoding/hex"
	"io"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"google.golang.org/protobuf/reflect/protoreflect"

	"millrace/consumers/taps"
	"millrace/schema"
)

// Documents writes docs.unique as a log of changes in Parquet: a row for each record, with op "put"
// or "delete". The current document of a key is its last row; Snapshot makes the table of those.
type Documents struct{ table *table[*taps.Record] }

// NewDocuments returns the format.
func NewDocuments() *Documents { return &Documents{newTable("document", documentColumns())} }

// Name implements taps.Format.
func (*Documents) Name() string { return "parquet" }

// Ext implements taps.Format.
func (*Documents) Ext() string { return ".parquet" }

// Wants implements taps.Format.
func (*Documents) Wants(*taps.Record) bool { return true }

// Part implements taps.Format: a directory for each day, and below it one for each language.
// Deletions are in "und", because pandas cannot read Hive's directory name for NULL.
func (*Documents) Part(r *taps.Record) string {
	lang := language("")
	if d := doc(r); d != nil {
		lang = language(d.Lang)
	}
	return taps.Day(r.Time) + "/lang=" + lang
}

// language returns the first part of a BCP 47 tag, or "und" if there is none. It is used as a
// directory name.
func language(tag string) string {
	lang, _, _ := strings.Cut(strings.ToLower(tag), "-")
	if len(lang) < 2 || len(lang) > 3 || strings.Trim(lang, "abcdefghijklmnopqrstuvwxyz") != "" {
		return "und"
	}
	return lang
}

// Encode implements taps.Format.
func (d *Documents) Encode(w io.Writer, _ taps.File, next func() (*taps.Record, error)) error {
	return d.table.encode(w, next, func(r *taps.Record, each func(*taps.Record) error) error { return each(r) })
}

func doc(r *taps.Record) *schema.Doc {
	u, _ := r.Message.(*schema.Unique)
	return u.GetDoc()
}

// documentColumns returns the columns for the position in the log, for deletions, and for the
// fields of Doc.
func documentColumns() []column[*taps.Record] {
	record := func(r *taps.Record) *taps.Record { return r }
	columns := append(inLog(record),
		always("key", parquet.String(), func(r *taps.Record) parquet.Value {
			return parquet.ValueOf(strings.ToValidUTF8(r.Key, "\uFFFD"))
		}),
		always("op", parquet.String(), func(r *taps.Record) parquet.Value {
			if r.Tombstone {
				return parquet.ValueOf("delete")
			}
			return parquet.ValueOf("put")
		}),
		text("reason", func(r *taps.Record) string { return strings.ToLower(ofDeletion(r, "reason")) }),
		text("moved_to", func(r *taps.Record) string { return ofDeletion(r, "moved_to") }),
		text("url", url), text("site", site), text("cluster", cluster),
		column[*taps.Record]{name: "rev", node: parquet.Optional(parquet.Int(64)), value: rev},
	)
	own := map[string]string{"row_key": "", "url": "", "site": "", "rev": "", "lang": "language"}
	return append(columns, fields((*schema.Doc)(nil).ProtoReflect().Descriptor(), own, docMessage)...)
}

func docMessage(r *taps.Record) protoreflect.Message {
	if d := doc(r); d != nil {
		return d.ProtoReflect()
	}
	return nil
}

// ofDeletion returns a header of a deletion; "" if the record is no deletion.
func ofDeletion(r *taps.Record, header string) string {
	if !r.Tombstone {
		return ""
	}
	return r.Header(header)
}

func url(r *taps.Record) string {
	if d := doc(r); d != nil {
		return d.Url
	}
	return schema.RowKey(r.Key).URL()
}

func site(r *taps.Record) string {
	if d := doc(r); d != nil {
		return d.Site
	}
	return ofDeletion(r, "site")
}

func rev(r *taps.Record) []parquet.Value {
	if d := doc(r); d != nil {
		return []parquet.Value{parquet.ValueOf(d.Rev)}
	}
	n, err := strconv.ParseInt(ofDeletion(r, "rev"), 10, 64)
	if err != nil {
		return nil
	}
	return []parquet.Value{parquet.ValueOf(n)}
}

// cluster returns the text hash of the record's cluster, in hexadecimal.
func cluster(r *taps.Record) string {
	u, _ := r.Message.(*schema.Unique)
	return hex.EncodeToString(u.GetClusterHash())
}
