package streams

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The tracker is compared with a set of offsets, through commits and takeovers.
func TestProgressIsTheSetOfDoneOffsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.Int64Range(0, 1000).Draw(t, "start")
		n := rapid.Int64Range(1, 300).Draw(t, "records")
		tr := newTracker(Progress{Offset: start})
		done := map[int64]bool{}
		for o := start; o < start+n; o++ {
			tr.take(o)
		}
		for range rapid.IntRange(0, 400).Draw(t, "steps") {
			o := rapid.Int64Range(start, start+n-1).Draw(t, "offset")
			tr.done(o)
			done[o] = true
			p := tr.progress()
			if rapid.Bool().Draw(t, "takeover") {
				var err error
				if p, err = ParseProgress(p.Offset, p.Metadata()); err != nil {
					t.Fatal(err)
				}
			}
			for o := start; o < start+n; o++ {
				if p.IsDone(o) != done[o] {
					t.Fatalf("offset %d: done is %v, should be %v", o, p.IsDone(o), done[o])
				}
			}
			if open := tr.open(); open != n-int64(len(done)) {
				t.Fatalf("%d open, should be %d", open, n-int64(len(done)))
			}
		}
	})
}

func TestABitmapThatIsTooLongIsCutAndADamagedOneIsRefused(t *testing.T) {
	tr := newTracker(Progress{})
	for o := int64(0); o < 40_000; o++ {
		tr.take(o)
	}
	for o := int64(1); o < 40_000; o++ {
		tr.done(o)
	}
	m := tr.progress().Metadata()
	if len(m) > maxMetadata {
		t.Fatalf("%d bytes of metadata, Kafka takes %d", len(m), maxMetadata)
	}
	p, err := ParseProgress(0, m)
	if err != nil || p.IsDone(0) || !p.IsDone(20_000) || p.IsDone(39_999) {
		t.Errorf("cut bitmap: %v, ahead %d", err, p.Ahead())
	}
	if _, err := ParseProgress(0, strings.Replace(m, "/", "A", 3)); err == nil {
		t.Error("a damaged bitmap was taken")
	}
	if p, err := ParseProgress(7, "member-17"); err != nil || p.IsDone(7) {
		t.Error("foreign metadata must count as none")
	}
}

func FuzzParseProgress(f *testing.F) {
	f.Add(int64(5), "b1:AAAA")
	f.Add(int64(0), "member")
	f.Fuzz(func(t *testing.T, offset int64, metadata string) {
		p, _ := ParseProgress(offset, metadata)
		if p.Offset != offset || p.Ahead() < 0 {
			t.Errorf("%+v", p)
		}
	})
}
