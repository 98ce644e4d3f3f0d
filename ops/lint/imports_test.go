package lint

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// pkg holds the fields of a package that `go list` prints.
type pkg struct {
	ImportPath, Dir           string
	GoFiles                   []string
	Imports                   []string
	TestImports, XTestImports []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports,TestImports,XTestImports", "millrace/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 15 {
		t.Fatalf("only %d packages: is this the whole module?", len(all))
	}
	return all
}

// layer says what the packages below a path may import of millrace, beside what is below their own
// path: a package, all below a path ("ops/..."), or everything ("..."). The first layer that fits
// counts. What is shipped imports nothing of bench.
type layer struct {
	path string
	may  []string
}

func layers() []layer {
	stages := []string{"schema", "schema/facts", "consumers/rules", "consumers/sketch", "consumers/inflate", "topics", "streams", "streams/heap", "streams/state"}
	return []layer{
		{"schema", nil},
		{"consumers/rules", []string{"schema"}},
		{"consumers/sketch", nil},
		{"consumers/inflate", nil},
		{"topics", []string{"schema"}},
		{"streams/state", []string{"schema", "streams/certs"}},
		{"streams/streamstest", []string{"schema", "topics", "streams", "streams/embedded"}},
		{"streams/embedded", nil},
		{"streams/heap", nil},
		{"streams/certs", nil},
		{"streams", []string{"schema", "topics", "streams/certs"}},
		{"consumers/feeds", append(stages, "consumers/listing")},
		{"consumers/sitemaps", append(stages, "consumers/listing")},
		{"consumers/*", stages},
		{"producers/*", stages},
		{"ops/simweb", nil},
		{"ops/web", append(stages, "ops/asyncapi", "ops/deadletters", "ops/metrics", "ops/nearest", "ops/records", "ops/watch")},
		{"ops/*", append(stages, "ops/watch", "ops/metrics")},
		{"cmd", []string{"schema/...", "topics/...", "streams/...", "consumers/...", "producers/...", "ops/..."}},
		{"bench", []string{"..."}},
	}
}

// root is the path of the layer that a package belongs to: "consumers/*" stands
// for one group each.
func (l layer) root(path string) (string, bool) {
	if base, ok := strings.CutSuffix(l.path, "/*"); ok {
		rest, ok := strings.CutPrefix(path, base+"/")
		if !ok {
			return "", false
		}
		name, _, _ := strings.Cut(rest, "/")
		return base + "/" + name, true
	}
	return l.path, within(path, l.path)
}

func (l layer) allows(path string) bool {
	return slices.ContainsFunc(l.may, func(m string) bool {
		base, all := strings.CutSuffix(m, "...")
		return m == path || all && (base == "" || within(path, strings.TrimSuffix(base, "/")))
	})
}

func within(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }

func TestPackagesImportOnlyWhatStandsBelowThem(t *testing.T) {
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, "millrace/")
		i := slices.IndexFunc(layers(), func(l layer) bool { _, ok := l.root(path); return ok })
		if i < 0 {
			t.Errorf("%s stands in no layer: add it to layers() in ops/lint/imports_test.go, and to the table in CONTRIBUTING.md", path)
			continue
		}
		l := layers()[i]
		root, _ := l.root(path)
		for _, imp := range p.Imports {
			to, ours := strings.CutPrefix(imp, "millrace/")
			if ours && !within(to, root) && !l.allows(to) {
				t.Errorf("%s imports %s; %s may import %v: move what both need into one of these, or let cmd/wire hand it over", path, to, l.path, l.may)
			}
		}
	}
}

// owners says where a library may be used: elsewhere it is hidden behind ours.
func owners() map[string][]string {
	return map[string][]string{
		"github.com/twmb/franz-go/pkg/kgo":   {"streams", "ops", "bench"},
		"github.com/twmb/franz-go/pkg/kadm":  {"streams", "ops", "bench"},
		"github.com/twmb/franz-go/pkg/kfake": {"streams/embedded", "bench"},
		"github.com/cockroachdb/pebble":      {"streams/state/embedded", "bench"},
		"github.com/gocql/gocql":             {"streams/state/scylla", "ops/cluster"},
		"github.com/scylladb/gocqlx":         {"streams/state/scylla"},
		"github.com/blevesearch":             {"consumers/index", "bench"},
		"github.com/PuerkitoBio/goquery":     {"consumers/extract"},
		"github.com/mmcdole/gofeed":          {"consumers/feeds"},
		"github.com/bits-and-blooms/bloom":   {"consumers/schedule", "consumers/dedupe"},
		"github.com/klippa-app/go-pdfium":    {"consumers/extract/documents"},
		"github.com/tetratelabs/wazero":      {"consumers/extract/documents"},
		"github.com/richardlehane/mscfb":     {"consumers/extract/documents"},
		"code.dny.dev/ssrf":                  {"consumers/fetch"},
		"github.com/parquet-go/parquet-go":   {"consumers/taps"},
		"millrace/streams/embedded":          {"cmd", "bench", "streams/streamstest"},
		"millrace/streams/state/embedded":    {"cmd", "bench"},
		"millrace/streams/state/scylla":      {"cmd", "bench"},
	}
}

func TestALibraryIsUsedOnlyByItsOwner(t *testing.T) {
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, "millrace/")
		for _, imp := range p.Imports {
			for lib, may := range owners() {
				if within(imp, lib) && !within(p.ImportPath, lib) && !slices.ContainsFunc(may, func(m string) bool { return within(path, m) }) {
					t.Errorf("%s imports %s, which belongs to %v: use it through them, or see owners() in ops/lint/imports_test.go", path, imp, may)
				}
			}
		}
	}
}
