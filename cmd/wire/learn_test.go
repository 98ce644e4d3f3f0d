package wire

import (
	"context"
	"log/slog"
	"testing"

	"millrace/consumers/rules"
	"millrace/ops/web"
	"millrace/schema"
)

// With --learn, proposals with enough confidence become rules; a rule that an operator removed
// stays removed.
func TestProposalsBecomeRules(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Data, cfg.Listen, cfg.Learn = t.TempDir(), "127.0.0.1:0", 95
	sys, err := Open(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer sys.Close()
	sys.groups.propose = func(context.Context, string) ([]web.Proposal, error) {
		of := func(rule string, sure float64) web.Proposal {
			return web.Proposal{NewRule: web.NewRule{Rule: rule, Host: "www.example.com"}, Evidence: "0 of 60", Confidence: sure}
		}
		return []web.Proposal{of("exclude /perhaps/", 0.9), of("exclude /surely/", 0.98)}, nil
	}
	added := func(want int) {
		t.Helper()
		if n, err := sys.runner.learnRules(t.Context()); err != nil || n != want {
			t.Fatalf("%d rules were added, want %d: %v", n, want, err)
		}
	}
	added(1)
	added(0)
	list := sys.control.Set().List(func(d rules.Decision) bool { return !d.Off })
	if len(list) != 1 || list[0].Control.By != "learnt" || list[0].Control.Note != "0 of 60" || list[0].Control.GetRule().Host != "www.example.com" {
		t.Fatalf("%+v", list)
	}
	q := rules.Query{URL: "https://www.example.com/surely/1", Host: "com.example.www", Path: ":https/surely/1", Site: "example.com", Kind: schema.Kind_PAGE}
	if v := sys.control.Set().Judge(q, rules.Latest); !v.Out {
		t.Error("the rule is not in force")
	}
	off := list[0].Control.CloneVT()
	off.Off = true
	if _, err := sys.control.Append(t.Context(), off); err != nil {
		t.Fatal(err)
	}
	added(0)
}
