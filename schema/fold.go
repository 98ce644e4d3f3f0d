package schema

import "github.com/cespare/xxhash/v2"

// RecordHash is the hash of a record of docs.unique that the fold digest is made
// of, the XOR over all published documents: xxhash64 of the key, a zero byte and
// the value. It is never 0, which stands for no record.
func RecordHash(key string, value []byte) uint64 {
	d := xxhash.New()
	_, _ = d.WriteString(key)
	_, _ = d.Write([]byte{0})
	_, _ = d.Write(value)
	return max(d.Sum64(), 1)
}
