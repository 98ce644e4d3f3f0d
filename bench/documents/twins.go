package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"millrace/consumers/extract/documents"
	"millrace/schema"
)

// compareTwins compares manuals that are there as PDF and as HTML: for each NAME.pdf in the folder,
// the HTML files in the folder NAME. It prints how many of the words of the HTML the PDF's text
// has, and the other way.
func compareTwins(r *documents.Reader, dir string, verbose bool) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.pdf"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no PDF in %s", dir)
	}
	for _, name := range files {
		body, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		d, err := r.Read(context.Background(), schema.PDF, body)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		pages, err := filepath.Glob(filepath.Join(strings.TrimSuffix(name, ".pdf"), "*.html"))
		if err != nil || len(pages) == 0 {
			return fmt.Errorf("no HTML beside %s", name)
		}
		var text strings.Builder
		for _, p := range pages {
			page, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			text.WriteString(shownText(string(page)))
		}
		a, b := onlyWords(text.String()), onlyWords(d.Text)
		n, found := common(a, b)
		m, back := common(b, a)
		fmt.Printf("%-30s %d pages, cut %v: %.3f of %d words of the HTML are in the PDF's text, %.3f of %d the other way\n",
			filepath.Base(name), d.Pages, d.Cut, float64(found)/float64(n), n, float64(back)/float64(m), m)
		if verbose {
			missing(a, b)
		}
	}
	return nil
}

// missing prints words that are lacking most often.
func missing(a, b string) {
	count := map[string]int{}
	for w := range strings.FieldsSeq(a) {
		count[w]++
	}
	for w := range strings.FieldsSeq(b) {
		count[w]--
	}
	shown := 0
	for _, w := range sortedKeys(count) {
		if count[w] > 3 && shown < 60 {
			fmt.Printf(" %s:%d", w, count[w])
			shown++
		}
	}
	fmt.Println()
}

// onlyWords keeps letters and figures.
func onlyWords(s string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return ' '
	}, s))
}

// shownText is the text of a page without scripts, styles and navigation.
func shownText(page string) string {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return ""
	}
	var b strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
		case n.Type == html.ElementNode && strings.Contains(" script style head nav footer ", " "+n.Data+" "), navigates(n):
			return
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
		if n.Type == html.ElementNode && !strings.Contains(" a b i em strong code span tt ", " "+n.Data+" ") {
			b.WriteByte(' ')
		}
	}
	walk(root)
	return b.String()
}

// navigates reports blocks that lead through a manual and stand on every page of it.
func navigates(n *html.Node) bool {
	for _, a := range n.Attr {
		if a.Key == "class" || a.Key == "role" {
			for _, name := range []string{"nav", "sidebar", "sphinxsidebar", "related", "footer", "header", "toc", "headerlink", "contentinfo"} {
				if strings.HasPrefix(a.Val, name) {
					return true
				}
			}
		}
	}
	return false
}
