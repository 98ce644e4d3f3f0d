package wire

import (
	"testing"

	"millrace/consumers/index"
	"millrace/schema"
)

// A shard that moved away is closed only when its new owner has read as far and has caught up.
func TestAShardIsKeptUntilItsNewOwnerHasCaughtUp(t *testing.T) {
	here := index.ShardStatus{Partition: 3, Era: 2, Offset: 100}
	for name, c := range map[string]struct {
		o    *schema.ShardOffset
		want bool
	}{
		"complete":             {&schema.ShardOffset{Partition: 3, Owned: true, Era: 2, Offset: 150, Need: 140}, true},
		"catching up":          {&schema.ShardOffset{Partition: 3, Owned: true, Era: 2, Offset: 120, Need: 140}, false},
		"behind this one":      {&schema.ShardOffset{Partition: 3, Owned: true, Era: 2, Offset: 99, Need: 90}, false},
		"just begun":           {&schema.ShardOffset{Partition: 3, Owned: true, Era: 2}, false},
		"not its owner":        {&schema.ShardOffset{Partition: 3, Era: 2, Offset: 150, Need: 140}, false},
		"of an older log":      {&schema.ShardOffset{Partition: 3, Owned: true, Era: 1, Offset: 150, Need: 140}, false},
		"of a later log":       {&schema.ShardOffset{Partition: 3, Owned: true, Era: 3, Offset: 20, Need: 20}, true},
		"of another partition": {&schema.ShardOffset{Partition: 4, Owned: true, Era: 2, Offset: 150, Need: 140}, false},
	} {
		m := &schema.MemberRow{Id: "other", Peers: "a:1", Shards: []*schema.ShardOffset{c.o}}
		if got := movedAway(here, []*schema.MemberRow{m}, "own"); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if movedAway(here, []*schema.MemberRow{m}, "other") {
			t.Errorf("%s: moved away to itself", name)
		}
		m.Peers = ""
		if movedAway(here, []*schema.MemberRow{m}, "own") {
			t.Errorf("%s: moved to who answers nobody", name)
		}
	}
}
