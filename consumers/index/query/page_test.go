package query

import (
	"os"
	"strings"
	"testing"
)

// docs/query-language.md, which people read, names everything that Parse knows.
func TestThePageNamesEveryOperator(t *testing.T) {
	page, err := os.ReadFile("../../../docs/query-language.md")
	if err != nil {
		t.Fatal(err)
	}
	known := []string{"`\"exactly", "`-word", "`NOT ", "*`", " OR ", "`( "}
	for _, op := range Operators() {
		known = append(known, "`"+op+":")
	}
	for _, op := range known {
		if !strings.Contains(string(page), op) {
			t.Errorf("docs/query-language.md does not name %s", op)
		}
	}
}
