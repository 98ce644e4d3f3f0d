package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// Processes of every tap that writes into files, and of the one that writes a topic, are ended with
// SIGKILL while they write, started again, and ended again, while records come. At the end each
// record is in one file, once, and in the topic once.
func TestATapThatIsKilledMidFileWritesEachRecordOnce(t *testing.T) {
	opts := streamstest.Options(t)
	src := &tapSource{t: t, opts: opts}
	src.publish(60)
	var all sync.WaitGroup
	for format, read := range map[string]func(*testing.T, string) map[string]int{
		"parquet": rowsOf, "links": rowsOf, "jsonl": linesOf, "warc": responsesOf,
	} {
		all.Go(func() {
			dir := t.TempDir()
			args := []string{"consume", format, "--out", dir, "--brokers", strings.Join(opts.Brokers, ","), "--member", "one",
				"--roll-every", "100ms", "--log-level", "error"}
			for round := range 4 {
				// Every other time it is ended while a file has its staging name, unless that was
				// too short to be seen; else when it has begun.
				looks := [][]string{{"_millrace/staging", ""}, {"_millrace/notes"}}[round%2]
				before := filesIn(t, dir, looks)
				cmd, _ := process(t, args...)
				becomes(t, format+": a file that grows", func() bool { return grew(filesIn(t, dir, looks), before) })
				if err := cmd.Process.Kill(); err != nil {
					t.Errorf("%s: it had ended before it was killed: %v", format, err)
				}
				_ = cmd.Wait() // says that it was killed
				src.publish(20)
			}
			cmd, out := process(t, append(args, "--until-end")...)
			if err := cmd.Wait(); err != nil {
				t.Errorf("%s: %v\n%s", format, err, out)
			}
			src.want(format, read(t, dir))
		})
	}
	all.Wait()
	if !t.Failed() {
		src.json()
	}
}

// filesIn lists the files in folders of a directory; "" stands for what is not below _millrace.
func filesIn(t *testing.T, dir string, folders []string) (out []string) {
	for _, f := range folders {
		if f != "" {
			out = append(out, filesBelow(t, filepath.Join(dir, f), "")...)
			continue
		}
		out = slices.Concat(out, filesBelow(t, dir, "z"), filesBelow(t, dir, "parquet"))
	}
	return out
}

// grew reports whether there is a file that was not there before.
func grew(now, before []string) bool {
	return slices.ContainsFunc(now, func(f string) bool { return !slices.Contains(before, f) })
}

// tapSource appends records of the topics that taps read.
type tapSource struct {
	t    *testing.T
	opts streams.Options
	mu   sync.Mutex
	n    int
}

// publish appends n documents, n pages, and n records of links with two links each.
func (s *tapSource) publish(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var r streamstest.Recorder
	docs := streams.NewEmitter(r.Partition(0, 4), "dedupe", topics.Unique())
	pages := streams.NewEmitter(r.Partition(0, 4), "fetch", topics.Pages())
	links := streams.NewEmitter(r.Partition(0, 4), "extract", topics.Discovered())
	for i := s.n; i < s.n+n; i++ {
		key, host := fmt.Sprintf("test.h%d:https/%d", i%7, i), fmt.Sprintf("test.h%d", i%7)
		docs.SendTo(int32(i%4), &schema.Unique{Doc: &schema.Doc{RowKey: key, Url: "https://h.test/" + key, Lang: []string{"en", "de"}[i%2], Text: strings.Repeat("words ", 50)}})
		pages.Send(&schema.Page{RowKey: key, Url: "https://h.test/" + key, HttpStatus: 200, Body: []byte(strings.Repeat(key, 20)), FetchedAt: 1_700_000_000_000, ContentType: "text/html"})
		links.Send(&schema.Discovered{Host: host, Body: &schema.Discovered_Links{Links: &schema.Links{
			SourceRowKey: key, SourceRev: 1, Links: []*schema.Link{{Path: ":https/a"}, {Path: ":https/b"}},
		}}})
	}
	s.n += n
	sends := r.Take()
	for i := range sends {
		if sends[i].Partition < 0 {
			sends[i].Partition = streamstest.PartitionOf(sends[i], 4)
		}
	}
	if err := streamstest.Append(s.t.Context(), s.opts, sends); err != nil {
		s.t.Error(err)
	}
}

// want fails unless what was read has each record once: of a source of links two rows.
func (s *tapSource) want(format string, got map[string]int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	each := 1
	if format == "links" {
		each = 2
	}
	if len(got) < 60+4*20 {
		s.t.Errorf("%s: %d records of %d or more", format, len(got), 60+4*20)
	}
	for key, n := range got {
		if n != each {
			s.t.Errorf("%s: %s is there %d times", format, key, n)
		}
	}
	for i := range 60 + 4*20 { // what others published since may be there, too
		if key := fmt.Sprintf("test.h%d:https/%d", i%7, i); got[key] == 0 {
			s.t.Errorf("%s: %s is missing", format, key)
			return
		}
	}
}

// json kills processes that copy docs.unique into a topic of JSON.
func (s *tapSource) json() {
	read := s.opts
	read.Transactions = true
	log, err := streams.NewLog(read)
	if err != nil {
		s.t.Fatal(err)
	}
	defer log.Close()
	count := func(topic string) map[string]int {
		got := map[string]int{}
		ends, err := log.Ends(s.t.Context(), topic)
		if err != nil {
			return got // it is not made yet
		}
		for p, end := range ends {
			err := log.Scan(s.t.Context(), topic, p, 0, end, func(r streams.Raw) error { got[r.Key]++; return nil })
			if err != nil {
				s.t.Fatal(err)
			}
		}
		return got
	}
	for round := range 3 {
		cmd, _ := process(s.t, "consume", "json", "--copies", "1", "--brokers", strings.Join(s.opts.Brokers, ","), "--member", "one", "--log-level", "error")
		// The first two are killed when something is there, the last one when all is.
		enough := []int{1, s.n / 2, s.n}[round]
		becomes(s.t, fmt.Sprintf("%d records as JSON", enough), func() bool { return len(count(topics.JSONTopic)) >= enough })
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if round == 0 {
			s.publish(40)
		}
	}
	if got, want := count(topics.JSONTopic), count(topics.Unique().Name); !maps.Equal(got, want) {
		s.t.Errorf("json: %d keys of %d, how often each is there: %v", len(got), len(want), got)
	}
}

func filesBelow(t *testing.T, dir, ext string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case os.IsNotExist(err): // it came and went
			return nil
		case err == nil && d.IsDir() && d.Name() == "_millrace" && ext != "":
			return fs.SkipDir
		case err == nil && !d.IsDir() && strings.HasSuffix(path, ext):
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return out
}

// rowsOf counts rows by the key of their record.
func rowsOf(t *testing.T, dir string) map[string]int {
	got := map[string]int{}
	for _, path := range filesBelow(t, dir, ".parquet") {
		rows, err := parquet.ReadFile[struct {
			Key    *string `parquet:"key,optional"`
			Source *string `parquet:"source,optional"`
		}](path)
		if err != nil {
			t.Error(err)
		}
		for _, r := range rows {
			key := r.Key
			if key == nil {
				key = r.Source
			}
			got[*key]++
		}
	}
	return got
}

func linesOf(t *testing.T, dir string) map[string]int {
	got := map[string]int{}
	for _, path := range filesBelow(t, dir, ".jsonl.gz") {
		for line := range bytes.Lines(unzipped(t, path)) {
			var l struct{ Key string }
			if err := json.Unmarshal(line, &l); err != nil {
				t.Error(err)
			}
			got[l.Key]++
		}
	}
	return got
}

// responsesOf counts the response records of WARC files by the row key in their URL.
func responsesOf(t *testing.T, dir string) map[string]int {
	got := map[string]int{}
	for _, path := range filesBelow(t, dir, ".warc.gz") {
		response := false
		for s := bufio.NewScanner(bytes.NewReader(unzipped(t, path))); s.Scan(); {
			if kind, ok := strings.CutPrefix(s.Text(), "WARC-Type: "); ok {
				response = kind == "response"
			}
			if url, ok := strings.CutPrefix(s.Text(), "WARC-Target-URI: https://h.test/"); ok && response {
				got[url]++
				response = false
			}
		}
	}
	return got
}

func unzipped(t *testing.T, path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		t.Error(err)
		return nil
	}
	b, err := io.ReadAll(zip)
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
	return b
}

// becomes returns when something that another process does is so; nobody tells that. A process that
// never does it is an error after a while, not a test that hangs.
func becomes(t *testing.T, what string, so func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	hangs := time.After(3 * time.Minute)
	for !so() {
		select {
		case <-tick.C:
		case <-hangs:
			t.Errorf("never seen: %s", what)
			return
		}
	}
}
