package origin

import (
	"bytes"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// gzips holds compressors; each keeps some 100 KB of tables. It belongs to a
// server.
type gzips struct{ p sync.Pool }

// compress appends b as gzip at the fastest level: the cost of the web counts,
// not its bytes.
func (g *gzips) compress(dst, b []byte) []byte {
	out := bytes.NewBuffer(dst)
	z, ok := g.p.Get().(*gzip.Writer)
	if !ok {
		z, _ = gzip.NewWriterLevel(out, gzip.BestSpeed) // the level is valid
	}
	z.Reset(out)
	z.Write(b) // to memory: cannot fail
	z.Close()
	g.p.Put(z)
	return out.Bytes()
}
