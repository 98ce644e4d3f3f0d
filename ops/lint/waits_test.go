package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// realTime names the tests that let real time pass, with the reason: what they wait for is in
// another process or is time itself.
func realTime() map[string]string {
	return map[string]string{
		"ops/simweb/origin/received_linux_test.go": "the kernel tells nobody that bytes wait to be read",
		"bench/system/crash/check_test.go":         "members and origin are other processes",
		"bench/system/crash/crash_test.go":         "members and origin are other processes",
		"bench/system/crash/full_test.go":          "another process says what it does",
		"bench/system/readers/readers_test.go":     "another process writes the file",
		"bench/system/tables/tables_test.go":       "another process writes the table",
		"cmd/millrace/tapkill_test.go":             "other processes write the files",
		"cmd/wire/peers_test.go":                   "the processes of a cluster tell of themselves every few seconds",
		"consumers/fetch/outage_test.go":           "a write that takes long, in a bubble of another file",
		"consumers/fetch/web/hostile_test.go":      "a server that sends one byte at a time over a real connection",
		"streams/faults_test.go":                   "the client of a member learns of new partitions in its own time",
		"streams/group_test.go":                    "it asks the brokers for the lag, whoever the members are; each look waits for their answers",
		"streams/lost_test.go":                     "a member that joins just then is not expelled, and is expelled again",
		"streams/rebalance_test.go":                "a heartbeat gets stale by time alone",
		"streams/remade_test.go":                   "appends fail while the topic is made anew",
	}
}

// Tests wait on events, or their time is that of a bubble (testing/synctest): none sleeps or looks
// again every few milliseconds, because how long that must be depends on the machine. A bound, a
// time.After outside of a loop, may end a test that waits on events.
func TestTestsWaitOnEvents(t *testing.T) {
	root, found := filepath.Join("..", ".."), map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil || slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"testing/synctest"` }) {
			return err
		}
		rel, err := filepath.Rel(root, path)
		for _, pos := range passes(f) {
			found[filepath.ToSlash(rel)] = true
			if realTime()[filepath.ToSlash(rel)] == "" {
				t.Errorf("%s lets time pass: wait on an event (streams.Meter.Changed, a channel of a fake), or use testing/synctest", set.Position(pos))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for path := range realTime() {
		if !found[path] {
			t.Errorf("%s lets no time pass any more: take it out of realTime", path)
		}
	}
}

// passes lists the calls of a file that let time pass: time.Sleep anywhere, time.After, time.Tick
// and time.NewTicker where they are made anew in a loop or tick in one, and loops that compare
// time.Now with a deadline.
func passes(f *ast.File) (out []token.Pos) {
	var walk func(n ast.Node, inLoop bool)
	walk = func(n ast.Node, inLoop bool) {
		ast.Inspect(n, func(x ast.Node) bool {
			switch x := x.(type) {
			case *ast.ForStmt:
				if x.Init != nil {
					walk(x.Init, inLoop)
				}
				if x.Cond != nil {
					walk(x.Cond, true)
				}
				walk(x.Body, true)
				if x.Post != nil {
					walk(x.Post, true)
				}
				return false
			case *ast.RangeStmt:
				walk(x.X, inLoop)
				walk(x.Body, true)
				return false
			case *ast.CallExpr:
				switch timeCall(x) {
				case "Sleep", "NewTicker", "Tick":
					out = append(out, x.Pos())
				case "After", "Now":
					if inLoop && (timeCall(x) == "After" || compared(f, x)) {
						out = append(out, x.Pos())
					}
				}
			}
			return true
		})
	}
	walk(f, false)
	return out
}

// timeCall returns the name of a function of package time that is called; "" for others.
func timeCall(c *ast.CallExpr) string {
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if x, ok := s.X.(*ast.Ident); !ok || x.Name != "time" {
		return ""
	}
	return s.Sel.Name
}

// compared reports whether a time is compared: time.Now().After(…) or time.Now().Before(…).
func compared(f *ast.File, now *ast.CallExpr) (yes bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.X == now && (s.Sel.Name == "After" || s.Sel.Name == "Before") {
			yes = true
		}
		return !yes
	})
	return yes
}
