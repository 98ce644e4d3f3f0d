package wire

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"millrace/producers/seeds"
)

// arrivals is a web server for any host that notes when requests begin and how many are under way.
type arrivals struct {
	*httptest.Server
	mu     sync.Mutex
	times  []time.Time
	pages  int
	flying int
	most   int
}

func newArrivals(t *testing.T) *arrivals {
	a := &arrivals{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		a.times = append(a.times, time.Now())
		a.flying++
		a.most = max(a.most, a.flying)
		if r.URL.Path != "/robots.txt" {
			a.pages++
		}
		a.mu.Unlock()
		defer func() { a.mu.Lock(); a.flying--; a.mu.Unlock() }()
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>%s</title><p>%s %s", r.Host, r.Host, strings.Repeat("The page of a host. ", 9))
	}))
	t.Cleanup(a.Close)
	return a
}

// With sites or addresses as politeness keys, hosts with the same key share its delay, measured at
// the server.
func TestHostsThatShareAKeyShareItsDelay(t *testing.T) {
	const delay = 200 * time.Millisecond
	for _, by := range []string{"site", "ip"} {
		t.Run(by, func(t *testing.T) {
			o := newArrivals(t)
			cfg := DefaultConfig()
			cfg.Data, cfg.PoliteBy, cfg.Delay = t.TempDir(), by, delay
			w := startAt(t, cfg, o.Listener.Addr().(*net.TCPAddr))
			var list []seeds.Seed
			hosts := []string{"a.x.test", "b.x.test", "c.x.test", "d.x.test"}
			if by == "ip" {
				hosts = []string{"a.test", "b.test", "c.test", "d.test"}
			}
			for _, host := range hosts {
				s, err := seeds.Parse(w.Canon, "http://"+host+"/")
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, s)
			}
			if err := w.Seed(t.Context(), list); err != nil {
				t.Fatal(err)
			}
			w.idle()
			o.mu.Lock()
			defer o.mu.Unlock()
			if o.pages != len(hosts) || o.most != 1 {
				t.Errorf("%d pages, %d requests at once", o.pages, o.most)
			}
			for i := 1; i < len(o.times); i++ {
				// A request that is written may arrive late: two percent of the delay are granted
				// (I4), and what this machine takes to hand it on.
				if gap := o.times[i].Sub(o.times[i-1]); gap < delay-20*time.Millisecond {
					t.Errorf("request %d came %s after the one before", i, gap)
				}
			}
		})
	}
}
