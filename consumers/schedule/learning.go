package schedule

import (
	"context"
	"fmt"

	"millrace/consumers/schedule/patterns"
	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams/state"
)

// proposingHosts is how many hosts Propose reads if none is named, those with the most URLs first.
const proposingHosts = 200

// Patterns returns what the URLs of a host brought, by shape, most fetched first. false: nothing is
// stored.
func Patterns(ctx context.Context, s state.Store, host schema.Host) ([]patterns.Shape, bool, error) {
	tree, found, err := patternsOf(ctx, s, host)
	if err != nil || !found {
		return nil, false, err
	}
	return tree.Shapes(), true, nil
}

func patternsOf(ctx context.Context, s state.Store, host schema.Host) (*patterns.Tree, bool, error) {
	row := &schema.PatternsRow{}
	found, err := table.Read(ctx, s, schema.Pattern, table.Patterns(host), row)
	if err != nil || !found {
		return nil, false, err
	}
	return patterns.New(row), true, nil
}

// Suggestion is a rule that the patterns of a host suggest.
type Suggestion struct {
	Host schema.Host
	patterns.Proposal
}

// Propose returns the rules that the patterns of a host suggest; for host "" those of the hosts
// with the most URLs.
func Propose(ctx context.Context, s state.Store, host schema.Host) ([]Suggestion, error) {
	list := []schema.Host{host}
	if host == "" {
		hosts, _, err := Hosts(ctx, s, "urls", "", proposingHosts)
		if err != nil {
			return nil, err
		}
		list = nil
		for _, h := range hosts {
			list = append(list, h.Name)
		}
	}
	var out []Suggestion
	for _, h := range list {
		tree, found, err := patternsOf(ctx, s, h)
		if err != nil {
			return nil, fmt.Errorf("patterns of %s: %w", h, err)
		}
		if !found {
			continue
		}
		for _, p := range tree.Propose(h.Name()) {
			out = append(out, Suggestion{h, p})
		}
	}
	return out, nil
}

// learnt says what the patterns of the host would do with a link to a URL that is not known.
func (w *Story) learnt(ctx context.Context, s state.Store, o Options) error {
	if w.Row != nil || w.Host == nil || w.Drop != "" || !o.Traps {
		return nil
	}
	tree, found, err := patternsOf(ctx, s, w.RowKey.Host())
	if err != nil || !found {
		return err
	}
	path := w.RowKey.Path()
	switch canonical := tree.Canonical(path); {
	case canonical != path:
		w.Verdict = "Not known under this address: a link to it leads to " + schema.JoinRowKey(w.RowKey.Host(), canonical).URL() +
			", since what is left out never changed the text"
	case tree.Closed(path, 0): // time 0: the weekly trials of a closed shape do not count
		w.Drop = policy.ReasonTrap
		w.Verdict = "Not known: " + schema.ReasonOf(policy.ReasonTrap).Why + ", so a link to it is dropped"
	}
	return nil
}
