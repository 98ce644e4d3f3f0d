package topics

import (
	"testing"

	"millrace/schema"
)

// What a feed or a push brings is urgent on all its way to the index, and what seeds, sitemaps and
// links bring is not.
func TestWhatAFeedOrAPushBringsIsUrgentOnAllItsWay(t *testing.T) {
	added := func(producer string) *schema.Discovered {
		return &schema.Discovered{Body: &schema.Discovered_Add{Add: &schema.Add{Producer: producer}}}
	}
	for producer, want := range map[string]bool{"feeds": true, "websub": true, "indexnow": true, "seeds": false, "sitemaps": false} {
		if got := Discovered().Place(added(producer)).Urgent; got != want {
			t.Errorf("what %s adds: urgent %v", producer, got)
		}
	}
	if Discovered().Place(&schema.Discovered{Body: &schema.Discovered_Links{Links: &schema.Links{}}}).Urgent {
		t.Error("links are urgent")
	}
	for _, listed := range []int64{0, 1} {
		page := Pages().Place(&schema.Page{RowKey: "test.a:http/", ListedAt: listed}).Urgent
		unique := Unique().Place(&schema.Unique{Doc: &schema.Doc{RowKey: "test.a:http/", ListedAt: listed}}).Urgent
		if want := listed > 0; page != want || unique != want {
			t.Errorf("listed at %d: its page is urgent %v, its document %v", listed, page, unique)
		}
	}
	for _, topic := range []string{Discovered().Name, Pages().Name, Unique().Name} {
		for _, g := range Readers(topic) {
			if g.Ahead == InTurn {
				t.Errorf("%s does not look ahead on %s", g.Name, topic)
			}
		}
	}
}
