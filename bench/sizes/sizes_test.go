package main

import (
	"flag"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var update = flag.Bool("update", false, "write the table into docs/sizes.md")

const (
	page  = "../../docs/sizes.md"
	begin = "<!-- go run ./bench/sizes -->\n"
	end   = "<!-- end -->"
)

// The table of docs/sizes.md is equal to the output of the program.
func TestTheTableOfTheDocumentation(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	table, after, more := strings.Cut(rest, end)
	if !ok || !more {
		t.Fatalf("%s has no place for the table", page)
	}
	var want strings.Builder
	if err := run(&want, defaults(), 0, "", 0); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+want.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if table != want.String() {
		t.Errorf("docs/sizes.md has\n%s\nthe program prints\n%s\n(go test ./bench/sizes -update)", table, want.String())
	}
}

// More pages never need less, and a plan has counts that provision takes.
func TestPlansGrowWithThePages(t *testing.T) {
	var last plan
	for n := 1e4; n < 1e11; n *= 1.7 {
		p := compute(measured(), defaults(), n)
		if p.rate < last.rate || p.processes < last.processes || p.partitions < last.partitions || p.brokers < last.brokers ||
			p.nodes < last.nodes || p.index < last.index || p.log < last.log || p.documents < last.documents {
			t.Errorf("%.0f pages need less than fewer: %+v after %+v", n, p, last)
		}
		if p.partitions&(p.partitions-1) != 0 || p.documents&(p.documents-1) != 0 || p.partitions > 4096 || p.documents > 4096 {
			t.Errorf("%.0f pages: %d and %d partitions", n, p.partitions, p.documents)
		}
		last = p
	}
	for _, a := range []assumptions{{}, {days: 1, pageKB: 1e9, urls: 1, replicas: 3}, {days: 1, pageKB: 20, urls: 0, replicas: 3}} {
		if run(os.Stdout, a, 0, "", 0) == nil {
			t.Errorf("%+v was taken", a)
		}
	}
	if run(os.Stdout, defaults(), 10, "", 0) == nil {
		t.Error("ten pages were computed")
	}
}
