package documents

import (
	"bytes"
	"context"
	"io"
	"strings"
	"unicode/utf8"

	"millrace/schema"
)

// Bounds on files inside a file. What they unpack to counts against the outer file's MaxUnpacked.
const (
	maxNested       = 10      // an OLE object and the archive in it are two
	maxEmbedded     = 20      // files of one archive
	maxEmbeddedSize = 8 << 20 // bytes of each
)

// embedded writes the text of the files inside a document. Sheets with the numbers of a chart are
// left out, because they were read with the chart. Files that cannot be read are left out too.
func (a *archive) embedded(w *writer) error {
	if a.opts.nested >= maxNested {
		return nil
	}
	var names []string
	charts := false
	for name := range a.files {
		charts = charts || strings.Contains(name, "/charts/")
		if strings.Contains(name, "/embeddings/") {
			names = append(names, name)
		}
	}
	sortNames(names)
	for _, name := range names[:min(len(names), maxEmbedded)] {
		if charts && strings.HasSuffix(name, ".xlsx") {
			continue
		}
		body, err := a.small(name, maxEmbeddedSize)
		if heavy(err) != nil {
			return ErrHeavy
		}
		a.inner(w, "", body)
	}
	return nil
}

// inner writes the name and the text of a file inside this one.
func (a *archive) inner(w *writer, name string, body []byte) {
	o := a.opts
	o.nested++
	o.MaxText -= w.out.Len()
	o.budget = a.left
	if o.nested > maxNested || o.MaxText <= 0 || len(body) == 0 || *a.left <= 0 || w.full || a.ctx.Err() != nil {
		return
	}
	*a.left -= int64(len(body)) // so that files that unpack to nothing also use up the bound
	w.end()
	w.text(name[strings.LastIndexAny(name, `\/`)+1:])
	w.end()
	for line := range strings.Lines(readInner(a.ctx, o, name, body)) {
		w.text(line)
		w.end()
	}
}

// readInner returns the text of a file of any kind that is read in memory; "" for others.
func readInner(ctx context.Context, o Options, name string, body []byte) string {
	var d *Document
	var err error
	family := schema.FamilyOf(body[:min(len(body), schema.FileHead)], "")
	if bytes.HasPrefix(body, []byte("PK\x03\x04")) {
		family = schema.Zip // any zip archive: no link of a page said what it is
	}
	switch family {
	case schema.Zip:
		if d, err = readArchive(ctx, o, body); err != nil {
			d = readLoose(ctx, o, body)
		}
	case schema.OLE:
		if d, err = readOLE(ctx, o, body); err != nil {
			d = readPackage(ctx, o, body)
		}
	case schema.RTF:
		d, _ = readRTF(ctx, o, body)
	case schema.NoFile:
		switch {
		case !strings.HasSuffix(strings.ToLower(name), ".txt") || bytes.IndexByte(body, 0) >= 0:
		case utf8.Valid(body):
			return string(body)
		default:
			return bytes1252(body, 1252)
		}
	}
	if d == nil {
		return ""
	}
	return d.Text
}

// readLoose reads the files in an archive that is no document.
func readLoose(ctx context.Context, o Options, body []byte) *Document {
	a, err := openArchive(ctx, o, body)
	if err != nil {
		return nil
	}
	w := newWriter(o, "zip")
	var names []string
	for name := range a.files {
		names = append(names, name)
	}
	sortNames(names)
	for _, name := range names[:min(len(names), maxEmbedded)] {
		if b, err := a.small(name, maxEmbeddedSize); err == nil {
			a.inner(w, name, b)
		}
	}
	return w.finish()
}

// readPackage reads an OLE object that wraps a file. A stream Package is the file itself;
// Ole10Native (MS-OLEDS 2.3.6, in the layout of the Packager) has the file's name, path and length
// before it.
func readPackage(ctx context.Context, o Options, body []byte) *Document {
	streams, err := oleStreams(ctx, body)
	if err != nil {
		return nil
	}
	w, name, data := newWriter(o, "ole"), "", streams["Package"]
	if native := streams["Ole10Native"]; len(native) > 6 {
		name, data = unwrap(native)
	}
	if len(data) == 0 {
		return nil
	}
	a := &archive{ctx: ctx, opts: o, left: o.budget}
	a.inner(w, name, data)
	return w.finish()
}

// unwrap cuts an Ole10Native stream: length, type, label, path, type, length of another path, that
// path, length, data.
func unwrap(b []byte) (name string, data []byte) {
	r := bytes.NewBuffer(b[6:])
	label, err := r.ReadString(0)
	if err != nil {
		return "", nil
	}
	if _, err = r.ReadString(0); err != nil || r.Len() < 8 {
		return "", nil
	}
	r.Next(4)
	r.Next(le32(r.Next(4), 0) & (1<<20 - 1))
	size := le32(r.Next(4), 0)
	if size <= 0 || size > r.Len() {
		return "", nil
	}
	data, _ = io.ReadAll(io.LimitReader(r, int64(size)))
	return strings.TrimSuffix(label, "\x00"), data
}
