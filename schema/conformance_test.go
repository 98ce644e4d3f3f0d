package schema

import (
	"flag"
	"fmt"
	"millrace/bench/outside"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata files")

const unexplained = "UNEXPLAINED"

// TestConformance measures our form of URLs against outside collections. The
// shares and every single difference, with its reason, are in
// testdata/conformance.txt; -update rewrites it and keeps the reasons known.
func TestConformance(t *testing.T) {
	dir := outside.Need(t, "urls")
	const name = "testdata/conformance.txt"
	golden, err := os.ReadFile(name)
	if err != nil && !*update {
		t.Fatal(err)
	}
	reasons := readReasons(string(golden))
	var b strings.Builder
	b.WriteString(conformanceHead)
	for _, set := range dataSets() {
		verdicts := set.cases(t, dir)
		if len(verdicts) == 0 {
			t.Errorf("%s: no cases", set.name)
		}
		writeSet(&b, set, verdicts, reasons)
	}
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if b.String() != string(golden) {
		t.Errorf("conformance changed: go test -run TestConformance -update, then read the diff of %s", name)
	}
	if strings.Contains(b.String(), unexplained) {
		t.Errorf("%s has differences without a reason", name)
	}
}

const conformanceHead = `How the canonical form of URLs agrees with outside collections of cases.
Below each collection: the differences, by reason, as input -> our form.
Written by go test -run TestConformance -update; reasons are by hand.
`

// writeSet prints a collection's share and its differences by reason.
func writeSet(b *strings.Builder, set dataSet, verdicts []verdict, reasons map[string]string) {
	byReason := map[string][]string{}
	wrong := 0
	for _, v := range verdicts {
		if v.got == v.want {
			continue
		}
		wrong++
		row := strconv.Quote(shorten(v.input)) + " -> " + strconv.Quote(shorten(v.got))
		reason := reasons[set.name+row]
		if reason == "" {
			reason = unexplained
		}
		byReason[reason] = append(byReason[reason], row)
	}
	fmt.Fprintf(b, "\n%s %d/%d: %s\n", set.name, len(verdicts)-wrong, len(verdicts), set.about)
	var order []string
	for reason := range byReason {
		order = append(order, reason)
	}
	slices.Sort(order)
	for _, reason := range order {
		fmt.Fprintf(b, "  # %s\n", reason)
		for _, row := range byReason[reason] {
			fmt.Fprintf(b, "    %s\n", row)
		}
	}
}

// readReasons maps set name + row to the reason it stands under.
func readReasons(golden string) map[string]string {
	reasons := map[string]string{}
	set, reason := "", ""
	for line := range strings.Lines(golden) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "    "):
			reasons[set+line[4:]] = reason
		case strings.HasPrefix(line, "  # "):
			reason = line[4:]
		default:
			set, _, _ = strings.Cut(line, " ")
		}
	}
	return reasons
}

func shorten(s string) string {
	const most = 100
	if len(s) <= most {
		return s
	}
	return s[:most] + "…" + strconv.Itoa(len(s)) + " bytes"
}
