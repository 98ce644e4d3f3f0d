package state

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"millrace/schema"
)

func keyTable() *schema.Table {
	return &schema.Table{Name: "t",
		Partition:  []schema.Column{{Name: "a", Type: schema.Text}, {Name: "b", Type: schema.TinyInt}},
		Clustering: []schema.Column{{Name: "c", Type: schema.BigInt}, {Name: "d", Type: schema.Blob}}}
}

func keyColumns(t *schema.Table) []schema.Column { return slices.Concat(t.Partition, t.Clustering) }

func TestEncodedKeysSortAsTheirValues(t *testing.T) {
	octets := rapid.StringOfN(rapid.SampledFrom([]rune{0, 1, 'a', 0x7f}), 0, 4, -1)
	keys := rapid.Custom(func(t *rapid.T) Key {
		return Key{Str(octets.Draw(t, "a")), Num(int64(rapid.Int8().Draw(t, "b"))),
			Num(rapid.Int64().Draw(t, "c")), Str(octets.Draw(t, "d"))}
	})
	rapid.Check(t, func(t *rapid.T) {
		table, k, l := keyTable(), keys.Draw(t, "k"), keys.Draw(t, "l")
		a, b := AppendKey(nil, table, k), AppendKey(nil, table, l)
		if want := compareKeys(k, l); bytes.Compare(a, b) != want {
			t.Fatalf("%v and %v compare as %d, want %d", k, l, bytes.Compare(a, b), want)
		}
		if back, err := DecodeKey(nil, a, keyColumns(table)); err != nil || !slices.Equal(back, k) {
			t.Fatalf("%v came back as %v, %v", k, back, err)
		}
	})
}

func compareKeys(k, l Key) int {
	for i := range k {
		if c := cmp.Or(cmp.Compare(k[i].n, l[i].n), strings.Compare(k[i].s, l[i].s)); c != 0 {
			return c
		}
	}
	return 0
}

func FuzzDecodeKey(f *testing.F) {
	f.Add(AppendKey(nil, keyTable(), Key{Str("a\x00"), Num(-1), Num(1 << 40), Bytes([]byte{0, 0xff})}))
	f.Add([]byte{0})
	f.Add([]byte("a\x00\x02"))
	f.Fuzz(func(t *testing.T, b []byte) {
		key, err := DecodeKey(nil, b, keyColumns(keyTable()))
		if err != nil {
			return
		}
		if again := AppendKey(nil, keyTable(), key); !bytes.Equal(again, b) {
			t.Fatalf("%x decodes to %v, which is %x", b, key, again)
		}
	})
}
