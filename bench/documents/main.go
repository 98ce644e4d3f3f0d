// Command documents measures the reading of PDF and Office files on files that others made: which of the strings that
// must be in them are found, beside pdftotext for PDF; what broken PDFs cost; and how fast it is.
//
//	go run ./bench/documents            what is found, and what broken files cost
//	go run ./bench/documents -speed     pages per CPU second beside pdftotext
//	go run ./bench/documents -twins DIR manuals as PDF and HTML: pairs of NAME.pdf and NAME.html in DIR
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
	verbose := flag.Bool("v", false, "name what is missing")
	speed := flag.Bool("speed", false, "measure speed only")
	twins := flag.String("twins", "", "folder with pairs of PDF and HTML")
	flag.Parse()
	if err := run(*verbose, *speed, *twins); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(verbose, speed bool, twins string) error {
	o := documents.DefaultOptions()
	r, err := documents.New(o)
	if err != nil {
		return err
	}
	defer r.Close()
	if twins != "" {
		return compareTwins(r, twins, verbose)
	}
	dir, err := outside.Dir("office")
	if err != nil {
		return err
	}
	if speed {
		return measureSpeed(r, dir)
	}
	if err := measureFound(r, dir, verbose); err != nil {
		return err
	}
	return measureBroken(r, dir, verbose)
}
