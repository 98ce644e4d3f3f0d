// Command near measures how well near-duplicates are found: real pages of two versions of two
// manuals, in pairs whose similarity was computed by others (neardup of the outside data: Jaccard
// similarity of all phrases of five words).
//
//	go run ./bench/near [-cache DIR]
//
// The similarities of the data set are of all words of a page, menus and footers too. So the first
// table is of these words. The second one is of what a crawl compares, the main text as extract has
// it, with similarities computed here, exactly, by sets of phrases.
//
// Sketches go through the group near, as it runs in a crawl, on a store of its own. A pair counts
// as found if one of the two has the other in its record on the topic near. Pairs of .8 and more
// are duplicates, those below .5 are not, and those between count for nothing. No parameter was
// chosen by looking at these pairs.
//
// Beside it, without finding candidates: the sketches of all pairs compared; 64 bits of them;
// and Charikar's simhash of 64 bits, at the number of differing bits that suits
// it best on these very pairs.
//
// Limits: the packages are fetched with apt-get; of later versions of these packages some pages may
// have changed, and count as missing where they are gone. Both versions are one cluster in the real
// crawl, too, where their texts are near.
package main

import (
	"bufio"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"millrace/bench/miniweb"
	"millrace/bench/outside"
	"millrace/consumers/extract"
	"millrace/consumers/extract/page"
	"millrace/consumers/sketch"
	"millrace/schema"
)

func main() {
	cache := flag.String("cache", filepath.Join(os.TempDir(), "millrace-manuals"), "folder for packages")
	misses := flag.Bool("misses", false, "list the pairs that are decided wrongly")
	flag.Parse()
	if err := run(*cache, *misses, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "near:", err)
		os.Exit(1)
	}
}

// pair is two pages with their true similarity.
type pair struct {
	set     string
	a, b    string // PACKAGE:PATH
	jaccard float64
}

// text holds the parts of a page that are compared.
type text struct {
	phrases map[string]bool
	sketch  []byte
	simhash uint64
}

// view is one way to see the pages.
type view struct {
	name  string
	texts map[string]text
}

func run(cache string, misses bool, out io.Writer) error {
	dir, err := outside.Dir("neardup")
	if err != nil {
		return err
	}
	pairs, err := readPairs(filepath.Join(dir, "pairs.tsv"))
	if err != nil {
		return err
	}
	whole, main, err := readAll(pairs, cache)
	if err != nil {
		return err
	}
	if err := judge(view{"all words of the page", whole}, pairs, misses, out); err != nil {
		return err
	}
	own := slices.Clone(pairs)
	for i, p := range own {
		own[i].jaccard = jaccard(main[p.a].phrases, main[p.b].phrases)
	}
	return judge(view{"main text", main}, own, misses, out)
}

// judge prints the table of a view.
func judge(v view, pairs []pair, misses bool, out io.Writer) error {
	stream, records, err := follow(v.texts)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %d pairs, %d pages, %.1f records of near.found a page\n",
		v.name, len(pairs), len(v.texts), float64(records)/float64(len(v.texts)))
	most := bestBits(pairs, v.texts)
	methods := []struct {
		name string
		near func(p pair) bool
	}{
		{"topic near", func(p pair) bool { return stream[p.a][p.b] || stream[p.b][p.a] }},
		{"sketches, all pairs", func(p pair) bool {
			return sketch.Similarity(v.texts[p.a].sketch, v.texts[p.b].sketch) >= sketch.Near
		}},
		{"64 bits of sketches", func(p pair) bool {
			return sketch.ShortNear(sketch.Short(v.texts[p.a].sketch), sketch.Short(v.texts[p.b].sketch))
		}},
		{fmt.Sprintf("simhash, at most %d bits differ", most), func(p pair) bool {
			return simhashNear(v.texts[p.a], v.texts[p.b], most)
		}},
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "set\tmethod\tduplicates\tothers\tP\tR")
	for _, set := range []string{"", "boost", "linux"} {
		for i, m := range methods {
			s := score{}
			for _, p := range pairs {
				if set != "" && p.set != set {
					continue
				}
				if wrong := s.count(p, m.near(p)); wrong && misses && set == "" && i == 0 {
					fmt.Fprintf(out, "wrong: %.3f %s %s\n", p.jaccard, p.a, p.b)
				}
			}
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%.4f\t%.4f\n", cmp.Or(set, "both"), m.name, s.yes, s.no, s.precision(), s.recall())
		}
	}
	defer fmt.Fprintln(out)
	return w.Flush()
}

func simhashNear(a, b text, most int) bool { return bits.OnesCount64(a.simhash^b.simhash) <= most }

// bestBits returns the number of bits with the best F1 on all pairs.
func bestBits(pairs []pair, texts map[string]text) (best int) {
	top := 0.0
	for most := range 32 {
		s := score{}
		for _, p := range pairs {
			s.count(p, simhashNear(texts[p.a], texts[p.b], most))
		}
		if s.f1() > top {
			best, top = most, s.f1()
		}
	}
	return best
}

// score counts pairs: duplicates and others, and how they were decided.
type score struct{ yes, no, found, falsely int }

func (s *score) count(p pair, near bool) (wrong bool) {
	switch {
	case p.jaccard >= 0.8:
		s.yes++
		if near {
			s.found++
		}
		return !near
	case p.jaccard < 0.5:
		s.no++
		if near {
			s.falsely++
		}
		return near
	}
	return false
}

func (s *score) precision() float64 { return float64(s.found) / float64(max(1, s.found+s.falsely)) }
func (s *score) recall() float64    { return float64(s.found) / float64(max(1, s.yes)) }
func (s *score) f1() float64 {
	p, r := s.precision(), s.recall()
	return 2 * p * r / max(1e-9, p+r)
}

func readPairs(name string) ([]pair, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var pairs []pair
	lines := bufio.NewScanner(f)
	lines.Scan() // names of the columns
	for lines.Scan() {
		c := strings.Split(lines.Text(), "\t")
		if len(c) < 6 {
			return nil, fmt.Errorf("%s: a line of %d columns", name, len(c))
		}
		j, err := strconv.ParseFloat(c[5], 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		pairs = append(pairs, pair{c[0], c[1], c[2], j})
	}
	return pairs, lines.Err()
}

// roots are the folders that the paths of the pairs are in, by package.
func roots() map[string]string {
	return map[string]string{
		"libboost1.74-doc": "usr/share/doc/libboost1.74-doc", "libboost1.81-doc": "usr/share/doc/libboost1.81-doc",
		"linux-doc-6.1": "usr/share/doc/linux-doc-6.1/html", "linux-doc-6.12": "usr/share/doc/linux-doc-6.12/html",
	}
}

// readAll reads every page of the pairs: all its words, and its main text.
func readAll(pairs []pair, cache string) (whole, main map[string]text, err error) {
	for name, root := range roots() {
		if err := miniweb.Unpack(context.Background(), cache, name, root); err != nil {
			return nil, nil, err
		}
	}
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		return nil, nil, err
	}
	x, err := page.New(page.DefaultOptions(), canon, nil)
	if err != nil {
		return nil, nil, err
	}
	whole, main = map[string]text{}, map[string]text{}
	for _, p := range pairs {
		for _, name := range []string{p.a, p.b} {
			if _, ok := whole[name]; ok {
				continue
			}
			pkg, path, _ := strings.Cut(name, ":")
			body, err := os.ReadFile(filepath.Join(cache, pkg, roots()[pkg], path))
			if err != nil {
				return nil, nil, err
			}
			r := x.Extract(page.Input{URL: urlOf(name), ContentType: "text/html", Body: body})
			whole[name], main[name] = textOf("", wordsOf(body)), textOf(r.Same.Title, r.Same.Text)
		}
	}
	return whole, main, nil
}

func textOf(title, words string) text {
	return text{phrases: phrases(title + "\n" + words), sketch: extract.Sketch(title, words), simhash: extract.Simhash(title, words)}
}

// urlOf gives each package a site of its own.
func urlOf(name string) string {
	pkg, path, _ := strings.Cut(name, ":")
	return "https://www." + strings.ReplaceAll(pkg, ".", "-") + ".example/" + path
}
