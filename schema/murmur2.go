package schema

// Shards is the number of state shards: the highest partition count a topic of
// URLs can ever have (DESIGN section 4).
const Shards = 4096

// Murmur2 is the 32-bit MurmurHash2 with the seed and byte order of Kafka's Java
// client (org.apache.kafka.common.utils.Utils.murmur2), as an unsigned number.
// Kafka clears the sign bit before it takes the remainder; Partition does that.
func Murmur2(key []byte) uint32 { return murmur2(key) }

// Shard is the state shard of a host. As the shard count and every partition
// count of a URL topic are powers of two, Shard(h) mod P is h's partition.
func Shard(host Host) int { return int(Partition(string(host), Shards)) }

// Partition is where Kafka's default partitioner puts a record with this key,
// in a topic of n > 0 partitions.
func Partition(key string, n int32) int32 {
	return int32(murmur2(key)&0x7fffffff) % n
}

func murmur2[T string | []byte](key T) uint32 {
	const (
		seed = 0x9747b28c
		m    = 0x5bd1e995
		r    = 24
	)
	h := seed ^ uint32(len(key))
	whole := len(key) &^ 3
	for i := 0; i < whole; i += 4 {
		k := uint32(key[i]) | uint32(key[i+1])<<8 | uint32(key[i+2])<<16 | uint32(key[i+3])<<24
		k *= m
		k ^= k >> r
		h = h*m ^ k*m
	}
	switch len(key) - whole {
	case 3:
		h ^= uint32(key[whole+2]) << 16
		fallthrough
	case 2:
		h ^= uint32(key[whole+1]) << 8
		fallthrough
	case 1:
		h = (h ^ uint32(key[whole])) * m
	}
	h ^= h >> 13
	h *= m
	return h ^ h>>15
}
