package readers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"millrace/ops/cluster/clustertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// root is the root of the repository, as the examples are run there.
const root = "../../.."

// deadline bounds every program that is run. It is no measure: it ends what hangs.
const deadline = 3 * time.Minute

// site is a small web: an index, and pages in two languages that link to their neighbours.
func site(t *testing.T) (address string, titles map[string]string) {
	t.Helper()
	words := map[string]string{
		"en": "the water of this river turns the wheel of a mill that has stood in its valley for two hundred years",
		"de": "das Wasser dieses Flusses treibt das Rad einer Mühle, die seit zweihundert Jahren in ihrem Tal steht",
	}
	pages := map[string]string{}
	titles = map[string]string{}
	for i := range 24 {
		lang := []string{"en", "de"}[i%2]
		text := ""
		for p := range 4 {
			text += fmt.Sprintf("<p>%s, number %d of page %d: %s.</p>", words[lang], p, i, words[lang])
		}
		pages[fmt.Sprintf("/page%d", i)] = fmt.Sprintf(`<html lang=%s><title>Mill %d</title><body><article><h1>Mill %d</h1>%s
			<a href="/page%d">the next mill</a> <a href="/page0">the first mill</a></article></body></html>`, lang, i, i, text, (i+1)%24)
		titles[fmt.Sprintf("/page%d", i)] = fmt.Sprintf("Mill %d", i)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(body)) // the crawler may be gone
	}))
	t.Cleanup(srv.Close)
	return srv.URL, titles
}

// command runs a program in the root of the repository and returns what it prints.
func command(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = root, append(os.Environ(), env...), time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	timer := time.AfterFunc(deadline, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out.String(), errs.String())
	}
	return out.String()
}

// TestAStrangerReadsACrawlWithTheirOwnTools: a crawl with its topics open and three taps; Python
// follows the documents and sees one taken away, DuckDB and pandas read what stands, warcio what
// was fetched, and all of them agree with the site.
func TestAStrangerReadsACrawlWithTheirOwnTools(t *testing.T) {
	python := clustertest.Python(t)
	address, titles := site(t)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	bin := at("millrace")
	command(t, nil, "go", "build", "-o", bin, "millrace/cmd/millrace")

	crawl := exec.Command(bin, "run", "--data", at("data"), "--listen", "127.0.0.1:0", "--kafka-listen", "127.0.0.1:0",
		"--tap", "parquet="+at("documents"), "--tap", "links="+at("links"), "--tap", "warc="+at("pages"),
		"--delay", "0s", "--allow-private", address+"/page0")
	var said bytes.Buffer
	crawl.Stdout, crawl.Stderr = &said, &said
	if err := crawl.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- crawl.Wait() }()
	t.Cleanup(func() { _ = crawl.Process.Kill() })
	cat := func(n int, args ...string) string {
		return command(t, nil, bin, append([]string{"topics", "cat", "--data", at("data"), "--follow", "--from-beginning", "-n", fmt.Sprint(n)}, args...)...)
	}
	waitForDoor(t, at("data"), ended, &said)
	cat(len(titles), "docs.unique")

	const removed = "/page7"
	command(t, nil, bin, "forget", "--data", at("data"), address+removed)
	cat(len(titles)+1, "docs.unique")
	delete(titles, removed)

	command(t, nil, python, "-m", "grpc_tools.protoc", "-I", ".", "--python_out="+dir, "schema/messages.proto")
	followed := follow(t, command(t, []string{"PYTHONPATH=" + dir}, python, "docs/examples/documents.py", at("data/kcat.conf"), "--until-end"))
	sameTitles(t, "confluent-kafka", followed, titles)
	refuses(t, dir, python, at("data/kcat.conf"))

	if err := crawl.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatalf("the crawl ended with %v\n%s", err, said.String())
	}
	checkTables(t, command(t, nil, python, "docs/examples/tables.py", at("documents"), at("links")), titles)
	checkPandas(t, command(t, nil, python, "-c", "import pandas, sys; d = pandas.read_parquet(sys.argv[1]); print((d.op == 'put').sum(), (d.op == 'delete').sum())", at("documents")), len(titles)+1)
	checkPages(t, python, at("pages"), len(titles)+1)
}

// waitForDoor returns when the crawl has written the settings for readers.
func waitForDoor(t *testing.T, data string, ended <-chan error, said *bytes.Buffer) {
	t.Helper()
	end := time.After(deadline)
	for {
		if _, err := os.Stat(filepath.Join(data, "kcat.conf")); err == nil {
			return
		}
		select {
		case err := <-ended:
			t.Fatalf("the crawl ended: %v\n%s", err, said.String())
		case <-end:
			t.Fatal("the topics were never opened")
		case <-time.After(50 * time.Millisecond): // another process writes it: there is nothing to wait on
		}
	}
}

// refuses follows with a wrong password: the program ends, and says why.
func refuses(t *testing.T, messages, python, settings string) {
	t.Helper()
	right, err := os.ReadFile(settings)
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`(?m)^sasl.password=.*$`).ReplaceAllString(string(right), "sasl.password=wrong")
	wrong := filepath.Join(t.TempDir(), "wrong.conf")
	if err := os.WriteFile(wrong, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "docs/examples/documents.py", wrong)
	cmd.Dir, cmd.Env, cmd.WaitDelay = root, append(os.Environ(), "PYTHONPATH="+messages), time.Second
	timer := time.AfterFunc(deadline, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	out, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != 1 || strings.Count(string(out), "user or password is wrong") != 1 {
		t.Errorf("with a wrong password: %v\n%.1000s", err, out)
	}
}

// follow folds the lines of documents.py into what stands, and wants a deletion among them.
func follow(t *testing.T, out string) map[string]string {
	t.Helper()
	stands, deletions := map[string]string{}, 0
	for line := range strings.Lines(out) {
		var r struct{ Key, Op, Title string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if stands[r.Key] = r.Title; r.Op == "delete" {
			delete(stands, r.Key)
			deletions++
		}
	}
	if deletions != 1 {
		t.Errorf("%d deletions were seen, want 1", deletions)
	}
	return stands
}

// sameTitles compares titles by row key with those by path.
func sameTitles(t *testing.T, who string, got, want map[string]string) {
	t.Helper()
	byPath := map[string]string{}
	for key, title := range got {
		byPath[key[strings.Index(key, "/"):]] = title
	}
	if !maps.Equal(byPath, want) {
		t.Errorf("%s reads\n%v\nwant\n%v", who, byPath, want)
	}
}

func checkTables(t *testing.T, out string, titles map[string]string) {
	t.Helper()
	var tables struct {
		Documents map[string]string
		Languages map[string]int
		Linked    map[string]int
	}
	if err := json.Unmarshal([]byte(out), &tables); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	sameTitles(t, "DuckDB", tables.Documents, titles)
	if want := map[string]int{"de": 11, "en": 12}; !maps.Equal(tables.Languages, want) {
		t.Errorf("DuckDB counts %v, want %v", tables.Languages, want)
	}
	most := slices.MaxFunc(slices.Collect(maps.Keys(tables.Linked)), func(a, b string) int { return tables.Linked[a] - tables.Linked[b] })
	if !strings.HasSuffix(most, "/page0") || tables.Linked[most] != 23 {
		t.Errorf("most linked: %s by %d pages, want /page0 by 23", most, tables.Linked[most])
	}
}

func checkPandas(t *testing.T, out string, puts int) {
	t.Helper()
	if want := fmt.Sprintf("%d 1", puts); strings.TrimSpace(out) != want {
		t.Errorf("pandas counts %s puts and deletions, want %s", strings.TrimSpace(out), want)
	}
}

func checkPages(t *testing.T, python, dir string, want int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "day=*", "*.warc.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	command(t, nil, filepath.Join(filepath.Dir(python), "warcio"), append([]string{"check"}, files...)...)
	seen := map[string]bool{}
	for line := range strings.Lines(command(t, nil, python, append([]string{"docs/examples/pages.py"}, files...)...)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 5 || f[0] != "response" || f[1] != "200" || f[3] != "text/html; charset=utf-8" || len(f[4]) < 3 {
			t.Errorf("warcio reads %q", line)
			continue
		}
		seen[f[2]] = true
	}
	if len(seen) != want {
		t.Errorf("warcio reads %d pages, want %d", len(seen), want)
	}
}
