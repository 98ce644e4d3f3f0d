package main

import (
	"bytes"
	"strings"
	"testing"

	"millrace/ops/web"
)

// TestAProposalCanBeCopied protects an operator who copies a line into a shell: the flag is a word
// of its own, and what a site put into its URLs is no command.
func TestAProposalCanBeCopied(t *testing.T) {
	var out bytes.Buffer
	c := &output{stdout: &out}
	c.printProposals([]web.Proposal{
		{NewRule: web.NewRule{Rule: "rewrite ([?&])sid=[^&]*&? -> $1", Host: "h6.site3.test"}, Evidence: "26 pairs", Confidence: .96},
		{NewRule: web.NewRule{Rule: "exclude /a';touch x;'", Site: "site3.test"}, Evidence: "200 URLs", Confidence: .99},
	})
	for _, want := range []string{
		"millrace rules add 'rewrite ([?&])sid=[^&]*&? -> $1' --host h6.site3.test\n",
		`millrace rules add 'exclude /a'\'';touch x;'\''' --site site3.test` + "\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want the line %s in\n%s", want, out.String())
		}
	}
}
