package schedule

import (
	"testing"

	"millrace/bench/traps"
)

// A shop with 10,000 products below one shape is fetched whole, with few requests beside them.
func TestTenThousandProductsOfOneShapeAreAllFetched(t *testing.T) {
	p := newPaced(t, traps.BigShop(), 1)
	p.crawl(paces()[1])
	c := p.web.Counts()[0]
	t.Logf("%d beside, %d of %d found", c.Extra, c.Found, c.Honest)
	if c.Found != c.Honest || c.Honest != 10_000 || c.Extra > 300 {
		t.Errorf("%d of %d products found, %d requests beside", c.Found, c.Honest, c.Extra)
	}
}
