package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed scrapy/spider.py scrapy/requirements.txt
var scrapyFiles embed.FS

// tools are the programs that are run.
type tools struct {
	simweb, millrace, colly, assembled string
	python, spider                     string
	commit                             string
	versions                           map[string]string // by crawler
}

// build makes all programs in a directory, Scrapy where it is asked for.
func build(ctx context.Context, dir string, scrapy bool, progress io.Writer) (tools, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return tools{}, err
	}
	root, err := output(ctx, "", "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return tools{}, err
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	t := tools{simweb: at("simweb"), millrace: at("millrace"), colly: at("colly"), assembled: at("assembled"), python: at("venv/bin/python"), spider: at("spider.py")}
	nested := filepath.Join(root, "bench", "peers", "colly")
	parts := filepath.Join(root, "bench", "peers", "assembled")
	for _, b := range []struct{ in, pkg, to string }{
		{root, "./ops/simweb/cmd/simweb", t.simweb}, {root, "./cmd/millrace", t.millrace}, {nested, ".", t.colly}, {parts, ".", t.assembled},
	} {
		fmt.Fprintln(progress, "building", filepath.Base(b.to))
		if _, err := output(ctx, b.in, "go", "build", "-o", b.to, b.pkg); err != nil {
			return tools{}, err
		}
	}
	if err := t.identify(ctx, root, nested, parts); err != nil || !scrapy {
		return t, err
	}
	if err := installScrapy(ctx, dir, t, progress); err != nil {
		return tools{}, err
	}
	t.versions["scrapy"], err = output(ctx, "", t.python, "-c", "import scrapy; print(scrapy.__version__)")
	return t, err
}

// installScrapy makes an environment of its own, unless it is there.
func installScrapy(ctx context.Context, dir string, t tools, progress io.Writer) error {
	for _, name := range []string{"spider.py", "requirements.txt"} {
		b, err := scrapyFiles.ReadFile("scrapy/" + name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			return err
		}
	}
	if _, err := output(ctx, "", t.python, "-c", "import scrapy"); err == nil {
		return nil
	}
	fmt.Fprintln(progress, "installing scrapy")
	if _, err := output(ctx, dir, "python3", "-m", "venv", "venv"); err != nil {
		return err
	}
	_, err := output(ctx, dir, t.python, "-m", "pip", "install", "--quiet", "-r", "requirements.txt")
	return err
}

// identify finds out what was built.
func (t *tools) identify(ctx context.Context, root, nested, parts string) (err error) {
	t.versions = map[string]string{}
	if t.commit, err = output(ctx, root, "git", "describe", "--always", "--dirty"); err != nil {
		t.commit = "unknown" // no repository: the sources were copied
	}
	t.versions["millrace"] = t.commit
	if t.versions["colly"], err = output(ctx, nested, "go", "list", "-m", "-f", "{{.Version}}", "github.com/gocolly/colly/v2"); err != nil {
		return err
	}
	if t.versions["assembled"], err = output(ctx, parts, "go", "list", "-m", "github.com/gocolly/colly/v2", "github.com/markusmobius/go-trafilatura", "github.com/blevesearch/bleve/v2"); err != nil {
		return err
	}
	t.versions["assembled"] = strings.ReplaceAll(t.versions["assembled"], "\n", ", ")
	return nil
}

// output runs a command and returns what it says.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", filepath.Base(name), strings.Join(args, " "), err, strings.TrimSpace(errs.String()))
	}
	return strings.TrimSpace(out.String()), nil
}
