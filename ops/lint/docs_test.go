package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"millrace/topics"
)

// invented are words that look like files or names of this repository and are examples.
func invented() []string {
	return []string{"_millrace/tap.json"}
}

// What the documents name is there: files, programs and their flags, tests, commands of millrace
// and their flags, variables, metrics, routes, and names of Go. Only what stands between backticks
// or in a block of code is looked at.
func TestWhatDocumentsNameIsThere(t *testing.T) {
	h := readHouse(t)
	documents, quoted := 0, 0
	for _, file := range h.files {
		if !strings.HasSuffix(file, ".md") {
			continue
		}
		documents++
		b, err := os.ReadFile(filepath.Join(h.root, file))
		if err != nil {
			t.Fatal(err)
		}
		before := ""
		eachQuote(string(b), func(line int, text string) {
			quoted++
			text = sameCommand(before, text)
			before = text
			for _, wrong := range h.check(text) {
				t.Errorf("%s:%d `%s`: %s", file, line, text, wrong)
			}
		})
	}
	if documents < 10 || quoted < 500 {
		t.Fatalf("%d documents with %d quotes: the test looks in the wrong places", documents, quoted)
	}
}

// sameCommand completes a quote that is only -run or -fuzz with its pattern: it is of the package
// that the quote before it tests.
func sameCommand(before, text string) string {
	words := strings.Fields(before)
	if len(words) < 3 || words[0] != "go" || words[1] != "test" || !strings.HasPrefix(text, "-run ") && !strings.HasPrefix(text, "-fuzz ") {
		return text
	}
	return "go test " + words[2] + " " + text
}

// What is wrong in a document is found: one case of each kind.
func TestAWrongNameInADocumentIsFound(t *testing.T) {
	h := readHouse(t)
	for _, right := range []string{
		"cmd/wire/run.go", "index/record.go", "go test ./cmd/wire -run 'EveryGroup|Travels'", "millrace consume fetch --brokers a:9092",
		sameCommand("go test ./cmd/wire -run Travels", "-run EveryGroup"), "go test ./consumers/fetch/web -fuzz FuzzReply",
		"go run ./cmd/millrace demo", "--max-depth", "MILLRACE_MAX_DEPTH", "millrace_group_lag_seconds", "/api/v1/search", "streams.Plain",
	} {
		if wrong := h.check(right); len(wrong) > 0 {
			t.Errorf("%s: %q", right, wrong)
		}
	}
	for _, wrong := range []string{
		"cmd/wire/rum.go", "index/recort.go", "go test ./cmd/wire -run NoSuchTest", "go test ./cmd/wire -run 'Travels|NoSuchTest'",
		sameCommand("go test ./cmd/wire -run Travels", "-run NoSuchTest"), "go test ./consumers/fetch/web -fuzz FuzzNoSuchTarget",
		"go test ./streams -run LargeLog", // of a package below it
		"go test ./cmd/wyre", "millrace consome fetch",
		"millrace run --untill-idle", "go run ./bench/news -wating 3", "--max-dept", "MILLRACE_MAX_DEPT", "millrace_group_lack_seconds",
		"/api/v1/searches", "streams.Plane",
	} {
		if len(h.check(wrong)) == 0 {
			t.Errorf("nothing is wrong with %s", wrong)
		}
	}
}

var (
	link        = regexp.MustCompile(`\]\(([^)#\s]+)`)
	fileComment = regexp.MustCompile(`(?:^|[\s(])((?:[\w.-]+/)*[\w.-]+\.(?:go|proto|cql|md))\b`)
)

// Files that comments of Go name are there, too, and what Markdown links to.
func TestFilesThatCommentsNameAreThere(t *testing.T) {
	h := readHouse(t)
	there := func(word string) bool {
		return slices.ContainsFunc(h.files, func(f string) bool { return strings.HasSuffix("/"+f, "/"+word) })
	}
	found := 0
	for _, file := range h.files {
		full := filepath.Join(h.root, file)
		switch path.Ext(file) {
		case ".go":
			err := eachComment(full, func(line int, text string) {
				for _, m := range fileComment.FindAllStringSubmatch(text, -1) {
					if found++; !there(m[1]) && !elsewhere(m[1]) {
						t.Errorf("%s:%d names the file %s, which is not there", file, line, m[1])
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		case ".md":
			b, err := os.ReadFile(full)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range link.FindAllStringSubmatch(string(b), -1) {
				if found++; !strings.Contains(m[1], ":") && !h.exists(path.Join(path.Dir(file), m[1])) {
					t.Errorf("%s links to %s, which is not there", file, m[1])
				}
			}
		}
	}
	if found < 50 {
		t.Fatalf("%d names of files found", found)
	}
}

// elsewhere reports whether a file that a comment names belongs to another project, or is made by
// the program.
func elsewhere(name string) bool {
	return slices.Contains([]string{"profile.proto"}, name)
}

// Every page of docs/ is reached from README.md.
func TestREADMELinksToEveryPage(t *testing.T) {
	h := readHouse(t)
	readme, err := os.ReadFile(filepath.Join(h.root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for _, file := range h.files {
		if path.Dir(file) != "docs" || path.Ext(file) != ".md" {
			continue
		}
		if pages++; !strings.Contains(string(readme), "("+file+")") {
			t.Errorf("README.md does not link to %s", file)
		}
	}
	if pages < 7 {
		t.Fatalf("%d pages", pages)
	}
}

// Readers from outside find each topic in docs/topics.md, with its message.
func TestDocumentsListEveryTopic(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "topics.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range topics.All() {
		row := "| " + s.Name + " | " + strings.TrimPrefix(s.Message, "millrace.v1.") + " |"
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/topics.md has no row that begins with %q", row)
		}
	}
}

// house is what documents can name.
type house struct {
	root     string
	files    []string            // below root, with slashes
	commands map[string][]string // the commands of millrace with their flags
	flags    []string            // of all commands
	metrics  string              // the source of ops/metrics
	routes   string              // the source of ops/web
	source   map[string]string   // the source of each folder, tests too
	names    map[string][]string // what packages declare, by the name of the package
}

func readHouse(t *testing.T) *house {
	t.Helper()
	h := &house{root: filepath.Join("..", ".."), source: map[string]string{}, names: map[string][]string{}}
	err := filepath.WalkDir(h.root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		}
		rel, err := filepath.Rel(h.root, name)
		h.files = append(h.files, filepath.ToSlash(rel))
		if err == nil && strings.HasSuffix(name, ".go") {
			err = h.read(name, filepath.ToSlash(filepath.Dir(rel)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	h.metrics, h.routes = h.source["ops/metrics"], h.source["ops/web"]
	help, err := os.ReadFile(filepath.Join(h.root, "cmd", "millrace", "testdata", "help.txt"))
	if err != nil {
		t.Fatal(err)
	}
	h.readHelp(string(help))
	if len(h.commands) < 30 || len(h.flags) < 60 {
		t.Fatalf("%d commands with %d flags found", len(h.commands), len(h.flags))
	}
	return h
}

// read notes the source of a Go file, and what it declares.
func (h *house) read(name, dir string) error {
	src, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	h.source[dir] += string(src)
	f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	pkg := f.Name.Name
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			h.names[pkg] = append(h.names[pkg], d.Name.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					h.names[pkg] = append(h.names[pkg], s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						h.names[pkg] = append(h.names[pkg], n.Name)
					}
				}
			}
		}
	}
	return nil
}

var (
	helpHead = regexp.MustCompile(`(?m)^millrace ([a-z][a-z -]*): `)
	flagName = regexp.MustCompile(`--[a-z][a-z-]+`)
)

// readHelp reads the commands and their flags from the golden help.
func (h *house) readHelp(help string) {
	h.commands = map[string][]string{"help": nil, "completion": nil, "man": nil}
	sections := strings.Split(help, strings.Repeat("=", 92)+"\n")
	for _, s := range sections[1:] {
		if m := helpHead.FindStringSubmatch(s); m != nil {
			h.commands[m[1]] = flagName.FindAllString(s, -1)
			h.flags = append(h.flags, h.commands[m[1]]...)
		}
	}
	for name := range h.commands { // words that only begin commands: "consume", "taps"
		if first, _, ok := strings.Cut(name, " "); ok && h.commands[first] == nil {
			h.commands[first] = h.flags
		}
	}
}

// eachQuote calls fn for every text of Markdown between backticks and every line of a block of
// code.
func eachQuote(text string, fn func(line int, text string)) {
	fenced, before := false, ""
	for i, line := range strings.Split(text, "\n") {
		block := strings.HasPrefix(line, "    ") && (strings.TrimSpace(before) == "" || strings.HasPrefix(before, "    "))
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			fenced = !fenced
		case fenced || block:
			for part := range strings.SplitSeq(line, " ; ") {
				fn(i+1, strings.TrimSpace(part))
			}
		default:
			for k, part := range strings.Split(line, "`") {
				if k%2 == 1 {
					fn(i+1, part)
				}
			}
		}
		before = line
	}
}

var (
	variable = regexp.MustCompile(`\bMILLRACE_[A-Z_]+\b`)
	metric   = regexp.MustCompile(`\bmillrace_([a-z][a-z_]+)\b`)
	route    = regexp.MustCompile(`(?:^|[^\w.])(/(?:api/v1|healthz|readyz|metrics|status)[\w/-]*)`)
	goName   = regexp.MustCompile(`\b([a-z]+)\.([A-Z]\w+)\b`)
	fileName = regexp.MustCompile(`^\.?[\w.@*{},/-]+\.(go|md|proto|cql|yaml|yml|py|sql|properties|service|json)$`)
)

// check returns what is wrong with a quoted text.
func (h *house) check(text string) (wrong []string) {
	say := func(ok bool, what string) {
		if !ok {
			wrong = append(wrong, what)
		}
	}
	for _, v := range variable.FindAllString(text, -1) {
		flag := "--" + strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(v, "MILLRACE_"), "_", "-"))
		say(slices.Contains(h.flags, flag) || h.anySource(v) || h.anySource(`"`+strings.TrimPrefix(flag, "--")), v+" is no variable")
	}
	for _, m := range metric.FindAllStringSubmatch(text, -1) {
		name := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(m[1], "_bucket"), "_sum"), "_count")
		say(strings.Contains(h.metrics, name), "no metric "+m[0]+" in ops/metrics")
	}
	for _, m := range route.FindAllStringSubmatch(text, -1) {
		say(strings.Contains(h.routes, strings.TrimSuffix(m[1], "/")), "no route "+m[1])
	}
	for _, m := range goName.FindAllStringSubmatch(text, -1) {
		if known, ok := h.names[m[1]]; ok && m[1] != "pandas" {
			say(slices.Contains(known, m[2]), "package "+m[1]+" declares no "+m[2])
		}
	}
	for _, word := range strings.Fields(text) {
		wrong = append(wrong, h.checkFile(word)...)
	}
	wrong = append(wrong, h.checkGo(text)...)
	return append(wrong, h.checkMillrace(text)...)
}

// anySource reports whether any source outside of this folder has a word.
func (h *house) anySource(word string) bool {
	whole := regexp.MustCompile(regexp.QuoteMeta(word) + `(?:\W|$)`)
	for dir, s := range h.source {
		if dir != "ops/lint" && whole.MatchString(s) {
			return true
		}
	}
	return false
}

// checkFile says which file is not there, for a word that looks like a path: from the root if it
// begins there, or the end of a path.
func (h *house) checkFile(word string) []string {
	word = strings.TrimPrefix(strings.Trim(word, `"',;:()`), "./")
	if slices.Contains(invented(), word) || strings.HasPrefix(word, "../") {
		return nil
	}
	first, rest, ok := strings.Cut(word, "/")
	if ok && rest != "" && h.isFolder(first) && !strings.ContainsAny(word, "…={}:?$()|") && first != "data" {
		if !h.exists(strings.TrimSuffix(strings.TrimSuffix(word, "/..."), "/")) {
			return []string{"no file or folder " + word}
		}
		return nil
	}
	if !ok || !fileName.MatchString(word) || strings.HasPrefix(word, "/") || strings.ContainsAny(word, "*{") {
		return nil
	}
	if !slices.ContainsFunc(h.files, func(f string) bool { return strings.HasSuffix("/"+f, "/"+word) }) {
		return []string{"no file " + word}
	}
	return nil
}

func (h *house) isFolder(first string) bool {
	return slices.ContainsFunc(h.files, func(f string) bool { return strings.HasPrefix(f, first+"/") })
}

func (h *house) exists(name string) bool {
	found, err := filepath.Glob(filepath.Join(h.root, filepath.FromSlash(name)))
	return err == nil && len(found) > 0
}

// checkGo checks what a command of Go names: packages, tests, and flags of our own programs.
func (h *house) checkGo(text string) (wrong []string) {
	words := strings.Fields(text)
	at := slices.Index(words, "go")
	if at < 0 || at+1 == len(words) || !slices.Contains([]string{"run", "test", "vet", "generate", "build"}, words[at+1]) {
		return nil
	}
	var dirs, tested []string // tested: dirs, and with /... those below
	for i, w := range words[at:] {
		switch next := i + at + 1; {
		case strings.HasPrefix(w, "./") && w != "./...":
			dir := path.Clean(strings.TrimSuffix(strings.Trim(w, `")`), "/..."))
			if _, ok := h.source[dir]; !ok && !strings.HasSuffix(w, "/...") {
				wrong = append(wrong, "no package "+w)
			}
			dirs, tested = append(dirs, dir), append(tested, dir)
			for d := range h.source {
				if strings.HasSuffix(w, "/...") && within(d, dir) {
					tested = append(tested, d)
				}
			}
		case (w == "-run" || w == "-fuzz") && words[at+1] == "test" && next < len(words):
			pattern := strings.Trim(strings.Split(words[next], "/")[0], `'"`)
			for one := range strings.SplitSeq(pattern, "|") {
				if !strings.EqualFold(one, "xxx") && !h.hasTest(tested, one) {
					wrong = append(wrong, "no test "+one)
				}
			}
		case strings.HasPrefix(w, "-") && words[at+1] == "run" && len(dirs) == 1 && dirs[0] != "cmd/millrace":
			name, _, _ := strings.Cut(strings.TrimLeft(w, "-"), "=")
			if !strings.Contains(h.below(dirs[0]), `"`+name+`"`) {
				wrong = append(wrong, dirs[0]+" has no flag -"+name)
			}
		}
	}
	return wrong
}

// below is the source of a folder and of those below it.
func (h *house) below(dir string) (all string) {
	for d, s := range h.source {
		if within(d, dir) {
			all += s
		}
	}
	return all
}

// hasTest reports whether a test in one of the folders matches a pattern of -run.
func (h *house) hasTest(dirs []string, pattern string) bool {
	pattern = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(pattern, "^"), "Test"), "Fuzz")
	re, err := regexp.Compile(`(?m)^func (?:Test|Fuzz|Example)\w*` + pattern)
	return err == nil && slices.ContainsFunc(dirs, func(d string) bool { return re.MatchString(h.source[d]) })
}

// checkMillrace checks a command line of millrace: the command, and the flags of that command.
func (h *house) checkMillrace(text string) (wrong []string) {
	words := strings.Fields(text)
	at := slices.IndexFunc(words, func(w string) bool { return w == "millrace" || strings.HasSuffix(w, "/millrace") })
	if at > 0 && !slices.Contains([]string{"run", "&&", "|", "$", "exec"}, words[at-1]) {
		return nil // the word in a sentence or a table
	}
	if at < 0 || at+1 >= len(words) {
		if len(words) == 1 && flagName.FindString(text) == text && !slices.Contains(h.flags, text) && !h.anySource(`"`+strings.TrimPrefix(text, "--")+`"`) {
			return []string{"no command has the flag " + text}
		}
		return nil
	}
	name := words[at+1]
	if !regexp.MustCompile(`^[a-z][a-z-]*$`).MatchString(name) {
		return nil
	}
	if at+2 < len(words) && h.commands[name+" "+words[at+2]] != nil {
		name += " " + words[at+2]
	}
	flags, ok := h.commands[name]
	if !ok {
		return []string{"no command " + name}
	}
	for _, w := range words[at+1:] {
		if w == "&&" || w == "|" || strings.HasPrefix(w, "#") {
			break
		}
		if f := flagName.FindString(w); f != "" && strings.HasPrefix(w, f) && !slices.Contains(flags, f) && name != "help" {
			wrong = append(wrong, "millrace "+name+" has no flag "+f)
		}
	}
	return wrong
}
