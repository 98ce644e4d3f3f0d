package wire

import (
	"strings"
	"testing"
	"time"

	"millrace/consumers/schedule"
)

// A budget of re-crawls that the least interval makes impossible is refused, with what to set; what
// is not refused is what the frontier works with.
func TestASettingOfReCrawlsIsKeptOrRefused(t *testing.T) {
	for _, c := range []struct {
		recrawl, least, delay time.Duration
		refused               string
	}{
		{recrawl: time.Minute, least: time.Hour, refused: "--recrawl-min to 1m0s"},
		{recrawl: time.Minute, least: time.Minute},
		{recrawl: 0, least: time.Hour},
		{recrawl: time.Hour, least: time.Hour, delay: time.Hour},
		{recrawl: time.Hour, least: time.Hour, delay: 2 * time.Hour, refused: "delay: 2h"},
	} {
		cfg := DefaultConfig()
		cfg.Recrawl, cfg.RecrawlMin, cfg.Delay = c.recrawl, c.least, c.delay
		err := cfg.Validate()
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		o := schedule.DefaultOptions()
		o.Delay = cfg.Delay
		if cfg.recrawl(&o); o.Interval != c.recrawl || o.MinInterval != c.least || o.Validate() != nil {
			t.Errorf("%+v becomes %s and %s: %v", c, o.Interval, o.MinInterval, o.Validate())
		}
	}
}
