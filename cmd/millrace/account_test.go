package main

import (
	"bytes"
	"strings"
	"testing"

	"millrace/ops/watch"
)

func TestStatusPrintsNotesAndASum(t *testing.T) {
	var out bytes.Buffer
	c := &output{stdout: &out}
	c.printNotices([]watch.Notice{{Kind: watch.UniqueFull, Text: "docs.unique is full: begin another crawl"}, {Kind: watch.LogChanged, Text: "cut\x1b"}})
	c.printAccount(&watch.Report{
		Pages:    &watch.Pages{Documents: 748, SameText: 300},
		Frontier: &watch.Frontier{ByStatus: map[string]int64{"FETCHED": 1171}, ByReason: map[string]int64{"noindex": 5, "feed": 18}},
	})
	c.printAccount(&watch.Report{ // the frontier is behind: documents are counted already
		Pages:    &watch.Pages{Documents: 748, SameText: 300},
		Frontier: &watch.Frontier{ByStatus: map[string]int64{"FETCHED": 1040}},
	})
	for _, want := range []string{
		"fetched          1,040   = 748 documents + 300 with the same text as one of them - 8 counted before their URLs\n",
		"note: docs.unique is full: begin another crawl\n", "note: cut\n",
		"fetched          1,171   = 748 documents + 300 with the same text as one of them + 5 ask not to be indexed + 18 feeds + 100 on their way, or dead letters\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
}
