package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"millrace/consumers/extract/documents"
	"millrace/consumers/extract/documents/documentstest"
	"millrace/schema"
)

// readFolder reads every file of a folder and prints what comes of it, and at the end the most
// memory that it took.
func readFolder(r *documents.Reader, dir string, verbose bool) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	fmt.Println(fileHeads)
	for _, e := range list {
		if e.IsDir() {
			continue
		}
		body, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		readOne(r, e.Name(), body, verbose)
	}
	tellMemory(r)
	return nil
}

// readHostile reads the files of documentstest that were made to do harm, large ones.
func readHostile(r *documents.Reader, verbose bool) error {
	fmt.Println(fileHeads)
	for _, h := range documentstest.HostileFiles(30) {
		readOne(r, h.Name, h.Make(), verbose)
	}
	tellMemory(r)
	return nil
}

const fileHeads = "  ms  type  pages  bytes  links  title, or why there is no text"

// readOne reads a file and prints what comes of it.
func readOne(r *documents.Reader, name string, body []byte, verbose bool) {
	began := time.Now()
	d, err := r.Read(context.Background(), schema.FamilyOf(body, ""), body)
	took := time.Since(began).Milliseconds()
	if err != nil {
		fmt.Printf("%4d  %s: %.120v\n", took, name, err)
		return
	}
	cut := ""
	if d.Cut {
		cut = " (cut)"
	}
	fmt.Printf("%4d  %-4s  %5d  %5d%s  %5d  %s: %q %q\n", took, d.Type, d.Pages, len(d.Text), cut, len(d.Links), name, d.Title, cmp.Or(d.Lang, d.Author))
	if verbose {
		fmt.Printf("%.2000s\n\n", d.Text)
	}
}

func tellMemory(r *documents.Reader) {
	r.Close() // ends the processes, whose memory counts then
	fmt.Printf("memory at most: this process %d MB, one that reads PDFs %d MB\n", peakMB(syscall.RUSAGE_SELF), peakMB(syscall.RUSAGE_CHILDREN))
}
