package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"millrace/consumers/fetch/robots"
	"millrace/consumers/fetch/web"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// failSends lets the first n appends fail, and big pages always.
func failSends(n *int) func(streams.Send) error {
	return func(s streams.Send) error {
		if s.Topic == "pages.fetched" && bytes.Contains(s.Value, []byte("BIG")) {
			return streams.DeadLetter("too_big", "a big page")
		}
		if *n > 0 {
			*n--
			return errors.New("broker does not answer")
		}
		return nil
	}
}

// TestRetryAfterBlocksTheHostAndSurvivesARestart is X4.
func TestRetryAfterBlocksTheHostAndSurvivesARestart(t *testing.T) {
	for name, value := range map[string]func() string{
		"seconds": func() string { return "40" },
		"date":    func() string { return time.Now().Add(42 * time.Second).UTC().Format(http.TimeFormat) },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, nil, func(w *world) {
				w.serve("/busy", web.Result{Status: 429, Header: header("Retry-After", value())})
				w.schedule("https://a.test/busy", func(s *schema.Scheduled) { s.Class = 0 })
				w.schedule("https://a.test/1")
				w.wait(3 * time.Second)
				blocked := w.one().HostNotice.BlockedUntil
				left := time.UnixMilli(blocked).Sub(time.Now())
				if left < 35*time.Second || left > 40*time.Second {
					t.Errorf("blocked for another %v", left)
				}
				w.shut(false)
				w.boot(w.f.o)
				w.schedule("https://a.test/2")
				w.wait(time.Minute)
				for _, h := range w.origin.all() {
					if h.path == "/2" && h.at.UnixMilli() < blocked {
						t.Errorf("asked %v too early after the restart", time.UnixMilli(blocked).Sub(h.at))
					}
				}
				if got := w.origin.paths("a.test"); got != "/robots.txt /busy /2" {
					t.Errorf("asked for %s: robots.txt was kept, and /1 is the first owner's", got)
				}
			})
		})
	}
}

func TestBackoffDoublesAndIsForgiven(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.serve("/down", broken(web.KindConnect))
		var last time.Time
		for n := range 4 {
			w.schedule("https://a.test/down", func(s *schema.Scheduled) { s.Rev = int64(n + 1) })
			w.wait(45 * time.Second)
			blocked := time.UnixMilli(w.outcomes()[n].HostNotice.BlockedUntil)
			at := w.origin.all()[len(w.origin.all())-1].at
			if want := 5 * time.Second << n; blocked.Sub(at).Round(time.Second) != want {
				t.Errorf("failure %d: back-off of %v, want %v", n+1, blocked.Sub(at), want)
			}
			if at.Before(last) {
				t.Errorf("failure %d: asked during the back-off", n+1)
			}
			last = blocked
		}
		w.schedule("https://a.test/fine")
		w.wait(time.Minute)
		w.schedule("https://a.test/down", func(s *schema.Scheduled) { s.Rev = 9 })
		w.wait(20 * time.Second)
		list := w.outcomes()
		o := list[len(list)-1]
		if d := o.HostNotice.BlockedUntil - o.FetchedAt; d != 5000 {
			t.Errorf("after an answer the back-off begins anew; it is %d ms", d)
		}
	})
}

func TestTheStoreIsWrittenOnChangeOnly(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		for n := range 20 {
			w.schedule(urlN("a.test", n))
		}
		w.wait(30 * time.Second)
		if len(w.outcomes()) != 20 || w.store.writes != 1 {
			t.Errorf("%d writes for %d answers of one host", w.store.writes, len(w.outcomes()))
		}
	})
}

func TestUnreachableRobotsForbidsUnlessThereIsAGoodCopy(t *testing.T) {
	inWorld(t, func(o *Options) { o.RobotsGood = 2 * 24 * time.Hour }, func(w *world) {
		w.serve("/robots.txt", web.Result{Status: 500})
		w.schedule("https://a.test/1")
		w.wait(5 * time.Second)
		o := w.one()
		if o.Result != schema.Outcome_ROBOTS || o.HostNotice.Robots != schema.HostNotice_UNREACHABLE || o.Until-time.Now().UnixMilli() < 10*60*1000 {
			t.Errorf("outcome %v", o)
		}
		w.robots("User-agent: *\nDisallow: /private")
		w.wait(20 * time.Minute)
		w.schedule("https://a.test/2")
		w.wait(25 * time.Hour) // the copy is too old to be used without asking
		w.serve("/robots.txt", web.Result{Status: 503})
		w.schedule("https://a.test/3")
		w.wait(30 * time.Second)
		w.schedule("https://a.test/4")
		w.schedule("https://a.test/private")
		w.wait(30 * time.Second)
		if got := w.results(); got != "ROBOTS OK OK OK ROBOTS" && got != "ROBOTS OK OK ROBOTS OK" {
			t.Errorf("results %s; asked for %s", got, w.origin.paths("a.test"))
		}
		w.wait(2 * 24 * time.Hour) // and after two days, here, it is no good copy
		w.schedule("https://a.test/5")
		w.wait(30 * time.Second)
		list := w.outcomes()
		if o := list[len(list)-1]; o.Result != schema.Outcome_ROBOTS || o.HostNotice.Robots != schema.HostNotice_UNREACHABLE {
			t.Errorf("outcome %v", o)
		}
	})
}

func TestADeadHostIsNotWaitedForForEver(t *testing.T) {
	for _, kind := range []web.Kind{web.KindDNS, web.KindConnect, web.KindSSRF} {
		inWorld(t, nil, func(w *world) {
			w.serve("/robots.txt", broken(kind))
			w.schedule("https://a.test/1")
			w.wait(5 * time.Second)
			o := w.one()
			if o.Result != resultOfError(kind) || o.ErrorKind != string(kind) {
				t.Errorf("outcome %v", o)
			}
			if got := w.origin.paths("a.test"); got != "/robots.txt" {
				t.Errorf("asked for %s", got)
			}
		})
	}
}

func TestRedirectsOfRobots(t *testing.T) {
	t.Run("inside the site it waits", func(t *testing.T) {
		inWorld(t, nil, func(w *world) {
			w.serve("/robots.txt", web.Result{Status: 301, Header: header("Location", "/r2")})
			w.serve("/r2", web.Result{Status: 302, Header: header("Location", "/r3")})
			w.serve("/r3", web.Result{Status: 200, Body: []byte("User-agent: *\nDisallow: /x")})
			w.schedule("https://a.test/1")
			w.schedule("https://a.test/x")
			w.wait(10 * time.Second)
			if got := w.origin.paths("a.test"); got != "/robots.txt /r2 /r3 /1" {
				t.Errorf("asked for %s", got)
			}
			w.checkGaps("a.test", 1005*time.Millisecond)
		})
	})
	t.Run("to a stranger it is followed at once", func(t *testing.T) {
		inWorld(t, nil, func(w *world) {
			w.origin.answer = func(r web.Request, path string) web.Result {
				switch r.URL {
				case "https://a.test/robots.txt":
					return web.Result{Status: 301, Header: header("Location", "https://b.example/robots.txt")}
				case "https://b.example/robots.txt":
					return web.Result{Status: 200, Body: []byte("User-agent: *\nDisallow: /x")}
				}
				return web.Result{Status: 200}
			}
			w.schedule("https://a.test/x")
			w.schedule("https://a.test/y")
			w.wait(10 * time.Second)
			if w.origin.paths("a.test") != "/robots.txt /y" || w.origin.paths("b.example") != "/robots.txt" {
				t.Errorf("asked %s and %s", w.origin.paths("a.test"), w.origin.paths("b.example"))
			}
		})
	})
	for name, theirs := range map[string]web.Result{
		"forbids it":          {Status: 200, Body: []byte("User-agent: *\nDisallow: /")},
		"cannot be read":      {Status: 500},
		"is not there at all": broken(web.KindDNS),
		"leads elsewhere":     {Status: 302, Header: header("Location", "https://c.example/robots.txt")},
	} {
		t.Run("to a stranger whose robots.txt "+name, func(t *testing.T) {
			inWorld(t, nil, func(w *world) {
				w.origin.answer = func(r web.Request, path string) web.Result {
					switch {
					case r.URL == "https://a.test/robots.txt":
						return web.Result{Status: 301, Header: header("Location", "https://b.example/theirs.txt")}
					case path == "/robots.txt":
						return theirs
					}
					return web.Result{Status: 200}
				}
				w.schedule("https://a.test/x")
				w.wait(20 * time.Second)
				if w.origin.paths("a.test") != "/robots.txt" || w.origin.paths("b.example") != "/robots.txt" {
					t.Errorf("asked %s and %s", w.origin.paths("a.test"), w.origin.paths("b.example"))
				}
				if o := w.one(); o.Result != schema.Outcome_ROBOTS || o.HostNotice.Robots != schema.HostNotice_UNREACHABLE {
					t.Errorf("outcome %v", o)
				}
			})
		})
	}
	t.Run("to a name in the server's own charset", func(t *testing.T) {
		inWorld(t, nil, func(w *world) {
			w.serve("/robots.txt", web.Result{Status: 301, Header: header("Location", "/r\xe9gles.txt")})
			w.serve("/r%E9gles.txt", web.Result{Status: 200, Body: []byte("User-agent: *\nDisallow: /x")})
			w.schedule("https://a.test/x")
			w.wait(10 * time.Second)
			if got := w.origin.paths("a.test"); got != "/robots.txt /r%E9gles.txt" {
				t.Errorf("asked for %s", got)
			}
		})
	})
	t.Run("a dead stranger is not the host's failure", func(t *testing.T) {
		inWorld(t, nil, func(w *world) {
			w.origin.set(func() {
				w.origin.answer = func(r web.Request, path string) web.Result {
					if r.URL == "https://a.test/robots.txt" {
						return web.Result{Status: 301, Header: header("Location", "https://dead.example/robots.txt")}
					}
					return broken(web.KindDNS)
				}
			})
			w.schedule("https://a.test/x")
			w.wait(10 * time.Second)
			o := w.one()
			if o.Result != schema.Outcome_ROBOTS || o.HostNotice.Robots != schema.HostNotice_UNREACHABLE || o.HostNotice.BlockedUntil != 0 {
				t.Errorf("outcome %v", o)
			}
		})
	})
	t.Run("without end it is none", func(t *testing.T) {
		inWorld(t, nil, func(w *world) {
			w.serve("/robots.txt", web.Result{Status: 301, Header: header("Location", "/robots.txt?")})
			w.serve("/robots.txt?", web.Result{Status: 301, Header: header("Location", "/robots.txt")})
			w.schedule("https://a.test/1")
			w.wait(20 * time.Second)
			if got := w.one(); got.Result != schema.Outcome_OK || len(w.origin.all()) != 7 {
				t.Errorf("outcome %v after %d requests", got, len(w.origin.all()))
			}
		})
	})
}

func TestAKeptConnectionThatDiedIsForgivenOnce(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		res := broken(web.KindReset)
		res.Reused = true
		w.serve("/1", res)
		w.schedule("https://a.test/1")
		w.wait(10 * time.Second)
		if got := w.origin.paths("a.test"); got != "/robots.txt /1 /1" {
			t.Errorf("asked for %s", got)
		}
		if o := w.one(); o.Result != schema.Outcome_NETWORK || o.ErrorKind != "reset" {
			t.Errorf("outcome %v", o)
		}
		w.checkGaps("a.test", 1005*time.Millisecond)
	})
}

func TestStatusOfRobots(t *testing.T) {
	want := map[int]schema.HostNotice_Robots{
		200: schema.HostNotice_RULES, 204: schema.HostNotice_RULES, 301: schema.HostNotice_ALLOW_ALL,
		429: schema.HostNotice_UNREACHABLE, 500: schema.HostNotice_UNREACHABLE, 503: schema.HostNotice_UNREACHABLE, 0: schema.HostNotice_UNREACHABLE,
	}
	for status := 400; status < 429; status++ { // 419 is the last of crawler-commons' own list
		want[status] = schema.HostNotice_ALLOW_ALL
	}
	for status, verdict := range want {
		if got := robotsVerdict(status); got != verdict {
			t.Errorf("%d: %v, want %v", status, got, verdict)
		}
	}
}

func TestHostsAreForgottenByBytes(t *testing.T) {
	o := DefaultOptions()
	o.HostBytes = 10 * hostBytes
	hs := newHosts(&rows{}, o)
	for i := range 100 {
		h, err := hs.take(t.Context(), hostID{0, fmt.Sprint(i)})
		if err != nil {
			t.Fatal(err)
		}
		hs.release(h)
	}
	held, err := hs.take(t.Context(), hostID{0, "held"})
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := hs.take(t.Context(), hostID{0, "held"}); again != held {
		t.Error("two hosts for one key")
	}
	hs.release(held)
	if held.idle != nil {
		t.Error("a host in use counts as idle")
	}
	if len(hs.byID) != 11 || hs.idle.Len() != 10 || hs.byID[hostID{0, "99"}] == nil {
		t.Errorf("%d hosts in memory", len(hs.byID))
	}
}

// TestALaterOwnerReadsTheRowAnew: what a process remembers of a partition it gave up may be old.
func TestALaterOwnerReadsTheRowAnew(t *testing.T) {
	store := &rows{cells: map[string]state.Mutation{}}
	mine, theirs := newHosts(store, DefaultOptions()), newHosts(store, DefaultOptions())
	id := hostID{3, "test.a"}
	h, err := mine.take(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	mine.release(h)
	mine.drop(3)
	other, err := theirs.take(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	until := other.fail(time.Now(), time.Hour, time.Second, time.Hour)
	if err := theirs.save(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	back, err := mine.take(t.Context(), id)
	if err != nil || !back.blockedUntil().Equal(until.Truncate(time.Millisecond)) {
		t.Errorf("blocked until %v, want %v (%v)", back.blockedUntil(), until, err)
	}
}

func TestRowsComeBack(t *testing.T) {
	o := DefaultOptions()
	h := &host{files: map[string]*robotsFile{}}
	now := time.Now().Truncate(time.Millisecond)
	h.settle("https://a.test", schema.HostNotice_RULES, robots.Parse([]byte("User-agent: *\nDisallow: /x\nCrawl-delay: 7"), o.Name), 200, now, now.Add(time.Hour), 0)
	h.settle("http://a.test", schema.HostNotice_UNREACHABLE, nil, 500, now, now.Add(time.Minute), 0)
	h.fail(now, 0, o.BackoffFirst, o.BackoffMost)
	row := h.row(now)
	if next := h.row(now); next.At <= row.At {
		t.Error("a later write has no higher timestamp")
	}
	back := &host{files: map[string]*robotsFile{}}
	back.load(row, o.agents())
	if back.failures != 1 || !back.blocked.Equal(h.blocked) || back.delay(0, time.Hour) != 7*time.Second {
		t.Errorf("row %v", row)
	}
	for path, want := range map[string]ruling{"/x": forbidden, "/y": allowed} {
		if got, _ := back.rule("https://a.test", path, now, o.RobotsGood, 0); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	if got, _ := back.rule("http://a.test", "/y", now, o.RobotsGood, 0); got != unreachable {
		t.Errorf("the other authority: %v", got)
	}
	if pause := back.retry("http://a.test", time.Second, time.Hour); pause != 2*time.Minute {
		t.Errorf("the pause after one of a minute is %v", pause)
	}
	renamed := &host{files: map[string]*robotsFile{}}
	renamed.load(row, []string{"otherbot"})
	if got, _ := renamed.rule("https://a.test", "/y", now, o.RobotsGood, 0); got != unknown {
		t.Errorf("rules for another name were taken: %v", got)
	}
}

func TestAKeyKeepsABoundedNumberOfRobots(t *testing.T) {
	h := &host{files: map[string]*robotsFile{}}
	now := time.Now()
	for i := range 200 {
		h.settle(fmt.Sprint("https://h", i), schema.HostNotice_ALLOW_ALL, nil, 404, now.Add(time.Duration(i)), now.Add(time.Hour), 0)
	}
	if len(h.files) != maxAuthorities || h.files["https://h199"] == nil {
		t.Errorf("%d files", len(h.files))
	}
}

func TestOldAttemptsAreForgotten(t *testing.T) {
	h := newHeld()
	for i := range int64(3 * remembered) {
		s := &schema.Scheduled{RowKey: "a", Rev: i}
		if !h.add(s) {
			t.Fatal("taken for a repeat")
		}
		h.finish(s)
	}
	if len(h.ids) != remembered {
		t.Errorf("%d attempts in memory", len(h.ids))
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "0": 0, "120": 2 * time.Minute, " 7 ": 7 * time.Second, "-5": 0, "soon": 0, "1.5": 2 * time.Second, "120.0": 2 * time.Minute, ".5": 0, "1e3": 0,
		"99999999999999999999": time.Hour, strings.Repeat("9", 400): time.Hour, "4611686018427387903": time.Hour, "86400": time.Hour,
		"Sat, 21 Nov 2026 12:01:00 GMT": time.Minute, "Sat, 21 Nov 2026 11:00:00 GMT": 0, "Sat, 21 Nov 2099 11:00:00 GMT": time.Hour,
	} {
		if got := retryAfter(header("Retry-After", value), now, time.Hour); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}

func TestOptionsAskForAContact(t *testing.T) {
	o := DefaultOptions()
	if o.Validate() == nil {
		t.Error("a public crawl without a contact")
	}
	o.Contact = "https://example.test/bot"
	if err := o.Validate(); err != nil || o.UserAgent() != "millrace/0.1 (+https://example.test/bot)" {
		t.Errorf("%v, %s", err, o.UserAgent())
	}
	o.Contact = "a)\r\nX: y"
	if o.Validate() == nil {
		t.Error("a contact that breaks the header")
	}
	private := DefaultOptions()
	private.Web.AllowPrivate = true
	if err := private.Validate(); err != nil {
		t.Error(err)
	}
}

// TestServerErrorsOfManyURLsRestTheHost: 500, 502 and 504 of different URLs give the host a growing
// rest, which a new process obeys; an answer ends it.
func TestServerErrorsOfManyURLsRestTheHost(t *testing.T) {
	for _, status := range []int{500, 502, 504, 520} {
		inWorld(t, nil, func(w *world) {
			w.origin.answer = func(r web.Request, path string) web.Result {
				if path == "/robots.txt" {
					return web.Result{Status: 404}
				}
				return web.Result{Status: status}
			}
			for n := range 50 {
				w.schedule(urlN("down.test", n))
			}
			w.wait(55 * time.Second)
			if n := len(w.origin.all()); n > 8 { // robots.txt, two URLs, then after 5, 10, 20, 40 s
				t.Errorf("%d: asked %d times in 55 s", status, n)
			}
			var blocked int64
			for _, o := range w.outcomes() {
				blocked = max(blocked, o.GetHostNotice().GetBlockedUntil())
			}
			if blocked <= time.Now().UnixMilli() {
				t.Fatalf("%d: schedule is not told of a rest", status)
			}
			w.shut(false)
			w.collect()
			asked := len(w.origin.all())
			w.boot(w.f.o)
			w.schedule(urlN("down.test", 100))
			w.wait(time.UnixMilli(blocked).Sub(time.Now()) - time.Second)
			if n := len(w.origin.all()); n != asked {
				t.Errorf("%d: a new process asked during the rest", status)
			}
		})
	}
}

// TestOneBadURLDoesNotRestItsHost: others of the host are fetched at its delay.
func TestOneBadURLDoesNotRestItsHost(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.serve("/bad", web.Result{Status: 500})
		for n := range 20 {
			w.schedule(urlN("a.test", n))
			w.schedule("https://a.test/bad", func(s *schema.Scheduled) { s.Rev = int64(n) + 1 })
		}
		w.wait(45 * time.Second)
		for _, o := range w.outcomes() {
			if o.GetHostNotice().GetBlockedUntil() != 0 {
				t.Fatalf("the host is resting: %v", o)
			}
		}
		if n := len(w.outcomes()); n != 40 {
			t.Errorf("%d outcomes", n)
		}
	})
	inWorld(t, nil, func(w *world) { // and if nothing else of it is asked for
		w.serve("/bad", web.Result{Status: 502})
		for n := range 20 {
			w.schedule("https://a.test/bad", func(s *schema.Scheduled) { s.Rev = int64(n) + 1 })
		}
		w.wait(45 * time.Second)
		for _, o := range w.outcomes() {
			if o.GetHostNotice().GetBlockedUntil() != 0 {
				t.Fatalf("the host is resting: %v", o)
			}
		}
	})
}

// An answer that begins and does not end is its URL's trouble: the others of its host are fetched
// at its delay. Several URLs of that kind in a row are the host's.
func TestAnAnswerWithoutEndDoesNotRestItsHost(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		endless := web.Result{Status: 200, Err: &web.Error{Kind: web.KindTimeout, Err: errors.New("no end")}}
		w.serve("/stream", endless)
		w.schedule("https://a.test/stream")
		for n := range 20 {
			w.schedule(urlN("a.test", n))
		}
		w.wait(45 * time.Second)
		if n := len(w.outcomes()); n != 21 {
			t.Errorf("%d outcomes", n)
		}
		rested := 0
		for n := range 3 {
			path := fmt.Sprintf("/stream/%d", n)
			w.serve(path, endless)
			w.schedule("https://a.test" + path)
		}
		w.wait(2 * time.Minute)
		for _, o := range w.outcomes() {
			if o.GetHostNotice().GetBlockedUntil() != 0 {
				rested++
			}
		}
		if rested == 0 || rested > 2 {
			t.Errorf("%d of three streams in a row rested the host", rested)
		}
	})
}

// A host that answers 503 to all, and each time asks for a second of rest only, is not asked once a
// second for ever.
func TestAServerThatNeverServesIsLeftAloneWhateverItAsksFor(t *testing.T) {
	for _, value := range []string{"1", "0", "-5", "Thu, 01 Jan 1970 00:00:00 GMT", "soon"} {
		inWorld(t, nil, func(w *world) {
			w.origin.set(func() {
				w.origin.answer = func(_ web.Request, path string) web.Result {
					if path == "/robots.txt" {
						return web.Result{Status: 404}
					}
					return web.Result{Status: 503, Header: header("Retry-After", value)}
				}
			})
			for n := range 720 { // one URL every five seconds, for an hour
				w.schedule(fmt.Sprintf("https://a.test/%d", n))
				w.wait(5 * time.Second)
			}
			if n := len(w.origin.all()); n < 5 || n > 30 {
				t.Errorf("Retry-After %s: %d requests in an hour", value, n)
			}
		})
	}
}
