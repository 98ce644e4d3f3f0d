// Command relevance measures how good and how fast search is, beside bleve's own search over the
// same documents in the same run, and writes the numbers as text.
//
//	go run ./bench/relevance -documents 12000
//	go run ./bench/relevance -fit                               chooses parameters, by cross-validation
//	go run ./bench/relevance -known -misses python.en.test     looks for phrases, titles and link texts
//
// Quality is nDCG@10 on public test collections (Cranfield with graded judgements; for XQuAD, CMRC
// and DRCD the paragraph a question was asked about). Speed is measured on a made-up collection
// with Zipf-distributed words.
//
// It reads ../shared/data/ir beside the repository, or under $MILLRACE_SHARED; without it only
// speed is measured.
//
// Caveats: the collections are small (240 to 1,400 documents): differences below .01 are noise.
// Speed depends on what else the machine does: compare only what one run says of both. Our
// parameters were chosen looking at Cranfield and XQuAD, bleve's are its own.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"millrace/bench/outside"
	"millrace/bench/relevance/baseline"
)

func main() {
	documents := flag.Int("documents", 20000, "size of the made-up collection; 0 = quality only")
	times := flag.Int("times", 1, "how many times longer the made-up texts are than 2 KB")
	keep := flag.String("keep", "", "a folder: the indexes of the made-up collection stay there, and are used again")
	choose := flag.Bool("fit", false, "choose the parameters of the ranking, by cross-validation, on the collections named or on all")
	choices := flag.Int("choices", 48, "with -fit: how many choices of parameters are tried")
	known := flag.Bool("known", false, "look for known items in the hosts of the miniweb that are named")
	misses := flag.Bool("misses", false, "with -known: print what was not found, and what was instead")
	links := flag.Bool("links", false, "tell what link texts and ranks cost a query, over the made-up collection")
	flag.Parse()
	work := func() error {
		return run(context.Background(), os.Stdout, made{*documents, *times}, *keep, flag.Args())
	}
	if *links {
		work = func() error { return linkCost(context.Background(), os.Stdout, made{*documents, *times}) }
	}
	if *choose {
		work = func() error { return chooseParameters(context.Background(), os.Stdout, flag.Args(), *choices) }
	}
	if *known {
		work = func() error {
			data, err := outside.Dir("")
			if err != nil {
				return err
			}
			return knownItems(context.Background(), os.Stdout, filepath.Join(data, "miniweb", "hosts.json"), flag.Args(), *misses)
		}
	}
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, "relevance:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, documents made, keep string, names []string) error {
	fmt.Fprintf(w, "%s, %d cores\n", runtime.Version(), runtime.GOMAXPROCS(0))
	data, err := outside.Dir("")
	if err != nil {
		fmt.Fprintln(w, "quality: skipped,", err)
	} else if err := quality(ctx, w, filepath.Join(data, "ir"), names); err != nil {
		return err
	}
	if documents.n == 0 {
		return nil
	}
	return speed(ctx, w, documents, keep)
}

func chooseParameters(ctx context.Context, w io.Writer, names []string, choices int) error {
	data, err := outside.Dir("")
	if err != nil {
		return err
	}
	all, err := load(filepath.Join(data, "ir"))
	if err != nil {
		return err
	}
	return fit(ctx, w, named(all, names), choices)
}

func quality(ctx context.Context, w io.Writer, dir string, names []string) error {
	all, err := load(dir)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "nDCG@10            documents questions   own  bleve tf-idf  bleve bm25  bm25 title^3")
	all = named(all, names)
	for i := range all {
		if err := qualityOf(ctx, w, &all[i]); err != nil {
			return fmt.Errorf("%s: %w", all[i].name, err)
		}
	}
	return nil
}

func qualityOf(ctx context.Context, w io.Writer, c *collection) error {
	dir, err := os.MkdirTemp("", "relevance")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ours, err := newOwn(filepath.Join(dir, "own"))
	if err != nil {
		return err
	}
	defer ours.close()
	if err := ours.add(ctx, c.lang, c.documents); err != nil {
		return err
	}
	score, err := mean(c, ours.ask)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%-18s %9d %9d  %.3f", c.name, len(c.documents), len(c.questions), score)
	for _, b := range []struct {
		scoring string
		boost   float64
	}{{"tf-idf", 1}, {"bm25", 1}, {"bm25", 3}} {
		score, err := qualityOfBleve(filepath.Join(dir, fmt.Sprint(b)), c, b.scoring, b.boost)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "  %10.3f", score)
	}
	fmt.Fprintln(w)
	return nil
}

func qualityOfBleve(dir string, c *collection, scoring string, boost float64) (float64, error) {
	b, err := baseline.New(dir, c.lang, scoring)
	if err != nil {
		return 0, err
	}
	defer b.Close()
	if err := addBaseline(b, c.documents); err != nil {
		return 0, err
	}
	return mean(c, func(text string) ([]string, error) {
		return b.Search(baseline.Request{Text: text, TitleBoost: boost, K: 10})
	})
}
