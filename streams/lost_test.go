package streams_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// A member that loses its partitions says in their marks how far it read. So a broker that dies and
// comes back with all of that raises no era: with one replica each restart did, and there are 99.
func TestAMemberThatLosesAPartitionSaysHowFarItRead(t *testing.T) {
	opts, marks := streamstest.Options(t), &streamstest.Marks{}
	cfg := streamstest.Config(opts)
	cfg.Marks = marks
	const pages = 5
	handled, recovered := make(chan struct{}, 100), make(chan struct{}, 100)
	part := partitionOf(1)
	stop := startScripted(t, cfg, func(s *scripted) {
		if s.p.ID() != part {
			return
		}
		s.recover = func(context.Context) error { recovered <- struct{}{}; return nil }
		s.handle = func(*streams.Record[*schema.Page]) error { handled <- struct{}{}; return nil }
	})
	defer stop()
	out, err := streams.NewProducer(t.Context(), opts, "test", topics.Pages())
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for range pages {
		if err := out.Send(t.Context(), page(1)); err != nil {
			t.Fatal(err)
		}
	}
	wait := func(what string, n int, c chan struct{}) {
		t.Helper()
		for range n {
			select {
			case <-c:
			case <-time.After(time.Minute):
				t.Fatal(what, "did not come")
			}
		}
	}
	wait("a Task", 1, recovered)
	wait("the pages", pages, handled)
	for again := time.After(0); ; again = time.After(time.Second) { // a member that joins just then is not expelled
		select {
		case <-again:
			(&crew{t: t, opts: opts, group: extractGroup(t)}).expel()
			continue
		case <-recovered:
		case <-t.Context().Done():
		}
		break
	}
	got, err := marks.Load(t.Context(), "extract", topics.Pages().Name, []int32{part})
	if m := got[part]; err != nil || !m.Ended || m.Limit != pages || m.Era != 1 {
		t.Errorf("the mark is %+v, want one that ended at %d: %v", m, pages, err)
	}
}

// So does a member that fails as a whole, as when no broker answers it for its session.
func TestAMemberThatFailsSaysHowFarItRead(t *testing.T) {
	opts, marks := streamstest.Options(t), &streamstest.Marks{}
	cfg := streamstest.Config(opts)
	cfg.Marks = marks
	const pages = 5
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	handled := 0
	failed := errors.New("the store denies it")
	done := make(chan error, 1)
	go func() {
		done <- streams.Run(ctx, cfg, extractGroup(t), topics.Pages(), func(p *streams.Partition) streams.Task[*schema.Page] {
			s := &scripted{p: p}
			if p.ID() == partitionOf(1) {
				s.handle = func(*streams.Record[*schema.Page]) error { handled++; return nil }
				s.tick = func() error {
					if handled == pages {
						return fmt.Errorf("%w: %w", state.ErrDenied, failed)
					}
					return nil
				}
			}
			return s
		})
	}()
	out, err := streams.NewProducer(t.Context(), opts, "test", topics.Pages())
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for range pages {
		if err := out.Send(t.Context(), page(1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-done; !errors.Is(err, failed) {
		t.Fatal(err)
	}
	part := partitionOf(1)
	got, err := marks.Load(t.Context(), "extract", topics.Pages().Name, []int32{part})
	if m := got[part]; err != nil || !m.Ended || m.Limit != pages {
		t.Errorf("the mark is %+v, want one that ended at %d: %v", m, pages, err)
	}
}

// A member that was replaced and does not know it changes no mark of the new owner.
func TestTheMarksOfAnEarlierOwnerCountForNothing(t *testing.T) {
	opts, marks := streamstest.Options(t), &streamstest.Marks{}
	own := func() streams.Mark {
		t.Helper()
		if _, err := streams.CheckLogs(t.Context(), opts, marks); err != nil {
			t.Fatal(err)
		}
		got, err := marks.Load(t.Context(), "extract", topics.Pages().Name, []int32{0})
		if err != nil {
			t.Fatal(err)
		}
		return got[0]
	}
	old := own()
	own()
	for range 1000 {
		old.Seq, old.Limit = old.Seq+1, 77
		if err := marks.Save(t.Context(), "extract", topics.Pages().Name, map[int32]streams.Mark{0: old}); err != nil {
			t.Fatal(err)
		}
	}
	if now := own(); now.Limit == 77 {
		t.Errorf("the mark is that of the earlier owner: %+v", now)
	}
}
