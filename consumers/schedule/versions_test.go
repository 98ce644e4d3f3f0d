package schedule

import (
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

// Contract 4: validators go out only if the document stands from that very answer.
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

// The arbiter rule: two answers to one attempt (fetch crashed between them) are
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

// A text that never changes is asked for less and less often, one that always
// does more and more, within bounds.
func TestIntervalFollowsChange(t *testing.T) {
	for name, c := range map[string]struct {
		text func(i int) string
		want time.Duration
	}{
		"constant": {func(int) string { return "text" }, 30 * 24 * time.Hour},
		"changing": {func(i int) string { return string(rune('a' + i)) }, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.append(linksTo("com.example", ":http/a"))
			w.run()
			for i := range 14 {
				for len(w.unfinished()) == 0 {
					w.pass(time.Hour, 30*time.Minute)
				}
				w.finish(i, nil)
				w.append(digestOf(w.out[i], c.text(i), nil))
				w.run()
			}
			if got := ms(w.row("com.example:http/a").IntervalMs); got != c.want {
				t.Errorf("interval %s, want %s", got, c.want)
			}
		})
	}
}
