package provision

import (
	"testing"

	"millrace/schema"
	"millrace/streams"
)

// A state that was laid out otherwise is refused, whatever the difference.
func TestAStateLaidOutOtherwiseIsRefused(t *testing.T) {
	l := streams.Layout{PerHost: 4, PerSite: 4}
	for name, change := range map[string]func(*schema.MetaRow){
		"tables":        func(m *schema.MetaRow) { m.Layout = tablesLayout - 1 },
		"canonicaliser": func(m *schema.MetaRow) { m.Canonicalizer = "other" },
		"partitions":    func(m *schema.MetaRow) { m.HostPartitions = 8 },
	} {
		m := &schema.MetaRow{Era: 1, HostPartitions: 4, SitePartitions: 4, Canonicalizer: "c", Layout: tablesLayout}
		if err := Check(m, l, "c"); err != nil {
			t.Fatal(err)
		}
		if change(m); Check(m, l, "c") == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}
