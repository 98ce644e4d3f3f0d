package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"millrace/consumers/extract/documents"
	"millrace/schema"
)

// reference is the text that pdftotext reads from a broken PDF.
type reference struct {
	File string `json:"file"`
	Text string `json:"poppler_text"`
}

// measureBroken reads PDFs that broke other readers, one by one, and prints what they cost and how
// much of the words that pdftotext finds are found.
func measureBroken(o documents.Options, dir string, verbose bool) error {
	r, err := documents.New(o)
	if err != nil {
		return err
	}
	files, err := readZip(filepath.Join(dir, "pdfjs_pdfs.zip"))
	if err != nil {
		return err
	}
	refs, err := readReferences(filepath.Join(dir, "pdfjs_poppler_reference.jsonl"))
	if err != nil {
		return err
	}
	var slowest time.Duration
	var slow string
	var ends = map[string]int{}
	words, found := 0, 0
	for _, name := range sortedKeys(files) {
		body := files[name]
		began := time.Now()
		d, err := r.Read(context.Background(), schema.PDF, body)
		if t := time.Since(began); t > slowest {
			slowest, slow = t, name
		}
		ends[endOf(err)]++
		text := ""
		if d != nil {
			text = d.Text
		}
		n, k := common(refs[name], text)
		words, found = words+n, found+k
		if verbose && (k < n || err != nil && n > 0) {
			fmt.Printf("  %s: %d of %d words, %v\n     poppler %.150q\n     ours    %.150q\n", name, k, n, err, refs[name], text)
		}
	}
	fmt.Printf("\nbroken PDFs: %d; the slowest took %.1f s (%s); words of pdftotext found %d of %d (%.3f)\n", len(files), slowest.Seconds(), slow, found, words, float64(found)/float64(words))
	for _, k := range sortedKeys(ends) {
		fmt.Printf("  %-10s %d\n", k, ends[k])
	}
	r.Close()
	fmt.Printf("memory at most: this process %d MB, one that reads PDFs %d MB\n", peakMB(syscall.RUSAGE_SELF), peakMB(syscall.RUSAGE_CHILDREN))
	return nil
}

func endOf(err error) string {
	for _, e := range []struct {
		err  error
		name string
	}{{nil, "text"}, {documents.ErrNoText, "no text"}, {documents.ErrEncrypted, "encrypted"}, {documents.ErrHeavy, "too heavy"}, {documents.ErrBroken, "broken"}} {
		if errors.Is(err, e.err) {
			return e.name
		}
	}
	return err.Error()
}

// common counts the words of a that b has too, each as often as it stands there.
func common(a, b string) (words, found int) {
	have := map[string]int{}
	for w := range strings.FieldsSeq(b) {
		have[w]++
	}
	for w := range strings.FieldsSeq(a) {
		words++
		if have[w] > 0 {
			have[w]--
			found++
		}
	}
	return words, found
}

func readReferences(name string) (map[string]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := map[string]string{}
	s := bufio.NewScanner(f)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		var r reference
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			return nil, err
		}
		out[r.File] = r.Text
	}
	return out, s.Err()
}

// peakMB returns what this process, or the largest of those it started and waited for, took of
// memory at most. For the latter it is an upper bound: the system counts what this process took
// when it started them.
func peakMB(who int) int64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(who, &u)
	return u.Maxrss >> 10
}
