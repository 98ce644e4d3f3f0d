package documents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
)

// pdfPool gives every PDF an instance of pdfium with memory of its own. The module is compiled when
// the first PDF comes: that takes about 2.5 s of CPU and 60 MB, or 0.1 s if it is in the cache.
type pdfPool struct {
	opts  Options
	slots chan struct{} // a slot for each PDF being read

	mu     sync.Mutex
	pool   pdfium.Pool
	cache  wazero.CompilationCache
	closed bool
}

func newPDFPool(o Options) *pdfPool {
	return &pdfPool{opts: o, slots: make(chan struct{}, o.Workers)}
}

// start compiles the module, once. Other callers wait meanwhile.
func (p *pdfPool) start() (pdfium.Pool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errors.New("documents: closed")
	}
	if p.pool != nil {
		return p.pool, nil
	}
	rc := wazero.NewRuntimeConfig().WithCloseOnContextDone(true).WithMemoryLimitPages(uint32(p.opts.MaxMemory / pageBytes))
	if cache := openCache(p.opts.CacheDir); cache != nil {
		p.cache = cache
		rc = rc.WithCompilationCache(cache)
	}
	pool, err := webassembly.Init(webassembly.Config{
		MaxIdle: p.opts.Workers, MaxTotal: p.opts.Workers, RuntimeConfig: rc,
		FSConfig: wazero.NewFSConfig(), // no files
		Stdout:   io.Discard, Stderr: io.Discard,
		RandomSource: zeros{}, // the same file gives the same text
	})
	if err != nil {
		return nil, fmt.Errorf("documents: the reader of PDF does not start: %w", err)
	}
	p.pool = pool
	return pool, nil
}

// openCache opens the cache of compiled code, and deletes the code of other versions of wazero.
// Without a cache everything works, but starts more slowly.
func openCache(dir string) wazero.CompilationCache {
	if dir == "" || os.MkdirAll(dir, 0o700) != nil {
		return nil
	}
	before, _ := os.ReadDir(dir)
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return nil
	}
	after, _ := os.ReadDir(dir)
	if len(after) > len(before) { // the directory of this version was created just now
		for _, e := range before {
			_ = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
	return cache
}

// zeros is a source of zero bytes instead of random ones.
type zeros struct{}

// Read implements io.Reader.
func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// read reads a PDF in an instance that is discarded after it, in any case.
func (p *pdfPool) read(ctx context.Context, body []byte) (*Document, error) {
	pool, err := p.start()
	if err != nil {
		return nil, err
	}
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, p.opts.Timeout)
	defer cancel()
	in, err := pool.GetInstanceWithContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: no instance: %w", ErrHeavy, err)
	}
	kill := sync.OnceFunc(func() { _ = in.Kill() })
	defer kill()
	stop := context.AfterFunc(ctx, kill)
	defer stop()
	page := time.AfterFunc(p.opts.PageTimeout, kill)
	defer page.Stop()
	return readPDF(ctx, p.opts, in, body, func() { page.Reset(p.opts.PageTimeout) })
}

// close waits for the PDFs being read.
func (p *pdfPool) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	for range cap(p.slots) {
		p.slots <- struct{}{}
	}
	if p.pool != nil {
		_ = p.pool.Close()
	}
	if p.cache != nil {
		_ = p.cache.Close(context.Background())
	}
}
