package wire

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"millrace/topics"
)

// Every group of the map can be run by this program; a group that nobody wrote an entry for is an
// error of the start that says so.
func TestEveryGroupOfTheMapIsRun(t *testing.T) {
	r := &runner{}
	have, want := slices.Sorted(maps.Keys(r.runs())), slices.Sorted(slices.Values(topics.GroupNames()))
	if !slices.Equal(have, want) {
		t.Errorf("runs of cmd/wire/run.go has  %v\ntopics.Groups has             %v", have, want)
	}
	if _, err := r.runsOf([]string{"fetch", "fetsch"}); err == nil || !strings.Contains(err.Error(), `no group "fetsch"`) {
		t.Errorf("a name that is no group: %v", err)
	}
}
