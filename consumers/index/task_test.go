package index

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"millrace/consumers/index/shard"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// I3: after upserts, replacements, deletions and a restart the index is the fold of the topic.
func TestIndexIsTheFoldOfTheTopic(t *testing.T) {
	w := newWorld(t)
	w.some(0, 60)
	w.put("com.example.www:https/7", "Page seven", "a new text about herons")
	w.remove("com.example.www:https/8")
	w.remove("com.example.www:https/never")
	s := w.open()
	stop := w.run(s)
	w.caughtUp(s)
	w.isFold(s)
	if got := found(t, s, "herons"); strings.Join(got, ",") != "Page seven" {
		t.Fatalf("herons: %v", got)
	}
	if got := found(t, s, `intitle:"page 8"`); len(got) != 0 {
		t.Fatalf("the deleted page is found: %v", got)
	}
	stop()
	s.Close()
	w.some(60, 90)
	w.remove("com.example.www:https/9")
	again := w.open()
	if n := len(found(t, again, "water")); n != 58 {
		t.Fatalf("before it is assigned anything, the index finds %d pages, want the 58 it had", n)
	}
	w.run(again)
	w.caughtUp(again)
	w.isFold(again)
}

// A record that cannot be a document becomes a dead letter, and the partition goes on (I11).
func TestRecordWithoutDocumentBecomesADeadLetter(t *testing.T) {
	w := newWorld(t)
	w.append("com.example.www:https/1", []byte{})
	delete(w.fold[0], "com.example.www:https/1")
	for p := range w.fold {
		delete(w.fold[p], "com.example.www:https/1")
	}
	w.some(0, 40)
	s := w.open()
	w.run(s)
	w.caughtUp(s)
	w.isFold(s)
}

// A shard that the log cannot continue is filled anew, never patched.
func TestShardTheLogCannotContinueStartsOver(t *testing.T) {
	cases := []struct {
		name string
		at   func(w *world) shard.Batch
		over bool
	}{
		{"beyond the end of the log", func(w *world) shard.Batch { return shard.Batch{Next: w.ends[0] + 1, Time: time.Now()} }, true},
		{"too old", func(*world) shard.Batch { return shard.Batch{Next: 1, Time: time.Now().Add(-85 * time.Hour)} }, true},
		{"recent", func(*world) shard.Batch { return shard.Batch{Next: 1, Time: time.Now().Add(-83 * time.Hour)} }, false},
		{"old but at the end", func(w *world) shard.Batch { return shard.Batch{Next: w.ends[0], Time: time.Unix(0, 0)} }, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.some(0, 40)
			s := w.open()
			if _, err := s.Assign(0); err != nil {
				t.Fatal(err)
			}
			b := c.at(w)
			if err := s.Apply(t.Context(), 0, b); err != nil {
				t.Fatal(err)
			}
			log, err := streams.NewLog(w.kafka)
			if err != nil {
				t.Fatal(err)
			}
			defer log.Close()
			link := streamstest.Recorder{Reader: log}
			task := s.Task(link.Partition(0, partitions))
			got, err := task.Recover(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want := b.Next
			if c.over {
				want = 0
			}
			if got != want || s.Status()[0].Offset != want {
				t.Fatalf("begins at %d, the shard is at %d, want %d", got, s.Status()[0].Offset, want)
			}
		})
	}
}

func TestRevokedShardIsSearchedButNotWritten(t *testing.T) {
	w := newWorld(t)
	w.some(0, 30)
	s := w.open()
	stop := w.run(s)
	w.caughtUp(s)
	if err := s.Drop(0); err == nil {
		t.Fatal("a shard that is being written was dropped")
	}
	stop()
	if n := len(found(t, s, "water")); n != 30 {
		t.Fatalf("after revocation %d pages are found", n)
	}
	if err := s.Apply(t.Context(), 0, Batch{Next: 1000}); err == nil {
		t.Fatal("a frozen shard was written")
	}
	if err := s.Drop(0); err != nil {
		t.Fatal(err)
	}
	view, err := s.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, sh := range view.Shards {
		sh.Release()
	}
	if len(view.Shards) != partitions-1 || len(view.Gaps) != 1 {
		t.Fatalf("%d shards, missing %v", len(view.Shards), view.Gaps)
	}
}

func TestProofOfAnotherFoldIsReported(t *testing.T) {
	w := newWorld(t)
	w.deps.Proof, w.opts.ProofEvery = w.proof, time.Nanosecond
	w.some(0, 30)
	s := w.open()
	w.run(s)
	w.caughtUp(s)
	for p := range int32(partitions) {
		if err := s.prove(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	for _, st := range s.Status() {
		if st.Proven != w.ends[st.Partition] || st.Difference != nil {
			t.Fatalf("a right fold was not proved: %+v", st)
		}
	}
	w.mu.Lock()
	w.fold[2]["ghost"] = 1 // the writer believes in a document that is not on the topic
	w.mu.Unlock()
	w.some(30, 60)
	w.caughtUp(s)
	for p := range int32(partitions) {
		if err := s.prove(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	for _, st := range s.Status() {
		if wrong := st.Difference != nil; wrong != (st.Partition == 2) {
			t.Fatalf("differences: %+v", st)
		}
	}
}

// A shard that lost its disk is opened anew, but nothing is written over the hole.
func TestShardThatWentBackIsNotWritten(t *testing.T) {
	w := newWorld(t)
	s := w.open()
	if _, err := s.Assign(0); err != nil {
		t.Fatal(err)
	}
	one := func(offset int64) Batch {
		c := shard.Change{Offset: offset, Key: "a", Document: &shard.Document{Hash: 1}}
		return Batch{Changes: []shard.Change{c}, Next: offset + 1}
	}
	if err := s.Apply(t.Context(), 0, one(0)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(s.live.path(0, 0)); err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(t.Context(), 0, one(1)); err == nil {
		t.Fatal("written without a disk")
	}
	for range 2 {
		if err := s.Apply(t.Context(), 0, one(1)); !errors.Is(err, ErrWentBack) {
			t.Fatalf("after the shard went back: %v", err)
		}
	}
	if s.Ready() == nil {
		t.Fatal("ready with a hole")
	}
	at, err := s.Assign(0)
	if err != nil || at.Offset != 0 {
		t.Fatalf("assigned again it stands at %d, %v", at.Offset, err)
	}
	if err := s.Apply(t.Context(), 0, one(0)); err != nil {
		t.Fatal(err)
	}
}

// A shard that failed, and cannot be opened again at first, takes batches once it can; until then
// its error asks for pauses of up to a minute.
func TestShardThatCannotBeOpenedAgainIsTriedLater(t *testing.T) {
	w := newWorld(t)
	s := w.open()
	if _, err := s.Assign(0); err != nil {
		t.Fatal(err)
	}
	b := Batch{Changes: []shard.Change{{Key: "a", Document: &shard.Document{Hash: 1}}}, Next: 1}
	dir := s.live.path(0, 0)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		var asks interface{ LongestPause() time.Duration }
		if err := s.Apply(t.Context(), 0, b); !errors.As(err, &asks) || asks.LongestPause() != time.Minute {
			t.Fatalf("without a disk: %v", err)
		}
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := s.Apply(t.Context(), 0, b); err != nil {
		t.Fatalf("with a disk again: %v", err)
	}
	s.Revoke(0)
	if err := s.Apply(t.Context(), 0, Batch{Next: 2}); !errors.Is(err, ErrNotAssigned) {
		t.Fatalf("of another member: %v", err)
	}
}

// A record that is no document, at the end of a partition, is a dead letter once: the position goes
// past it, so the shard is complete, and the next start does not read it again.
func TestADeadLetterAtTheEndIsPassed(t *testing.T) {
	w := newWorld(t)
	w.some(0, 40)
	var bad []string
	for i := range 3 * partitions {
		key := fmt.Sprintf("com.example.www:https/bad/%d", i)
		w.append(key, []byte("\xff\xff no message"))
		delete(w.fold[topics.Partition(key, partitions)], key)
		bad = append(bad, key)
	}
	log, err := streams.NewLog(w.kafka)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for range 3 {
		s := w.open()
		stop := w.run(s)
		w.caughtUp(s)
		w.isFold(s)
		w.some(40, 80) // each partition was read to its end when these are there
		w.caughtUp(s)
		stop()
		s.Close()
		ends, err := log.Ends(t.Context(), topics.DeadLetters().Name)
		if err != nil || ends[0] != int64(len(bad)) {
			t.Fatalf("%d dead letters of %d records: %v", ends[0], len(bad), err)
		}
	}
}
