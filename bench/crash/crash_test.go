package crash

import (
	"context"
	"testing"
	"time"

	"millrace/cmd/wire"
)

// kills is how often a crawl is killed.
const kills = 10

func TestRunSurvivesKillNine(t *testing.T) {
	s, seeds := serve(t)
	bin, dir := binary(t), t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	args := append([]string{"run"}, flags(s, dir)...)
	p := begin(t, bin, append(args, seeds...)...)
	seen := 0
	for range kills {
		// Some requests further on, in the middle of everything.
		eventually(ctx, t, s, seen+120)
		p.kill(t)
		seen = len(s.Judge().Record().Events())
		p = begin(t, bin, append(args, "--until-idle", "--idle-wait", "30s")...)
	}
	p.wait(t, 4*time.Minute)
	truth := verdict(t, s, seeds, kills)
	cfg := wire.DefaultConfig()
	cfg.Data, cfg.AllowPrivate, cfg.Scope = dir, true, "any"
	agree(t, cfg, truth)
}
