package documents

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"
)

// serveArg is the only argument of a program that is started to read PDFs for another process.
const serveArg = "read-pdfs-for-another-process"

// canServe says that this program calls ServePDFs first, so that it may be started with serveArg.
var canServe atomic.Bool

// ServePDFs is called first in main. If the program was started to read PDFs for another process,
// it does that and exits. Else it returns, and from then on Readers of this process read PDFs in
// processes of their own.
func ServePDFs() {
	if len(os.Args) != 2 || os.Args[1] != serveArg {
		canServe.Store(true)
		return
	}
	// The other process says when to end, by closing the input. A signal to the whole group of
	// processes must not end this one earlier: its file would count as broken.
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// answer is the answer of a process to a PDF. The first one comes before any PDF and says whether
// the process can read.
type answer struct {
	Doc   *Document // nil if Error says why there is none
	Kind  int       // index of the error in kinds; -1: another error
	Error string
	Last  bool // the process ends, because the file still keeps it busy
}

// kinds are the errors that both processes know.
var kinds = []error{ErrHeavy, ErrEncrypted, ErrBroken}

func newAnswer(d *Document, err error) answer {
	if err == nil {
		return answer{Doc: d}
	}
	a := answer{Kind: -1, Error: err.Error()}
	for i, k := range kinds {
		if errors.Is(err, k) {
			a.Kind = i
		}
	}
	return a
}

// result returns what the answer says.
func (a answer) result() (*Document, error) {
	switch {
	case a.Error == "" && a.Doc != nil:
		return a.Doc, nil
	case a.Kind >= 0 && a.Kind < len(kinds):
		return nil, fmt.Errorf("%w (%s)", kinds[a.Kind], a.Error)
	}
	return nil, errors.New(a.Error)
}

// processMemory is the most memory (bytes) that a process should take beside that of the instance:
// for the compiled code, the file and the text. Of that, outsideHeap is memory that the collector
// does not see, of the program and of the compiled code; it holds the rest to the difference.
const (
	processMemory = 96 << 20
	outsideHeap   = 56 << 20
)

// collectFrom is the heap (bytes) above which a process collects before the next PDF, so that the
// memories of two instances do not stand side by side on a machine that is too busy to collect
// meanwhile.
const collectFrom = 64 << 20

func collect() {
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapAlloc > collectFrom {
		runtime.GC()
	}
}

// serve reads the Options from in, then one PDF after the other, and writes an answer for each to
// out. It returns when in ends, or when a file keeps it busy.
func serve(in io.Reader, out io.Writer) error {
	from, to := gob.NewDecoder(in), gob.NewEncoder(out)
	var o Options
	if err := from.Decode(&o); err != nil {
		return fmt.Errorf("documents: the options do not come: %w", err)
	}
	o.Workers = 1
	debug.SetGCPercent(50)
	debug.SetMemoryLimit(o.MaxMemory + processMemory - outsideHeap)
	pool := newPDFPool(o, false)
	defer pool.close()
	_, err := pool.start()
	collect()
	if err := to.Encode(newAnswer(nil, err)); err != nil {
		return err
	}
	for {
		var body []byte
		if err := from.Decode(&body); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		a := pool.answer(body)
		if err := to.Encode(a); err != nil || a.Last {
			return err
		}
		body = nil
		collect()
	}
}

// answer reads a PDF in an instance that cannot be ended. If the time runs out in the middle of a
// page, the answer holds the text read until then, and is the last one.
func (p *pdfPool) answer(body []byte) answer {
	var soFar atomic.Pointer[Document]
	ctx, stuck := context.WithTimeout(context.Background(), p.opts.Timeout)
	defer stuck()
	page := time.AfterFunc(p.opts.PageTimeout, stuck)
	defer page.Stop()
	done := make(chan answer, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				done <- newAnswer(nil, fmt.Errorf("%w: %v", ErrBroken, v))
			}
		}()
		in, err := instance(ctx, p.pool)
		if err != nil {
			done <- newAnswer(nil, err)
			return
		}
		defer in.Kill()
		done <- newAnswer(readPDF(ctx, p.opts, in, body, func(d Document) {
			soFar.Store(&d)
			page.Reset(p.opts.PageTimeout)
		}))
	}()
	select {
	case a := <-done:
		return a
	case <-ctx.Done():
	}
	d := soFar.Load()
	if d == nil || d.Text == "" {
		a := newAnswer(nil, fmt.Errorf("%w: the time is up", ErrHeavy))
		a.Last = true
		return a
	}
	d.complete()
	return answer{Doc: d, Last: true}
}
