package seen

import (
	"fmt"
	"testing"

	"millrace/schema"
)

func TestFilterGrowsAndDeniesNothing(t *testing.T) {
	f := NewFilter(1000, 1e-6)
	for i := range 10_000 {
		key := schema.RowKey(fmt.Sprintf("com.example:http/%d", i))
		if f.May(key) {
			t.Fatalf("%s is taken for known", key)
		}
		if f.Add(key); !f.May(key) {
			t.Fatalf("%s is not known", key)
		}
	}
	if len(f.generations) < 2 || len(f.generations) > 4 {
		t.Errorf("%d generations", len(f.generations))
	}
}

func TestRecentKeepsTheLastKeysAndNoMoreThanTwiceItsSize(t *testing.T) {
	r := NewRecent(func() int { return 10 })
	key := func(i int) schema.RowKey { return schema.RowKey(fmt.Sprint(i)) }
	for i := range 1000 {
		r.Add(key(i))
		for last := max(0, i-9); last <= i; last++ {
			if !r.Has(key(last)) {
				t.Fatalf("%d is forgotten after %d", last, i)
			}
		}
		if n := len(r.young) + len(r.aged); n > 20 {
			t.Fatalf("%d keys kept", n)
		}
	}
	if r.Has(key(5)) {
		t.Error("an old key is kept")
	}
}

// What Recent takes for known is never asked of the store: no other URL may have its fingerprint.
func TestRecentTellsManyKeysApart(t *testing.T) {
	const n = 300_000 // with 32 bits ten pairs of these would be alike
	r := NewRecent(func() int { return n })
	for i := range n {
		k := schema.RowKey(fmt.Sprintf("com.example:https/article/%d.html", i))
		if r.Has(k) {
			t.Fatalf("%s is taken for another key", k)
		}
		if r.Add(k); !r.Has(k) {
			t.Fatalf("%s is not known", k)
		}
	}
}
