package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"millrace/bench/miniweb"
	"millrace/consumers/extract/page"
)

// manualPages is how many pages of each host are read, spread evenly over its files.
const manualPages = 400

// manuals measures false days of publication: on pages of manuals, which are full of section
// numbers, versions and days of other things, a day is right only if the page says that it is its
// own. cache is where package miniweb unpacks the manuals.
func (m *measurement) manuals(cache string) error {
	hosts, err := miniweb.Load(context.Background(), filepath.Join(m.dir, "miniweb", "hosts.json"), cache)
	if err != nil {
		return err
	}
	var all manual
	for _, h := range hosts {
		one := manual{}
		for _, mount := range h.Mounts {
			root := filepath.Join(cache, mount.Package, mount.Docroot)
			files, err := htmlFiles(root)
			if err != nil {
				return err
			}
			for i := range min(len(files), manualPages) {
				file := files[i*len(files)/min(len(files), manualPages)]
				if err := one.read(m, "http://"+h.Name+strings.TrimSuffix(mount.Path, "/")+"/", root, file); err != nil {
					return err
				}
			}
		}
		one.print(m, h.Name)
		all.pages += one.pages
		all.given += one.given
		all.false += one.false
	}
	all.print(m, "all manuals")
	return nil
}

// manual counts the pages of a host.
type manual struct {
	pages, given, false int
	notes               []string
}

func (c *manual) print(m *measurement, name string) {
	fmt.Fprintf(m.out, "%-24s pages %5d  with a day %5d  false %4d (%.2f %%)\n", name, c.pages, c.given, c.false, 100*float64(c.false)/float64(max(c.pages, 1)))
	if m.verbose {
		for _, n := range c.notes {
			fmt.Fprintln(m.out, "    "+n)
		}
	}
}

func (c *manual) read(m *measurement, base, root, file string) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(root, file)
	if err != nil {
		return err
	}
	in := page.Input{URL: base + filepath.ToSlash(rel), ContentType: "text/html", Body: body, FetchedAt: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}
	r := m.extractor.Extract(in)
	c.pages++
	if r.Published.Time.IsZero() {
		return nil
	}
	c.given++
	note := fmt.Sprintf("%.2f %s %s %q", r.Published.Sure, in.URL, r.Published.From, r.Published.Text)
	if said, before := isItsOwn(body, r.Published); said {
		c.notes = append(c.notes, "own   "+note+" after "+before)
	} else {
		c.false++
		c.notes = append(c.notes, "false "+note+" after "+before)
	}
	return nil
}

// ownWords are what pages write before a day that is their own.
var ownWords = regexp.MustCompile(`(?i)(updat|modif|chang|revis|revid|publi|posted|written|created|generat|built|date|version|release|edition|\bon\b|` +
	`обновл|измен|дата|выпу|верс|更新|修改|日期|发布|發布|版|最后|最後|datum|stand|mis à jour|fecha|actualiz|última|verö|geändert|修订)`)

// isItsOwn reports whether a page states a day of itself: in metadata, or behind words that say so.
func isItsOwn(body []byte, d page.Date) (bool, string) {
	if d.From == "json-ld" || strings.HasPrefix(d.From, "meta") {
		return true, d.From
	}
	text := textOfAll(body)
	said, day := "", d.Text[:min(len(d.Text), 10)]
	for rest := text; ; {
		i := strings.Index(rest, day)
		if i < 0 {
			return false, fmt.Sprintf("%q", said)
		}
		said = rest[max(0, i-60):i]
		if ownWords.MatchString(said) {
			return true, fmt.Sprintf("%q", said)
		}
		rest = rest[i+len(day):]
	}
}

func textOfAll(body []byte) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(string(body)))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return strings.Join(strings.Fields(b.String()), " ")
		case html.TextToken:
			b.Write(z.Text())
			b.WriteByte(' ')
		}
	}
}

func htmlFiles(root string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && slices.Contains([]string{".html", ".htm"}, strings.ToLower(filepath.Ext(path))) {
			out = append(out, path)
		}
		return err
	})
	return out, err
}
