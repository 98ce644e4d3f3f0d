package main

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"millrace/bench/extract/corpus"
	"millrace/bench/outside"
	"millrace/consumers/extract/page"
	"millrace/schema"
)

// TestTheSamePagesGiveTheSameModels trains twice on a corpus that the test writes, the second time
// with -check: the models are equal byte for byte.
func TestTheSamePagesGiveTheSameModels(t *testing.T) {
	shared := t.TempDir()
	writeCorpus(t, filepath.Join(shared, "data"))
	t.Setenv("MILLRACE_SHARED", shared)
	out := t.TempDir()
	if err := run([]string{"all", "-out", out}); err != nil {
		t.Fatal(err)
	}
	models, err := filepath.Glob(filepath.Join(out, "consumers", "extract", "*", "model", "*.txt"))
	if want := 6 + len(page.TypeNames()); err != nil || len(models) != want {
		t.Fatalf("%d models written (%v), want %d", len(models), err, want)
	}
	if err := run([]string{"all", "-check", "-out", out}); err != nil {
		t.Error(err)
	}
}

// TestAModelThatTrainingDoesNotMakeIsFound protects what -check says of the shipped models: one
// byte more, or a model that is missing, is an error, and the folder stays as it was.
func TestAModelThatTrainingDoesNotMakeIsFound(t *testing.T) {
	models, err := page.LoadModels()
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if err := write(models, out); err != nil {
		t.Fatal(err)
	}
	if err := compare(models, out, io.Discard); err != nil {
		t.Fatalf("models just written: %v", err)
	}
	titles := filepath.Join(out, "consumers", "extract", "page", "model", "titles.txt")
	b, err := os.ReadFile(titles)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(titles, append(b, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := compare(models, out, io.Discard); err == nil {
		t.Error("a model with another byte is taken for the trained one")
	}
	if err := os.Remove(titles); err != nil {
		t.Fatal(err)
	}
	var told strings.Builder
	if err := compare(models, out, &told); err == nil || !strings.Contains(told.String(), "no such file") {
		t.Errorf("a model that is missing: %v\n%s", err, told.String())
	}
}

// TestWhatIsLearntFindsTheText protects the whole way from labels to blocks: a model that was
// trained on forty sites keeps the article of one that it has not seen, and leaves its menu out.
func TestWhatIsLearntFindsTheText(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	writeCorpus(t, dir)
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		t.Fatal(err)
	}
	models, err := page.LoadModels()
	if err != nil {
		t.Fatal(err)
	}
	tr := &trainer{dir: dir, canon: canon}
	x, err := tr.extractor(models)
	if err != nil {
		t.Fatal(err)
	}
	samples, err := load(x, dir)
	if err != nil {
		t.Fatal(err)
	}
	crossLexicon(samples)
	crossForest(samples, first)
	crossForest(samples, second)
	for _, s := range samples {
		if text := kept(s, mean(s), 1); !strings.Contains(text, "harvest") || strings.Contains(text, "Imprint") {
			t.Errorf("%s: kept %q", s.truth.Key(), text)
		}
	}
}

// TestALeftOutSetTeachesNothing protects what -without says a set is worth: no page of it is among
// those that a model learns from, and each is judged.
func TestALeftOutSetTeachesNothing(t *testing.T) {
	samples := []*sample{
		{truth: &corpus.Page{Set: "wcxb"}, fold: 1}, {truth: &corpus.Page{Set: "fundus"}, fold: 1}, {truth: &corpus.Page{Set: "wcxb"}, fold: 2},
	}
	if err := leaveOut(samples, "wcxb"); err != nil {
		t.Fatal(err)
	}
	if got := others(samples, 0); len(got) != 1 || got[0].truth.Set != "fundus" {
		t.Errorf("%d samples are learnt from, want the one of fundus", len(got))
	}
	if err := leaveOut(samples, "fundsu"); err == nil {
		t.Error("a set that does not exist is left out without an error")
	}
}

// TestNoSetWithoutALicenceIsTrainedOn protects provenance: every training set stands in CORPORA.md,
// with a licence, and is marked there as one that may be trained on.
func TestNoSetWithoutALicenceIsTrainedOn(t *testing.T) {
	named := setsNamed(t)
	for _, set := range trainingSets() {
		cells := named[set.name]
		if cells == nil || cells[licence] == "" || strings.HasPrefix(cells[licence], "none") || cells[use] != "trained" {
			t.Errorf("CORPORA.md does not allow training on %s: %q", set.name, cells)
		}
	}
}

// TestTheSetsAreTheOnesThatAreNamed protects the other half of provenance: the files that are
// trained on have the hashes that CORPORA.md states.
func TestTheSetsAreTheOnesThatAreNamed(t *testing.T) {
	dir := outside.Need(t, "extract")
	named := setsNamed(t)
	for _, set := range trainingSets() {
		for file, want := range map[string]string{"manifest.jsonl": named[set.name][manifest], "html.zip": named[set.name][pages]} {
			b, err := os.ReadFile(filepath.Join(dir, set.name, file))
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprintf("%x", sha256.Sum256(b)); want == "" || !strings.HasPrefix(got, want) {
				t.Errorf("%s/%s has the SHA-256 %s, CORPORA.md says %q", set.name, file, got, want)
			}
		}
	}
}

// The cells of a line of the table of CORPORA.md.
const (
	licence  = 3
	manifest = 4
	pages    = 5
	use      = 7
)

// setsNamed returns the lines of the table of CORPORA.md, by set.
func setsNamed(t *testing.T) map[string][]string {
	t.Helper()
	b, err := os.ReadFile("../CORPORA.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string][]string{}
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) <= use {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		named[cells[0]] = cells
	}
	return named
}

// writeCorpus makes every set that training reads, with pages of forty sites each.
func writeCorpus(t *testing.T, dir string) {
	t.Helper()
	for _, set := range []string{"extract/scrapinghub_aeb", "extract/wcxb", "extract/daniel_waddle", "extract/fundus", "extract/newspaper4k_aed",
		"extract/mozilla_readability", "extract/trafilatura_eval", "extract/newspaper4k_tests", "extract/goose3_tests",
		"dates/htmldate_default", "dates/htmldate_mediacloud"} {
		writeSet(t, filepath.Join(dir, set), filepath.Base(set))
	}
}

func writeSet(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	manifest, err := os.Create(filepath.Join(dir, "manifest.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer manifest.Close()
	archive, err := os.Create(filepath.Join(dir, "html.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	z := zip.NewWriter(archive)
	for i := range 10 {
		p, html := madeUp(name, i)
		if err := json.NewEncoder(manifest).Encode(p); err != nil {
			t.Fatal(err)
		}
		w, err := z.Create(p.File)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, html)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

// madeUp is a page of a site of its own: an article between a menu and a footer.
func madeUp(set string, i int) (corpus.Page, string) {
	host := fmt.Sprintf("%s-%d.example", strings.ReplaceAll(set, "_", "-"), i)
	p := corpus.Page{ID: fmt.Sprint(i), File: fmt.Sprintf("%d.html", i), URL: "https://" + host + "/news/the-harvest", Host: host, Lang: "en",
		Title: "The harvest of year " + fmt.Sprint(i), Date: "2024-05-1" + fmt.Sprint(i%10)}
	if i%3 == 0 && set == "wcxb" {
		p.Type = "listing"
	} else if set == "wcxb" {
		p.Type = "article"
	}
	var paragraphs, html strings.Builder
	for k := range 6 {
		text := fmt.Sprintf("In the %dth week the harvest was brought in, although rain fell on %d days, and nobody in the village had expected so much of it.", k+i, i+2)
		fmt.Fprintf(&html, "<p>%s</p>\n", text)
		paragraphs.WriteString(text + "\n")
	}
	p.Text = p.Title + "\n" + paragraphs.String()
	var menu strings.Builder
	for k := range 25 {
		fmt.Fprintf(&menu, `<li><a href="/%d">Section %d of this site</a></li>`, k, k)
	}
	return p, fmt.Sprintf(`<html><head><title>%s - %s</title></head><body><nav class="menu"><ul>%s</ul></nav>
<main class="content"><h1>%[1]s</h1><time datetime="%[4]s">%[4]s</time>%s</main>
<footer class="footer"><ul>%[3]s<li><a href="/imprint">Imprint and privacy of this site</a></li></ul></footer></body></html>`,
		p.Title, host, menu.String(), p.Date, html.String())
}
