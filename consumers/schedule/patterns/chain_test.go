package patterns

import (
	"fmt"
	"hash/fnv"
	"testing"
)

// serial drives a tree with a chain of pages, each of which names the one before and the next one,
// and has a text of its own. It returns how many are fetched before the shape is closed.
func serial(pages int, path func(i int) string) int {
	tree := New(nil)
	tree.Begin(1)
	tree.Found(path(0), ":http/")
	for i := range pages {
		now := int64(i) + 2
		if tree.Closed(path(i), now) {
			return i
		}
		tree.Begin(now)
		tree.Fetched(path(i), Body, 100, true, now)
		tree.Read(path(i), Text{Fingerprint: uint32(i + 1), Exact: uint32(i + 1), Document: true, First: true, Awaited: true}, now)
		tree.Found(path(i+1), path(i))
		tree.Named(path(i), []string{path(i + 1)})
		if parent := ""; i > 0 {
			if tree.Doubtful(path(i)) {
				parent = path(i - 1)
			}
			tree.Met(path(i), parent, []string{path(i - 1)})
		}
	}
	return pages
}

func drawnAt(i int) uint32 {
	h := fnv.New32a()
	_, _ = fmt.Fprint(h, i)
	return h.Sum32()
}

// A chain whose addresses come in no order is closed after at most 200 pages. A serial that counts,
// or has words, dates or rising numbers, is not, however long it is.
func TestAChainOfDrawnAddressesIsClosed(t *testing.T) {
	const long = 3000
	for name, path := range map[string]func(i int) string{
		"signature": func(i int) string { return fmt.Sprintf(":http/n/%d-%08x", i, drawnAt(i)) },
		"parameter": func(i int) string { return fmt.Sprintf(":http/n/%d?sig=%08x", i, drawnAt(i)) },
		"number":    func(i int) string { return fmt.Sprintf(":http/n/%d?id=%d", i, drawnAt(i)) },
		"segment":   func(i int) string { return fmt.Sprintf(":http/%08x/page", drawnAt(i)) },
	} {
		if n := serial(long, path); n > 200 {
			t.Errorf("%s: %d pages", name, n)
		}
	}
	for name, path := range map[string]func(i int) string{
		"counting": func(i int) string { return fmt.Sprintf(":http/novel/chapter-%d", i) },
		"downward": func(i int) string { return fmt.Sprintf(":http/post/%d", 10*long-i) },
		"rising":   func(i int) string { return fmt.Sprintf(":http/chapters/%d", 10_000_000+100*i+int(drawnAt(i)%100)) },
		"object":   func(i int) string { return fmt.Sprintf(":http/p/65a%05x9f3c%04x", i, drawnAt(i)%(1<<16)) },
		"title": func(i int) string {
			return fmt.Sprintf(":http/story/%x-of-the-mill-and-the-river", drawnAt(i)%7) + fmt.Sprint(i)
		},
	} {
		if n := serial(long, path); n < long {
			t.Errorf("%s: closed after %d pages", name, n)
		}
	}
}
