// Package wide is a synthetic web whose pages have many different words.
//
// # Goals
//
// An index of its pages costs what an index of a real collection costs: new words come to the last
// page (Heaps' law), because a page takes most of its words from a vocabulary by Zipf's law.
//
// # How it works
//
// A page is a function of its number. Each host has HostPages pages; a page links to pages of its
// host and to two anywhere.
//
// # Promises
//
// Nothing is stored, so the web may have any number of pages.
//
// # On failure
//
// A path that is no page is answered with 404.
//
// # Limits
//
// The text has no sense and the pages never change.
package wide

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
)

// Web is such a web: so many pages, with words from a vocabulary of that size.
type Web struct{ Pages, Vocabulary int }

// Shape of the wide web.
const (
	HostPages = 100 // of a host
	pageWords = 600
	pageLinks = 20
)

// String says what it is.
func (w Web) String() string {
	return fmt.Sprintf("synthetic web of %d pages with %d words, of a vocabulary of %d", w.Pages, pageWords, w.Vocabulary)
}

// URL is the address of a page.
func (w Web) URL(page int) string {
	return fmt.Sprintf("http://h%d.wide%d.test/page/%d", page/HostPages, page/HostPages, page)
}

// Seeds are the first pages of all hosts.
func (w Web) Seeds() (out []string) {
	for p := 0; p < w.Pages; p += HostPages {
		out = append(out, w.URL(p))
	}
	return out
}

// ServeHTTP implements http.Handler. A page is a function of its number.
func (w Web) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/page/"))
	if err != nil || n < 0 || n >= w.Pages {
		http.NotFound(to, r)
		return
	}
	to.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(to, w.page(n))
}

func (w Web) page(n int) string {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	zipf := rand.NewZipf(r, 1.1, 20, uint64(w.Vocabulary-1))
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html lang=en><title>%s %s %d</title><article><h1>%s</h1>", Word(zipf.Uint64()), Word(zipf.Uint64()), n, Word(uint64(n)))
	for i := range pageWords {
		switch {
		case i%60 == 0:
			b.WriteString("<p>")
		case i%12 == 0:
			b.WriteString(". ")
		}
		b.WriteString(Word(zipf.Uint64()))
		b.WriteByte(' ')
	}
	b.WriteString("</article><ul>")
	first := n / HostPages * HostPages
	for i := range pageLinks {
		to := first + (n-first+1+i*i)%HostPages
		if i%10 == 9 {
			to = r.IntN(w.Pages)
		}
		if to < w.Pages {
			fmt.Fprintf(&b, "<li><a href=%q>%s</a>", w.URL(to), Word(uint64(to)))
		}
	}
	b.WriteString("</ul></html>")
	return b.String()
}

// Word spells a number with syllables.
func Word(n uint64) string {
	const syllables = "bacedifoguhajekilomunapeqiroSutavewixoyuzadreblicrodustafle"
	var b strings.Builder
	for n += 29; n > 0; n /= 29 {
		b.WriteString(strings.ToLower(syllables[n%29*2 : n%29*2+2]))
	}
	return b.String()
}
