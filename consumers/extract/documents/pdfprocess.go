package documents

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"time"
)

// pdfProcesses reads PDFs in processes of their own, one PDF at a time in each. A process can be
// ended from outside, so its code need not ask at every loop whether the time is up, which makes it
// 2.5 times as fast as in a pdfPool; and what compiling and reading take of memory goes back to the
// system.
type pdfProcesses struct {
	opts  Options
	slots chan struct{} // a slot for each PDF being read

	here *pdfPool // reads where the system lets no process start

	starting chan struct{} // held while a process starts: the first one compiles for the others
	live     context.Context
	stop     context.CancelFunc // ends live, and with it a process that starts
	starts   sync.WaitGroup     // goroutines of start

	mu     sync.Mutex
	idle   []*pdfProcess // the one used last is at the end
	closed bool
}

func newPDFProcesses(o Options) *pdfProcesses {
	p := &pdfProcesses{opts: o, slots: make(chan struct{}, o.Workers), here: newPDFPool(o, true), starting: make(chan struct{}, 1)}
	p.live, p.stop = context.WithCancel(context.Background())
	return p
}

// attempts is in how many processes a PDF is read before it counts as too heavy: a process may be
// ended from outside, by the system when memory is short.
const attempts = 2

// read reads a PDF. The time until a process has started does not count.
func (p *pdfProcesses) read(ctx context.Context, body []byte) (*Document, error) {
	if err := takeSlot(ctx, p.slots); err != nil {
		return nil, err
	}
	defer func() { <-p.slots }()
	var ended error
	for range attempts {
		w, err := p.take(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return p.here.read(ctx, body)
		}
		var a answer
		if a, ended = w.ask(ctx, body, p.opts.Timeout+grace); ended == nil {
			p.giveBack(w, a)
			return a.result()
		}
		w.end()
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(ended, ErrHeavy):
			return nil, ended
		}
	}
	return nil, fmt.Errorf("%w: the process that read it ended %d times: %w", ErrHeavy, attempts, ended)
}

// grace is how long after Options.Timeout a process may still be silent before it is ended.
const grace = 5 * time.Second

// take returns a process that waits for a PDF, or starts one. If ctx ends before that one can read,
// it goes on starting and waits for the next PDF. On a machine so slow that a round of the group
// ends before the reader is compiled, each round would begin that anew, and no PDF would ever be
// read.
func (p *pdfProcesses) take(ctx context.Context) (*pdfProcess, error) {
	if w := p.pop(); w != nil {
		return w, nil
	}
	if err := takeSlot(ctx, p.starting); err != nil {
		return nil, err
	}
	if w := p.pop(); w != nil { // given back meanwhile
		<-p.starting
		return w, nil
	}
	out := make(chan begun)
	p.starts.Go(func() { p.start(ctx, out) })
	select {
	case b := <-out:
		return b.w, b.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// begun is a process that can read, or why there is none.
type begun struct {
	w   *pdfProcess
	err error
}

// start starts a process for who waits at out until ctx ends; after that for anybody. p.starting is
// held.
func (p *pdfProcesses) start(ctx context.Context, out chan<- begun) {
	defer func() { <-p.starting }()
	w, err := startPDFProcess(p.live, p.opts)
	select {
	case out <- begun{w, err}:
	case <-ctx.Done():
		if err == nil {
			p.giveBack(w, answer{})
		}
	}
}

// pop returns the process that was used last; nil if none waits.
func (p *pdfProcesses) pop() *pdfProcess {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return nil
	}
	w := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	w.unused.Stop()
	return w
}

// idleTime is how long a process waits for another PDF.
const idleTime = time.Minute

func (p *pdfProcesses) giveBack(w *pdfProcess, a answer) {
	p.mu.Lock()
	if p.closed || a.Last {
		p.mu.Unlock()
		w.end()
		return
	}
	w.unused = time.AfterFunc(idleTime, func() { p.retire(w) })
	p.idle = append(p.idle, w)
	p.mu.Unlock()
}

// retire ends a process that waited too long, unless it was taken just now.
func (p *pdfProcesses) retire(w *pdfProcess) {
	p.mu.Lock()
	i := slices.Index(p.idle, w)
	if i >= 0 {
		p.idle = slices.Delete(p.idle, i, i+1)
	}
	p.mu.Unlock()
	if i >= 0 {
		w.end()
	}
}

// close waits for the PDFs being read. It ends a process that starts.
func (p *pdfProcesses) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	for range cap(p.slots) {
		p.slots <- struct{}{}
	}
	p.stop()
	p.starts.Wait()
	for w := p.pop(); w != nil; w = p.pop() {
		w.end()
	}
	p.here.close()
}

// pdfProcess is a process that runs serve.
type pdfProcess struct {
	cmd    *exec.Cmd
	kill   context.CancelFunc
	in     io.WriteCloser
	to     *gob.Encoder
	from   *gob.Decoder
	unused *time.Timer // ends it; nil if it was never idle
}

// startTime bounds the start of a process, in which it may have to compile the reader.
const startTime = 10 * time.Minute

// startPDFProcess starts this program again, and waits until it can read.
func startPDFProcess(ctx context.Context, o Options) (*pdfProcess, error) {
	w, err := launch()
	if err != nil {
		return nil, fmt.Errorf("documents: the reader of PDF does not start: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	a, err := w.exchange(ctx, o)
	if err == nil && a.Error != "" {
		err = errors.New(a.Error)
	}
	if err != nil {
		w.end()
		return nil, errors.Join(context.Cause(ctx), fmt.Errorf("documents: the reader of PDF does not start: %w", err))
	}
	return w, nil
}

func launch() (*pdfProcess, error) {
	exe := "/proc/self/exe" // also when the file was replaced by another version
	if runtime.GOOS != "linux" {
		var err error
		if exe, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	ctx, kill := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, exe, serveArg)
	cmd.Env = []string{} // nothing in the environment is for it
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		kill()
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		kill()
		return nil, err
	}
	return &pdfProcess{cmd: cmd, kill: kill, in: in, to: gob.NewEncoder(in), from: gob.NewDecoder(out)}, nil
}

// ask has a PDF read.
func (w *pdfProcess) ask(ctx context.Context, body []byte, limit time.Duration) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	a, err := w.exchange(ctx, body)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w: the process that reads it does not answer", ErrHeavy)
	}
	return a, err
}

// exchange sends a message and waits for the answer. If ctx ends, the process does.
func (w *pdfProcess) exchange(ctx context.Context, message any) (a answer, err error) {
	stop := context.AfterFunc(ctx, w.kill)
	defer stop()
	if err := w.to.Encode(message); err != nil {
		return a, err
	}
	err = w.from.Decode(&a)
	return a, err
}

// endTime is how long a process has to end after its input.
const endTime = 5 * time.Second

// end ends the process and waits until it has ended.
func (w *pdfProcess) end() {
	_ = w.in.Close()
	slow := time.AfterFunc(endTime, w.kill)
	defer slow.Stop()
	_ = w.cmd.Wait()
	w.kill()
}
