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
	"millrace/schema"
)

// readFolder reads every file of a folder and prints what comes of it, and at the end the most
// memory that it took.
func readFolder(r *documents.Reader, dir string, verbose bool) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	fmt.Println("  ms  type  pages  bytes  links  title, or why there is no text")
	for _, e := range list {
		if e.IsDir() {
			continue
		}
		body, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		began := time.Now()
		d, err := r.Read(context.Background(), schema.FamilyOf(body, ""), body)
		took := time.Since(began).Milliseconds()
		if err != nil {
			fmt.Printf("%4d  %s: %v\n", took, e.Name(), err)
			continue
		}
		cut := ""
		if d.Cut {
			cut = " (cut)"
		}
		fmt.Printf("%4d  %-4s  %5d  %5d%s  %5d  %s: %q %q\n", took, d.Type, d.Pages, len(d.Text), cut, len(d.Links), e.Name(), d.Title, cmp.Or(d.Lang, d.Author))
		if verbose {
			fmt.Printf("%.2000s\n\n", d.Text)
		}
	}
	r.Close() // ends the processes, whose memory counts then
	fmt.Printf("memory at most: this process %d MB, one that reads PDFs %d MB\n", peakMB(syscall.RUSAGE_SELF), peakMB(syscall.RUSAGE_CHILDREN))
	return nil
}
