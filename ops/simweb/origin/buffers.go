package origin

import "sync"

// maxKept is the size above which a buffer is not kept: pages of MBs are rare.
const maxKept = 256 << 10

type buffer struct{ b []byte }

// pool holds buffers for bodies. It belongs to a server.
type pool struct{ p sync.Pool }

func (p *pool) get() *buffer {
	if b, ok := p.p.Get().(*buffer); ok {
		return b
	}
	return &buffer{b: make([]byte, 0, 32<<10)}
}

func (p *pool) put(b *buffer) {
	if cap(b.b) <= maxKept {
		p.p.Put(b)
	}
}
