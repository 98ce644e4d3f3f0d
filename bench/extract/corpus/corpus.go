// Package corpus turns the page sets of the shared data folder (manifest.jsonl and html.zip each)
// into pages with what is true of
// them.
//
// On failure: outside.ErrAbsent when the folder is not there; whoever measures says so in one line
// and stops.
//
// Caveats: the pages are their publishers' works. They are measured with and never copied.
package corpus

import (
	"archive/zip"
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"millrace/bench/outside"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// Page is one page with its truth; empty fields are not stated.
type Page struct {
	Set     string   `json:"-"`
	ID      string   `json:"id"`
	File    string   `json:"file"`
	URL     string   `json:"url"`
	Host    string   `json:"host"`
	Lang    string   `json:"lang"`
	Type    string   `json:"page_type"`
	Title   string   `json:"title"`
	RawBy   any      `json:"author"`
	Date    string   `json:"date"`
	Day     string   `json:"crawl_day"`
	Text    string   `json:"text"`
	With    []string `json:"with"`
	Without []string `json:"without"`
	Zip     string   `json:"zip"` // where the page is, if not in html.zip
	HTML    []byte   `json:"-"`
}

// Authors returns the stated authors.
func (p *Page) Authors() []string {
	switch v := p.RawBy.(type) {
	case string:
		if v != "" {
			return []string{v}
		}
	case []any:
		var out []string
		for _, e := range v {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// Key names the page among those of all sets.
func (p *Page) Key() string { return p.Set + "/" + p.ID }

// StatesText reports whether Text is the truth. wcxb states of some pages that they have none.
func (p *Page) StatesText() bool { return p.Text != "" || p.Set == "wcxb" }

// Site returns the site of a page. Pages are grouped by it, so that no site is in training and test
// both.
func (p *Page) Site() string {
	host := p.Host
	if u, err := url.Parse(p.URL); err == nil && u.Host != "" {
		host = u.Hostname()
	}
	if host == "" {
		return p.Set + "/" + p.ID
	}
	labels := strings.Split(strings.ToLower(host), ".")
	n := 2
	if k := len(labels); k > 2 && len(labels[k-2]) <= 3 && len(labels[k-1]) == 2 {
		n = 3
	}
	return strings.Join(labels[max(len(labels)-n, 0):], ".")
}

// Dir is the folder of the outside data, or an error that wraps outside.ErrAbsent.
func Dir() (string, error) { return outside.Dir("") }

// Load reads a set, e.g. "extract/wcxb".
func Load(dir, set string) ([]Page, error) {
	pages, err := manifest(filepath.Join(dir, set, "manifest.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("corpus %s: %w", set, err)
	}
	files, err := unzip(filepath.Join(dir, set, "html.zip"))
	if err != nil {
		return nil, fmt.Errorf("corpus %s: %w", set, err)
	}
	if err := addOthers(dir, pages, files); err != nil {
		return nil, fmt.Errorf("corpus %s: %w", set, err)
	}
	for i := range pages {
		pages[i].Set = filepath.Base(set)
		if pages[i].HTML = files[pages[i].File]; pages[i].HTML == nil {
			return nil, fmt.Errorf("corpus %s: %s is in no archive", set, pages[i].File)
		}
	}
	return pages, nil
}

// addOthers reads the pages that a manifest borrows from the extraction set whose name stands in
// their zip path.
func addOthers(dir string, pages []Page, files map[string][]byte) error {
	const borrowed = "extract/trafilatura_eval"
	for i := range pages {
		if !strings.Contains(pages[i].Zip, borrowed) {
			continue
		}
		more, err := unzip(filepath.Join(dir, borrowed, "html.zip"))
		if err != nil {
			return err
		}
		for name, b := range more {
			if files[name] == nil {
				files[name] = b
			}
		}
		return nil
	}
	return nil
}

func manifest(path string) ([]Page, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []Page
	r := bufio.NewReaderSize(f, 1<<20)
	d := json.NewDecoder(r)
	for {
		var p Page
		if err := d.Decode(&p); err == io.EOF {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
}

func unzip(path string) (map[string][]byte, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	out := make(map[string][]byte, len(z.File))
	for _, f := range z.File {
		if f.FileInfo().IsDir() {
			continue
		}
		b, err := readFile(f)
		if err != nil {
			return nil, err
		}
		out[f.Name] = b
		out[filepath.Base(f.Name)] = b
	}
	return out, nil
}

func readFile(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// Address is the page's URL; sets without URLs have a host at least.
func (p *Page) Address() string {
	if p.URL != "" {
		return p.URL
	}
	return "http://" + p.Host + "/"
}
