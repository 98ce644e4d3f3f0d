package mainjob

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"millrace/bench/miniweb"
	"millrace/bench/outside"
	_ "millrace/cmd/wire" // a cached result is one of this code, although the program is built apart
)

// sites are crawled; wanted is the number of phrases that must find their page.
const (
	phrases     = 40
	phraseWords = 6
)

// hosts makes the named sites ready, or skips where the shared list is absent.
func hosts(t *testing.T, names ...string) []miniweb.Host {
	t.Helper()
	list := filepath.Join(outside.Need(t, "miniweb"), "hosts.json")
	if _, err := exec.LookPath("apt-get"); err != nil {
		t.Skip("no apt-get: the sites are made of Debian packages")
	}
	cache := filepath.Join(os.TempDir(), "millrace-miniweb")
	h, err := miniweb.Load(t.Context(), list, cache, names...)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestRunFetchesWhatAWalkReachesAndFindsItsPhrases(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "millrace")
	run(t, "go", "build", "-o", bin, "millrace/cmd/millrace")
	for _, h := range hosts(t, "python.en.test", "postgres.en.test") {
		t.Run(h.Name, func(t *testing.T) { crawl(t, bin, h) })
	}
}

func crawl(t *testing.T, bin string, h miniweb.Host) {
	walked, err := miniweb.Serve("127.0.0.1:0", []miniweb.Host{h})
	if err != nil {
		t.Fatal(err)
	}
	defer walked.Close()
	pages, err := walked.Walk(h.Name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := miniweb.Serve("127.0.0.1:0", []miniweb.Host{h})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	data := t.TempDir()
	out := run(t, bin, "run", "--until-idle", "--delay", "0s", "--allow-private", "--listen", "127.0.0.1:0",
		"--data", data, "--resolve", "*.test="+s.Addr(), "http://"+h.Name+h.Seeds[0])
	t.Logf("%d pages within reach\n%s", len(pages), out)
	compare(t, s, pages)
	found := 0
	for _, p := range choose(pages) {
		if finds(t, bin, data, p) {
			found++
		}
	}
	t.Logf("%d of %d phrases find their page", found, phrases)
	if found < phrases {
		t.Errorf("%d of %d phrases find their page", found, phrases)
	}
}

// compare reports pages that were not fetched exactly once.
func compare(t *testing.T, s *miniweb.Server, pages map[string]miniweb.Page) {
	t.Helper()
	times := map[string]int{}
	for _, r := range s.Requests() {
		if r.Status == 200 && strings.HasPrefix(r.Type, "text/html") {
			times["http://"+r.Host+r.Path]++
		}
	}
	for url := range pages {
		if times[url] != 1 {
			t.Errorf("%s was fetched %d times", url, times[url])
		}
	}
	for url := range times {
		if _, ok := pages[url]; !ok {
			t.Errorf("%s was fetched, the walk does not reach it", url)
		}
	}
}

// phrase is some words in a row of one page, and of no other.
type phrase struct{ words, url string }

// choose cuts a phrase out of a paragraph of each of some pages, the same at every
// run: words only, not found in any other page.
func choose(pages map[string]miniweb.Page) []phrase {
	var urls []string
	for url, p := range pages {
		if len(p.Words) > 100 {
			urls = append(urls, url)
		}
	}
	slices.SortFunc(urls, func(a, b string) int {
		return int(int64(hash(a)%1_000_003) - int64(hash(b)%1_000_003))
	})
	var all []string
	for _, p := range pages {
		all = append(all, " "+strings.Join(p.Words, " ")+" ")
	}
	var out []phrase
	for _, url := range urls {
		paras := pages[url].Paras
		for i := range paras {
			if words, ok := cut(paras[(i+len(paras)/2)%len(paras)], all); ok {
				out = append(out, phrase{words, url})
				break
			}
		}
		if len(out) == phrases {
			break
		}
	}
	return out
}

func hash(s string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s))
	return h.Sum32()
}

// cut returns words in a row that stand in one text only.
func cut(words, all []string) (string, bool) {
	for at := 0; at+phraseWords <= len(words); at++ {
		part := words[at : at+phraseWords]
		if slices.ContainsFunc(part, odd) {
			continue
		}
		text := strings.Join(part, " ")
		n := 0
		for _, t := range all {
			if strings.Contains(t, " "+text+" ") {
				n++
			}
		}
		if n == 1 {
			return text, true
		}
	}
	return "", false
}

// odd reports whether a word is more, or less, than letters.
func odd(w string) bool {
	return strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
}

func finds(t *testing.T, bin, data string, p phrase) bool {
	t.Helper()
	out := run(t, bin, "search", "--data", data, "--json", "--size", "10", `"`+p.words+`"`)
	var r struct {
		Hits []struct {
			URL string `json:"url"`
		} `json:"hits"`
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("search answered %s: %v", out, err)
	}
	for _, h := range r.Hits {
		if h.URL == p.url {
			return true
		}
	}
	t.Logf("not found: %q of %s", p.words, p.url)
	return false
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	var errs strings.Builder
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, errs.String())
	}
	return fmt.Sprint(string(out))
}
