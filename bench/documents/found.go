package main

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"

	"millrace/consumers/extract/documents"
	"millrace/schema"
)

// expected holds the strings that the tests of Apache Tika expect in a file.
type expected struct {
	File     string   `json:"file"`
	Ext      string   `json:"ext"`
	Contains []string `json:"contains_text"`
	Agreed   []string `json:"contains_text_poppler_agrees"`
}

// tally counts strings of one kind of file.
type tally struct{ files, wanted, found, poppler, failed int }

// measureFound prints, by kind of file, how many of the strings stand in the text or title.
func measureFound(r *documents.Reader, dir string, verbose bool) error {
	var list []expected
	b, err := os.ReadFile(filepath.Join(dir, "tika_expected.json"))
	if err == nil {
		err = json.Unmarshal(b, &list)
	}
	if err != nil {
		return err
	}
	files, err := readZip(filepath.Join(dir, "tika_documents.zip"))
	if err != nil {
		return err
	}
	kinds := map[string]*tally{}
	for _, e := range list {
		body := files[e.File]
		family := schema.FamilyOf(body[:min(len(body), schema.FileHead)], "")
		if family == schema.NoFile {
			continue
		}
		d, err := r.Read(context.Background(), family, body)
		if errors.Is(err, documents.ErrUnknown) {
			continue
		}
		kind := e.Ext
		if kinds[kind] == nil {
			kinds[kind] = &tally{}
		}
		wanted := e.Contains
		if kind == "pdf" {
			wanted = e.Agreed
		}
		kinds[kind].count(e.File, d, err, wanted, verbose)
		if kind == "pdf" {
			text := poppler(body)
			for _, s := range wanted {
				if contains(text, s) {
					kinds[kind].poppler++
				}
			}
		}
	}
	fmt.Println("kind   files  no text  strings   found  share  pdftotext")
	for _, k := range sortedKeys(kinds) {
		t := kinds[k]
		fmt.Printf("%-6s %5d  %7d  %7d  %6d  %5.3f", k, t.files, t.failed, t.wanted, t.found, float64(t.found)/float64(max(1, t.wanted)))
		if k == "pdf" {
			fmt.Printf("  %d", t.poppler)
		}
		fmt.Println()
	}
	return nil
}

func (t *tally) count(name string, d *documents.Document, err error, wanted []string, verbose bool) {
	t.files++
	text := ""
	if err != nil {
		t.failed++
		if verbose {
			fmt.Printf("  %s: %v\n", name, err)
		}
	} else {
		text = d.Title + "\n" + d.Text + "\n" + d.Author
		for _, l := range d.Links {
			text += "\n" + l.URL
		}
	}
	for _, s := range wanted {
		if isOfTheReader(s) {
			continue
		}
		t.wanted++
		if contains(text, s) {
			t.found++
		} else if verbose {
			fmt.Printf("  %s: %.100q is not in the text\n", name, s)
		}
	}
}

// isOfTheReader reports whether a string is one that Tika writes itself: names of its parsers and
// its errors stand in no file.
func isOfTheReader(s string) bool {
	return strings.HasPrefix(s, "org.apache.tika.") || s == "TikaMemoryLimitException"
}

// contains compares without white space: where lines and cells end is a matter of layout. Tika's
// tests look at XHTML, so some of their strings are escaped, and at soft hyphens, which nobody
// sees.
func contains(text, s string) bool {
	return strings.Contains(squeeze(text), squeeze(html.UnescapeString(s)))
}

func squeeze(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), ""), "\u00ad", "")
}

// poppler returns what pdftotext makes of a PDF; "" without it.
func poppler(body []byte) string {
	cmd := exec.Command("pdftotext", "-", "-")
	cmd.Stdin = strings.NewReader(string(body))
	out, _ := cmd.Output()
	return string(out)
}

func readZip(name string) (map[string][]byte, error) {
	z, err := zip.OpenReader(name)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	out := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		b, err := io.ReadAll(r)
		_ = r.Close()
		if err != nil {
			return nil, err
		}
		out[filepath.Base(f.Name)] = b
	}
	return out, nil
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
