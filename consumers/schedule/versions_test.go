package schedule

import (
	"fmt"
	"testing"
	"time"

	"millrace/schema"
)

func digestOf(s *schema.Scheduled, text string, change func(*schema.Digest)) *schema.Discovered {
	d := &schema.Digest{RowKey: s.RowKey, Rev: s.Rev, TextHash: []byte(text), Useful: true}
	if change != nil {
		change(d)
	}
	return &schema.Discovered{Host: string(schema.RowKey(s.RowKey).Host()), Body: &schema.Discovered_Digest{Digest: d}}
}

// onePage is a world with one page, fetched, with validators.
func onePage(t *testing.T) *world {
	w := newWorld(t, func(o *Options) { o.Delay = 0 })
	w.append(linksTo("com.example", ":http/a"))
	w.run()
	w.finish(0, func(o *schema.Outcome) { o.Etag, o.LastModified = "x", "yesterday" })
	w.run()
	return w
}

// Contract 4: validators are sent only if the document was made from the answer that had them.
func TestValidatorsOnlyForADocumentThatStands(t *testing.T) {
	digest := func(change func(*schema.Digest)) func(*world) {
		return func(w *world) { w.append(digestOf(w.out[0], "text", change)) }
	}
	recheck := func(w *world) {
		w.append(&schema.Discovered{Host: "com.example", Body: &schema.Discovered_Recheck{Recheck: &schema.Recheck{
			Target: &schema.Recheck_RowKey{RowKey: "com.example:http/a"}}}})
	}
	for _, c := range []struct {
		name  string
		steps []func(*world)
		sent  bool
	}{
		{"digest of the same attempt", []func(*world){digest(nil)}, true},
		{"no digest", nil, false},
		{"digest of another attempt", []func(*world){digest(func(d *schema.Digest) { d.Rev-- })}, false},
		{"noindex", []func(*world){digest(func(d *schema.Digest) { d.Noindex = true })}, false},
		{"no document", []func(*world){digest(func(d *schema.Digest) { d.DropReason = "empty" })}, false},
		{"alias", []func(*world){digest(func(d *schema.Digest) { d.Canonical = "com.example:http/b" })}, false},
		{"its own canonical", []func(*world){digest(func(d *schema.Digest) { d.Canonical = "com.example:http/a" })}, true},
		{"recheck", []func(*world){digest(nil), recheck}, false},
		{"recheck, then the digest once more", []func(*world){digest(nil), recheck, digest(nil)}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := onePage(t)
			for _, step := range c.steps {
				step(w)
				w.run()
			}
			w.pass(28*time.Hour, 10*time.Minute)
			if len(w.out) < 2 {
				t.Fatal("not fetched again")
			}
			if s := w.out[1]; (s.Etag == "x") != c.sent || (s.LastModified != "") != c.sent {
				t.Errorf("sent etag %q, last modified %q", s.Etag, s.LastModified)
			}
		})
	}
}

// Two different answers to one attempt (fetch crashed between them) are
// settled by a third one, asked for unconditionally and with a higher rev.
func TestTwoAnswersToOneAttempt(t *testing.T) {
	for name, second := range map[string]func(*world){
		"outcome": func(w *world) {
			w.finish(0, func(o *schema.Outcome) { o.Result, o.HttpStatus = schema.Outcome_GONE, 404 })
		},
		"digest": func(w *world) { w.append(digestOf(w.out[0], "another text", nil)) },
	} {
		t.Run(name, func(t *testing.T) {
			w := onePage(t)
			w.append(digestOf(w.out[0], "text", nil))
			w.run()
			second(w)
			w.run()
			if len(w.out) != 2 || w.out[1].Rev <= w.out[0].Rev || w.out[1].Etag != "" {
				t.Fatalf("after a second answer: %v", w.out[1:])
			}
			w.finish(1, func(o *schema.Outcome) { o.Result, o.HttpStatus = schema.Outcome_GONE, 404 })
			w.run()
			if row := w.row(w.out[0].RowKey); row.Status != schema.UrlRow_GONE || len(w.docs) != 1 || w.docs[0].GetGone().Rev != w.out[1].Rev {
				t.Errorf("after the third: %v, %v", row, w.docs)
			}
		})
	}
}

// A repeated answer changes nothing.
func TestRepeatsChangeNothing(t *testing.T) {
	w := onePage(t)
	w.append(digestOf(w.out[0], "text", nil))
	w.run()
	before := w.row(w.out[0].RowKey)
	w.finish(0, func(o *schema.Outcome) { o.Etag = "x" })
	w.append(digestOf(w.out[0], "text", nil))
	w.run()
	if after := w.row(w.out[0].RowKey); after.At != before.At || len(w.out) != 1 {
		t.Errorf("%v became %v", before, after)
	}
	if drops := w.link.Drops(); drops["repeated"] != 2 {
		t.Errorf("drops %v", drops)
	}
}

// Of two kinds of pages of a host the ones that change get more of the host's looks,
// those that never do fewer, and all together as many as the settings say.
func TestIntervalFollowsChange(t *testing.T) {
	const each, span = 10, 40 * 24 * time.Hour
	w := newWorld(t, func(o *Options) { o.Delay = 0 })
	w.append(linksTo("com.example", paths(2*each)...))
	w.run()
	begin := w.clock
	looks := [2]int{}
	for w.clock.Sub(begin) < span {
		for _, i := range w.unfinished() {
			s, text := w.out[i], "text"
			var n int
			if _, err := fmt.Sscanf(s.RowKey, "com.example:http/p%d", &n); err != nil {
				t.Fatalf("%s: %v", s.RowKey, err)
			}
			if n < each { // a new text each day
				text = w.clock.Format(time.DateOnly)
			}
			looks[min(n/each, 1)]++
			w.finish(i, nil)
			w.append(digestOf(s, text, nil))
		}
		w.pass(time.Hour, time.Hour)
	}
	if looks[0] < 3*looks[1] || looks[1] < 2*each {
		t.Errorf("%d looks at pages that change daily, %d at pages that never do", looks[0], looks[1])
	}
	if all, budget := looks[0]+looks[1], int(span/(24*time.Hour))*2*each; all < budget*8/10 || all > budget*11/10 {
		t.Errorf("%d looks, the budget is %d", all, budget)
	}
}
