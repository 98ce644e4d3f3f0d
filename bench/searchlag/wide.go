package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
)

// wide is a web whose pages have many different words: a page takes most of its words from a
// vocabulary by Zipf's law, so that new words come to the last page, as in real collections
// (Heaps).
type wide struct{ pages, vocabulary int }

// Shape of the wide web.
const (
	hostPages = 100 // of a host
	pageWords = 600
	pageLinks = 20
)

func newWide(pages, vocabulary int) wide { return wide{pages, vocabulary} }

// String says what it is.
func (w wide) String() string {
	return fmt.Sprintf("synthetic web of %d pages with %d words, of a vocabulary of %d", w.pages, pageWords, w.vocabulary)
}

func (w wide) url(page int) string {
	return fmt.Sprintf("http://h%d.wide%d.test/page/%d", page/hostPages, page/hostPages, page)
}

// seeds are the first pages of all hosts.
func (w wide) seeds() (out []string) {
	for p := 0; p < w.pages; p += hostPages {
		out = append(out, w.url(p))
	}
	return out
}

// ServeHTTP implements http.Handler. A page is a function of its number.
func (w wide) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/page/"))
	if err != nil || n < 0 || n >= w.pages {
		http.NotFound(to, r)
		return
	}
	to.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(to, w.page(n))
}

func (w wide) page(n int) string {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	zipf := rand.NewZipf(r, 1.1, 20, uint64(w.vocabulary-1))
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html lang=en><title>%s %s %d</title><article><h1>%s</h1>", word(zipf.Uint64()), word(zipf.Uint64()), n, word(uint64(n)))
	for i := range pageWords {
		switch {
		case i%60 == 0:
			b.WriteString("<p>")
		case i%12 == 0:
			b.WriteString(". ")
		}
		b.WriteString(word(zipf.Uint64()))
		b.WriteByte(' ')
	}
	b.WriteString("</article><ul>")
	first := n / hostPages * hostPages
	for i := range pageLinks {
		to := first + (n-first+1+i*i)%hostPages
		if i%10 == 9 {
			to = r.IntN(w.pages)
		}
		if to < w.pages {
			fmt.Fprintf(&b, "<li><a href=%q>%s</a>", w.url(to), word(uint64(to)))
		}
	}
	b.WriteString("</ul></html>")
	return b.String()
}

// word spells a number with syllables.
func word(n uint64) string {
	const syllables = "bacedifoguhajekilomunapeqiroSutavewixoyuzadreblicrodustafle"
	var b strings.Builder
	for n += 29; n > 0; n /= 29 {
		b.WriteString(strings.ToLower(syllables[n%29*2 : n%29*2+2]))
	}
	return b.String()
}
