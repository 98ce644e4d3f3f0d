package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"millrace/consumers/extract/documents"
	"millrace/schema"
)

// measureSpeed reads all PDFs of the Tika set, then lets pdftotext do the same, and prints pages
// per second of CPU. What a process takes to start with the compiled reader in the cache counts,
// compiling does not.
func measureSpeed(o documents.Options, dir string) error {
	files, err := readZip(filepath.Join(dir, "tika_documents.zip"))
	if err != nil {
		return err
	}
	var pdfs [][]byte
	for _, name := range sortedKeys(files) {
		if schema.FamilyOf(files[name][:min(len(files[name]), schema.FileHead)], "") == schema.PDF {
			pdfs = append(pdfs, files[name])
		}
	}
	if o.CacheDir == "" {
		if o.CacheDir, err = os.MkdirTemp("", "pdf"); err != nil {
			return err
		}
		defer os.RemoveAll(o.CacheDir)
	}
	compiler, err := documents.New(o)
	if err != nil {
		return err
	}
	_, err = compiler.Read(context.Background(), schema.PDF, pdfs[0])
	compiler.Close()
	if err != nil && !errors.Is(err, documents.ErrNoText) {
		return err
	}
	pages := 0
	began := cpu(syscall.RUSAGE_SELF) + cpu(syscall.RUSAGE_CHILDREN)
	r, err := documents.New(o)
	if err != nil {
		return err
	}
	for range 3 {
		for _, b := range pdfs {
			if d, err := r.Read(context.Background(), schema.PDF, b); err == nil {
				pages += d.Pages
			}
		}
	}
	r.Close() // its processes have ended, and count
	ours := cpu(syscall.RUSAGE_SELF) + cpu(syscall.RUSAGE_CHILDREN) - began
	fmt.Printf("millrace   %d pages, %.1f pages per CPU-s\n", pages, float64(pages)/ours.Seconds())
	began = cpu(syscall.RUSAGE_CHILDREN)
	for range 3 {
		for _, b := range pdfs {
			cmd := exec.Command("pdftotext", "-", os.DevNull)
			cmd.Stdin = strings.NewReader(string(b))
			_ = cmd.Run()
		}
	}
	theirs := cpu(syscall.RUSAGE_CHILDREN) - began
	fmt.Printf("pdftotext  %.1f pages per CPU-s, the start of a process for each file included\n", float64(pages)/theirs.Seconds())
	return nil
}

func cpu(who int) time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(who, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
