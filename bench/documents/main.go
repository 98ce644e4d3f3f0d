// Command documents measures the reading of PDF and Office files on files that others made: which
// of the strings that must be in them are found, beside pdftotext for PDF; what broken PDFs cost;
// and how fast it is.
//
//	go run ./bench/documents            what is found, and what broken files cost
//	go run ./bench/documents -speed     pages per CPU second beside pdftotext
//	go run ./bench/documents -twins DIR manuals as PDF and HTML: NAME.pdf and the folder NAME of HTML files in DIR
//	go run ./bench/documents -read DIR  what each file of a folder gives and costs; -v prints the texts
//	go run ./bench/documents -hostile   what files cost that were made to do harm, by our own making
//
// With -cache DIR the compiled reader of PDF is kept there: the second run shows what a process
// takes that finds it.
//
// Without the outside data (bench/outside) it says so and ends.
package main

import (
	"flag"
	"fmt"
	"os"

	"millrace/bench/outside"
	"millrace/consumers/extract/documents"
)

func main() {
	documents.ServePDFs()
	verbose := flag.Bool("v", false, "name what is missing")
	speed := flag.Bool("speed", false, "measure speed only")
	twins := flag.String("twins", "", "folder with pairs of PDF and HTML")
	read := flag.String("read", "", "folder of files of any kind")
	hostile := flag.Bool("hostile", false, "read files that were made to do harm")
	cache := flag.String("cache", "", "folder for the compiled reader of PDF")
	flag.Parse()
	if err := run(*verbose, *speed, *hostile, *twins, *read, *cache); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(verbose, speed, hostile bool, twins, read, cache string) error {
	o := documents.DefaultOptions()
	o.CacheDir = cache
	dir, err := outside.Dir("office")
	if err != nil && !hostile && twins == "" && read == "" {
		return err
	}
	if speed {
		return measureSpeed(o, dir)
	}
	r, err := documents.New(o)
	if err != nil {
		return err
	}
	defer r.Close()
	if twins != "" {
		return compareTwins(r, twins, verbose)
	}
	if hostile {
		return readHostile(r, verbose)
	}
	if read != "" {
		return readFolder(r, read, verbose)
	}
	if err := measureFound(r, dir, verbose); err != nil {
		return err
	}
	return measureBroken(o, dir, verbose)
}
