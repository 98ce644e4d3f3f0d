package shard

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// victimDir names the directory in which this test binary, started again, writes until it is
// killed.
const victimDir = "MILLRACE_SHARD_VICTIM"

// victim writes documents 0, 1, 2 ... in batches of 20 and says after each batch how far it is.
func victim(dir string) {
	s, err := Open(dir, DefaultOptions())
	if err != nil {
		fmt.Println("error", err)
		return
	}
	for next := s.Offset(); ; next += 20 {
		var changes []Change
		for n := next; n < next+20; n++ {
			changes = append(changes, numbered(n))
		}
		if _, err := s.Apply(context.Background(), Batch{Changes: changes, Next: next + 20}); err != nil {
			fmt.Println("error", err)
			return
		}
		fmt.Println(next + 20)
	}
}

func numbered(n int64) Change {
	return put("k"+strconv.FormatInt(n, 10), "en", fmt.Sprintf("Number %d", n), strings.Repeat("water over the mill ", 20))
}

// A shard that is killed while it writes reopens at an offset, acknowledged or later, and holds
// exactly the documents before it.
func TestKilledShardReopensConsistent(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	dir := t.TempDir()
	for round := range 6 {
		acknowledged := writeAndKill(t, dir, 3+round)
		s, err := Open(dir, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		offset := s.Offset()
		if offset < acknowledged {
			t.Fatalf("round %d: acknowledged %d, reopened at %d", round, acknowledged, offset)
		}
		holdsExactly(t, s, offset)
		s.Close()
	}
}

// writeAndKill lets a child write some batches, kills it in the middle, and returns what it
// acknowledged.
func writeAndKill(t *testing.T, dir string, batches int) int64 {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), victimDir+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var last int64
	lines := bufio.NewScanner(out)
	for range batches {
		if !lines.Scan() {
			t.Fatal("the child ended by itself")
		}
		if last, err = strconv.ParseInt(lines.Text(), 10, 64); err != nil {
			t.Fatal(lines.Text())
		}
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		if n, err := strconv.ParseInt(lines.Text(), 10, 64); err == nil {
			last = n
		}
	}
	if err := child.Wait(); err == nil {
		t.Fatal("the child was not killed")
	}
	return last
}

func holdsExactly(t *testing.T, s *Shard, offset int64) {
	t.Helper()
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Release()
	live := int64(0)
	for _, view := range snap.segments {
		live += int64(view.snap.DocNumbersLive().GetCardinality())
	}
	var digest Digest
	for n := range offset {
		digest ^= numbered(n).Document.Hash
	}
	if p := snap.Position(); live != offset || p.Docs != offset || p.Digest != digest {
		t.Fatalf("offset %d, %d documents in the index, position %+v, digest of the fold %s", offset, live, p, digest)
	}
	if _, ok, err := snap.Lookup(t.Context(), numbered(offset).Key); ok || err != nil {
		t.Fatalf("the document at the offset is there already: %t, %v", ok, err)
	}
}
