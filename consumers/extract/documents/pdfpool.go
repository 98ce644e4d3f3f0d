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
// the first PDF comes: that takes about 2.5 s of CPU and 300 MB, or 0.1 s if it is in the cache.
type pdfPool struct {
	opts    Options
	endable bool          // an instance can be ended in the middle, for which the code asks at every loop
	slots   chan struct{} // a slot for each PDF being read

	mu     sync.Mutex
	pool   pdfium.Pool
	cache  wazero.CompilationCache
	closed bool
}

func newPDFPool(o Options, endable bool) *pdfPool {
	return &pdfPool{opts: o, endable: endable, slots: make(chan struct{}, o.Workers)}
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
	rc := wazero.NewRuntimeConfig().WithCloseOnContextDone(p.endable).WithMemoryLimitPages(uint32(p.opts.MaxMemory / pageBytes))
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
	if err := takeSlot(ctx, p.slots); err != nil {
		return nil, err
	}
	defer func() { <-p.slots }()
	ctx, cancel := context.WithTimeout(ctx, p.opts.Timeout)
	defer cancel()
	in, err := instance(ctx, pool)
	if err != nil {
		return nil, err
	}
	kill := sync.OnceFunc(func() { _ = in.Kill() })
	defer kill()
	stop := context.AfterFunc(ctx, kill)
	defer stop()
	page := time.AfterFunc(p.opts.PageTimeout, kill)
	defer page.Stop()
	return readPDF(ctx, p.opts, in, body, func(Document) { page.Reset(p.opts.PageTimeout) })
}

// takeSlot waits for a slot, at most until ctx ends.
func takeSlot(ctx context.Context, slots chan struct{}) error {
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if ctx.Err() != nil {
		<-slots
		return context.Cause(ctx)
	}
	return nil
}

func instance(ctx context.Context, pool pdfium.Pool) (pdfium.Pdfium, error) {
	in, err := pool.GetInstanceWithContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: no instance: %w", ErrHeavy, err)
	}
	return in, nil
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
