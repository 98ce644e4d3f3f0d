package page

import (
	"testing"

	"millrace/schema"
)

// BenchmarkNew is what a process pays once: models parsed, encodings prepared.
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
