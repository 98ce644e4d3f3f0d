package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"millrace/cmd/wire"
	"millrace/consumers/schedule"
	"millrace/producers/seeds"
	"millrace/schema"
)

// Bounds of following what becomes of seeds.
const (
	fatesEvery    = 2 * time.Second
	fatesMost     = 1000 // seeds that are followed
	fateRedirects = 5    // from a seed on
)

// fates follows what becomes of the seeds of a command line: one that cannot be fetched must not be
// silent.
type fates struct {
	explain func(context.Context, string) (schedule.Story, error)
	open    []string          // seeds that were not fetched
	why     map[string]string // what was last said of them
	fetched int
}

func newFates(sys *wire.System, list []seeds.Seed) *fates {
	f := &fates{explain: sys.Frontier, why: map[string]string{}}
	for _, s := range list[:min(len(list), fatesMost)] {
		f.open = append(f.open, s.URL.String())
	}
	return f
}

// follow says on w what goes wrong with seeds until ctx ends or all were fetched.
func (f *fates) follow(ctx context.Context, w io.Writer) {
	tick := time.NewTicker(fatesEvery)
	defer tick.Stop()
	for len(f.open) > 0 {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		f.look(ctx, w)
	}
}

// look asks about the seeds that are open, and says what is new about them.
func (f *fates) look(ctx context.Context, w io.Writer) {
	var open []string
	for _, url := range f.open {
		done, why, err := f.fate(ctx, url)
		if err != nil { // the crawl ends, or its store does not answer: others say so
			return
		}
		if done {
			f.fetched++
			continue
		}
		open = append(open, url)
		if why != "" && f.why[url] != why {
			fmt.Fprintf(w, "millrace: seed %s is not fetched: %s\n", printable(url), printable(why))
		}
		f.why[url] = why
	}
	f.open = open
}

// fate reports whether a seed, or what it redirects to, was fetched; if not, why, as far as it is
// known.
func (f *fates) fate(ctx context.Context, url string) (fetched bool, why string, err error) {
	for range fateRedirects {
		s, err := f.explain(ctx, url)
		if err != nil {
			return false, "", err
		}
		switch row := s.Row; {
		case row == nil:
			return false, "", nil
		case row.Status == schema.UrlRow_FETCHED || row.FetchedAt > 0 && row.Status != schema.UrlRow_REDIRECTED:
			return true, "", nil
		case row.Status == schema.UrlRow_REDIRECTED:
			url = row.RedirectTo
		case row.Status == schema.UrlRow_QUEUED && row.Fails+row.Waits == 0:
			return false, "", nil
		case row.Status == schema.UrlRow_QUEUED:
			return false, schedule.Failure(row), nil
		default:
			return false, s.Verdict, nil
		}
	}
	return false, "it redirects again and again", nil
}

// verdict is an error if seeds were given and none was fetched.
func (f *fates) verdict() error {
	if f.fetched > 0 || len(f.open) == 0 {
		return nil
	}
	return errors.New("no seed was fetched: millrace why URL says more")
}
