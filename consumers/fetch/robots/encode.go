package robots

import (
	"encoding/binary"
	"errors"
	"strings"
	"time"
)

// formatVersion is the first byte of the stored form. After another byte the file must be fetched
// again.
const formatVersion = 1

// ErrFormat means that stored bytes are not rules of this version, or were parsed for another
// crawler.
var ErrFormat = errors.New("robots: not an encoded rule set of this version and crawler")

// Encode returns the stored form: version, tokens, delay in ms, sitemaps, rules (length<<1 | allow,
// then the normal form).
func (r *Rules) Encode() []byte {
	b := appendString([]byte{formatVersion}, r.agents, 0)
	b = binary.AppendUvarint(b, uint64(r.delay.Milliseconds()))
	b = binary.AppendUvarint(b, uint64(len(r.sitemaps)))
	for _, s := range r.sitemaps {
		b = appendString(b, s, 0)
	}
	b = binary.AppendUvarint(b, uint64(len(r.rules)))
	for i := range r.rules {
		var flag uint64
		if r.rules[i].allow {
			flag = 1
		}
		b = appendString(b, r.rules[i].source(), flag)
	}
	return b
}

func appendString(b []byte, s string, flag uint64) []byte {
	b = binary.AppendUvarint(b, uint64(len(s))<<1|flag)
	return append(b, s...)
}

// Decode reads what Encode wrote. The product tokens must be the same: after the crawler was
// renamed, rules for another name must not be used.
func Decode(b []byte, agents ...string) (*Rules, error) {
	if len(b) == 0 || b[0] != formatVersion {
		return nil, ErrFormat
	}
	d := decoder{rest: string(b[1:])}
	named, _ := d.string()
	if named != strings.Join(tokens(agents), " ") {
		return nil, ErrFormat
	}
	r := &Rules{agents: named, delay: time.Duration(d.uvarint(uint64(maxDelay.Milliseconds()))) * time.Millisecond}
	for n := d.uvarint(MaxSitemaps); n > 0; n-- {
		s, _ := d.string()
		r.sitemaps = append(r.sitemaps, s)
	}
	// A rule takes at least two bytes, so a false count cannot ask for more memory than the input
	// has.
	for n := d.uvarint(uint64(len(d.rest)) / 2); n > 0; n-- {
		s, allow := d.string()
		if s == "" {
			d.bad = true
			break
		}
		r.rules = append(r.rules, compile(s, allow))
	}
	if d.bad || d.rest != "" {
		return nil, ErrFormat
	}
	r.rules = order(r.rules)
	return r, nil
}

// decoder reads from a string, so that all patterns share one allocation.
type decoder struct {
	rest string
	bad  bool
}

func (d *decoder) uvarint(limit uint64) uint64 {
	head := d.rest[:min(len(d.rest), binary.MaxVarintLen64)]
	v, n := binary.Uvarint([]byte(head))
	if n <= 0 || v > limit {
		d.bad, d.rest = true, ""
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) string() (string, bool) {
	v := d.uvarint(uint64(len(d.rest))<<1 | 1)
	n := int(v >> 1)
	if n > len(d.rest) {
		d.bad, d.rest = true, ""
		return "", false
	}
	s := d.rest[:n]
	d.rest = d.rest[n:]
	return s, v&1 == 1
}
