package schema

import (
	"fmt"
	"testing"
)

// Values of Kafka's own UtilsTest: with any other hash, records of Java clients
// would be in other partitions than ours.
func TestMurmur2IsKafkas(t *testing.T) {
	for key, want := range map[string]int32{
		"21":                         -973932308,
		"foobar":                     -790332482,
		"a-little-bit-long-string":   -985981536,
		"a-little-bit-longer-string": -1486304829,
		"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
		"abc": 479470107,
	} {
		if got := int32(Murmur2([]byte(key))); got != want {
			t.Errorf("murmur2(%q) = %d, want %d", key, got, want)
		}
		if got, want := Partition(key, 1000), (want&0x7fffffff)%1000; got != want {
			t.Errorf("Partition(%q, 1000) = %d, want %d", key, got, want)
		}
	}
}

// State moves with its partition only because of this (DESIGN section 4).
func TestShardDecidesPartition(t *testing.T) {
	for i := range 2000 {
		host := HostOf(fmt.Sprintf("h%d.example%d.com", i, i%37))
		for p := int32(1); p <= Shards; p *= 2 {
			if want := Partition(string(host), p); int32(Shard(host))%p != want {
				t.Fatalf("%s: shard %d, but partition %d of %d", host, Shard(host), want, p)
			}
		}
	}
}

func TestPartitionDoesNotAllocate(t *testing.T) {
	host := HostOf("a-host-name-that-is-longer-than-any-small-buffer.example.com")
	if n := testing.AllocsPerRun(100, func() { Shard(host) }); n != 0 {
		t.Errorf("Shard allocates %v times", n)
	}
}
