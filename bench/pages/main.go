// Command pages looks at the web pages with axe-core in a headless Chromium: narrow and wide, light
// and dark, with and without scripts, with the reader's own colours. It names every violation of a
// rule, every page that is wider than its window, every table that is cut, and everything that the
// browser complains about, such as a script that the content security policy keeps out.
//
//	npm ci --prefix DIR        in a DIR with package.json and package-lock.json of this folder: axe-core is not copied here
//	go run ./bench/pages -axe DIR/node_modules/axe-core/axe.min.js
//	go run ./bench/pages -axe … -pictures DIR       leaves a picture of every view
//	go run ./bench/pages -axe … -url http://127.0.0.1:8080 / '/?q=water' /dashboard     a crawl that runs
//
// Without -url it serves pages with made-up answers (made.go). It ends with status 1 if it found
// something, or without a browser.
//
// Limits: rules of level AAA are left out, and those of colours where the reader's own are on,
// which no rule can judge.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// way is how a page is looked at.
type way struct {
	name   string
	width  int
	scheme string
	plain  bool // without scripts
	forced bool // with the reader's colours, and without motion
	least  bool // so narrow that tables may be scrolled: 1280 px at 400 %
}

func ways() []way {
	return []way{
		{name: "light-400", width: 400, scheme: "light"}, {name: "light-1400", width: 1400, scheme: "light"},
		{name: "dark-400", width: 400, scheme: "dark"}, {name: "dark-1400", width: 1400, scheme: "dark"},
		{name: "zoomed", width: 320, scheme: "light", least: true}, {name: "plain-700", width: 700, scheme: "light", plain: true},
		{name: "forced-1400", width: 1400, scheme: "dark", forced: true},
	}
}

type options struct {
	browser, axe, pictures, url string
	limit                       time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.browser, "browser", "", "program of a Chromium (empty: the one that is installed)")
	flag.StringVar(&o.axe, "axe", "", "axe.min.js of the npm package axe-core")
	flag.StringVar(&o.pictures, "pictures", "", "folder for a picture of every view (empty: none)")
	flag.StringVar(&o.url, "url", "", "http://host:port of a millrace whose pages are looked at, as named after the flags (empty: made-up ones)")
	flag.DurationVar(&o.limit, "limit", 10*time.Minute, "time after which it gives up")
	flag.Parse()
	if err := o.look(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "pages:", err)
		os.Exit(1)
	}
}

func (o options) look(paths []string) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), o.limit)
	defer cancel()
	program, err := find(o.browser)
	if err != nil {
		return err
	}
	axe, err := os.ReadFile(o.axe)
	if err != nil {
		return fmt.Errorf("no axe-core: name its axe.min.js with -axe (how to get it: go doc ./bench/pages): %w", err)
	}
	if o.pictures != "" {
		if err := os.MkdirAll(o.pictures, 0o755); err != nil {
			return err
		}
	}
	views := named(o.url, paths)
	if o.url == "" {
		made, err := serve()
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, made.close()) }()
		views = made.views
	}
	if len(views) == 0 {
		return errors.New("name the paths of the pages after -url")
	}
	b, err := open(ctx, program)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	bad, err := o.lookAt(b, string(axe), views)
	if err != nil {
		return err
	}
	fmt.Printf("%d pages, each in %d ways: %d violations\n", len(views), len(ways()), bad)
	if bad > 0 {
		return fmt.Errorf("%d violations", bad)
	}
	return nil
}

// view is a page that is looked at.
type view struct{ name, address string }

func named(base string, paths []string) (views []view) {
	for i, path := range paths {
		views = append(views, view{fmt.Sprintf("%02d", i), base + path})
	}
	return views
}

// lookAt looks at all pages in all ways and prints what is wrong. It returns how much that is.
func (o options) lookAt(b *browser, axe string, views []view) (bad int, err error) {
	for _, w := range ways() {
		if err := b.set(w); err != nil {
			return bad, err
		}
		for _, v := range views {
			// The scripts of the page run or not; the rules are a script, too.
			err := errors.Join(b.scripts(!w.plain), b.visit(v.address), b.scripts(true))
			if err != nil {
				return bad, err
			}
			found, err := b.judge(w, axe)
			if err != nil {
				return bad, fmt.Errorf("%s: %w", v.address, err)
			}
			for _, what := range found {
				u, _ := url.Parse(v.address)
				fmt.Printf("%s %s: %s\n", u.RequestURI(), w.name, what)
			}
			bad += len(found)
			if o.pictures != "" {
				if err := b.picture(filepath.Join(o.pictures, v.name+"-"+w.name+".png")); err != nil {
					return bad, err
				}
			}
		}
	}
	return bad, nil
}

// set makes the browser's window and preferences those of a way.
func (b *browser) set(w way) error {
	features := []values{{"name": "prefers-color-scheme", "value": w.scheme}, {"name": "forced-colors", "value": "none"}, {"name": "prefers-reduced-motion", "value": ""}}
	if w.forced {
		features[1]["value"], features[2]["value"] = "active", "reduce"
	}
	return errors.Join(
		b.call("Emulation.setDeviceMetricsOverride", values{"width": w.width, "height": 900, "deviceScaleFactor": 1, "mobile": false}, nil),
		b.call("Emulation.setEmulatedMedia", values{"features": features}, nil),
	)
}

// measure opens what is folded and says how wide the page is and what is cut.
const measure = `(() => {
  document.querySelectorAll("details").forEach((d) => (d.open = true));
  const cut = [...document.querySelectorAll("main *")].filter((e) =>
    e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== "visible" && !e.closest("pre, .unseen"));
  return { wide: document.documentElement.scrollWidth, cut: cut.map((e) => e.localName + " " + (e.getAttribute("aria-label") || e.className)) };
})()`

// rules runs all rules of axe-core but those of level AAA.
const rules = `axe.run({
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice", "experimental"],
  rules: { "target-size": { enabled: true } }, resultTypes: ["violations"],
}).then((r) => r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html.slice(0, 120)).join(" ; ")))`

// judge says what is wrong with the page that was loaded.
func (b *browser) judge(w way, axe string) ([]string, error) {
	var page struct {
		Wide int
		Cut  []string
	}
	if err := b.run(measure, &page); err != nil {
		return nil, err
	}
	var found []string
	if page.Wide > w.width {
		found = append(found, fmt.Sprintf("the page is %d px wide", page.Wide))
	}
	if len(page.Cut) > 0 && !w.least {
		found = append(found, "cut: "+strings.Join(page.Cut, ", "))
	}
	var broken []string
	if err := b.run(axe, nil); err != nil {
		return nil, err
	}
	ask := rules
	if w.forced {
		ask = strings.Replace(ask, "rules: {", `rules: { "color-contrast": { enabled: false },`, 1)
	}
	if err := b.run(ask, &broken); err != nil {
		return nil, err
	}
	return append(append(found, broken...), b.heard...), nil
}
