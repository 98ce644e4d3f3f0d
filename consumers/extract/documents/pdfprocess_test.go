package documents

import (
	"context"
	"errors"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"millrace/consumers/extract/documents/documentstest"
)

func processes(t *testing.T, change func(*Options)) *pdfProcesses {
	t.Helper()
	o := DefaultOptions()
	o.CacheDir = compiled
	if change != nil {
		change(&o)
	}
	p := newPDFProcesses(o)
	t.Cleanup(p.close)
	return p
}

func TestAPDFIsReadAlthoughTheProcessForItWasEnded(t *testing.T) {
	p := processes(t, func(o *Options) { o.Workers = 1 })
	body := documentstest.PDF(documentstest.PDFOptions{}, "text")
	for range 3 {
		if d, err := p.read(t.Context(), body); err != nil || d.Text != "text" {
			t.Fatalf("%v, %v", d, err)
		}
		if len(p.idle) != 1 {
			t.Fatalf("%d processes wait", len(p.idle))
		}
		if err := p.idle[0].cmd.Process.Signal(os.Kill); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhoGivesUpDoesNotWaitForTheReaderToBeCompiled(t *testing.T) {
	o := DefaultOptions() // without a cache
	ctx, cancel := context.WithCancelCause(t.Context())
	gaveUp := errors.New("gave up")
	cancel(gaveUp)
	if w, err := startPDFProcess(ctx, o); w != nil || !errors.Is(err, gaveUp) {
		t.Errorf("%v, %v", w, err)
	}
	if _, err := processes(t, nil).read(ctx, documentstest.PDF(documentstest.PDFOptions{}, "text")); !errors.Is(err, gaveUp) {
		t.Errorf("%v", err)
	}
}

// On a machine so slow that those who wait give up before the reader is compiled, it is compiled
// all the same: else each of them would begin anew, and a file in front of others would stay there.
func TestAReaderIsCompiledAlthoughWhoAskedGaveUp(t *testing.T) {
	p := processes(t, func(o *Options) { o.CacheDir = t.TempDir() })
	gaveUp := errors.New("gave up")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		for len(p.starting) == 0 { // until it starts, which takes seconds of CPU
			runtime.Gosched()
		}
		cancel(gaveUp)
	}()
	if w, err := p.take(ctx); !errors.Is(err, gaveUp) {
		t.Fatalf("%v, %v: who gave up waited", w, err)
	}
	p.starting <- struct{}{} // when the start has ended
	<-p.starting
	w := p.pop()
	if w == nil {
		t.Fatal("what was compiled was thrown away")
	}
	p.giveBack(w, answer{})
	if d, err := p.read(t.Context(), documentstest.PDF(documentstest.PDFOptions{}, "text")); err != nil || d.Text != "text" {
		t.Errorf("%v, %v", d, err)
	}
}

func TestAProcessThatIsNotNeededEnds(t *testing.T) {
	p := processes(t, nil)
	if _, err := p.read(t.Context(), documentstest.PDF(documentstest.PDFOptions{}, "text")); err != nil {
		t.Fatal(err)
	}
	w := p.idle[0]
	p.retire(w)
	if w.cmd.ProcessState == nil || len(p.idle) != 0 {
		t.Errorf("state %v, %d processes wait", w.cmd.ProcessState, len(p.idle))
	}
	p.retire(w) // taken or ended before: nothing happens
}

func TestAFrozenProcessIsEndedAndTheNextPDFIsRead(t *testing.T) {
	p := processes(t, nil)
	body := documentstest.PDF(documentstest.PDFOptions{}, "text")
	if _, err := p.read(t.Context(), body); err != nil {
		t.Fatal(err)
	}
	w := p.pop()
	if err := w.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if _, err := w.ask(t.Context(), body, time.Millisecond); !errors.Is(err, ErrHeavy) {
		t.Errorf("a frozen process: %v", err)
	}
	if w.end(); w.cmd.ProcessState == nil {
		t.Error("the process has not ended")
	}
	if d, err := p.read(t.Context(), body); err != nil || d.Text != "text" {
		t.Errorf("after it: %v, %v", d, err)
	}
}
