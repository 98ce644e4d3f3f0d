package page

import (
	"testing"

	"millrace/schema"
)

// BenchmarkNew measures the work that a process does once: parse models, prepare encodings.
func BenchmarkNew(b *testing.B) {
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := New(DefaultOptions(), canon, nil); err != nil {
			b.Fatal(err)
		}
	}
}
