package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode/utf32"

	"millrace/consumers/extract/charset"
)

// charsetCase is one file whose encoding people know.
type charsetCase struct {
	File     string `json:"file"`
	Encoding string `json:"encoding"`
	Strict   bool   `json:"strictly_decodes"`
	body     []byte
}

// charsets prints how many files are decoded into the text that their true encoding gives: as they
// are, and with all declarations disregarded.
func (m *measurement) charsets() error {
	cases, err := charsetCases(m.dir)
	if err != nil {
		return err
	}
	type line struct{ all, asIs, detected int }
	lines := map[string]*line{}
	chars := charset.New()
	for _, c := range cases {
		truth := truthOf(c)
		for _, key := range []string{c.Encoding, "all"} {
			if lines[key] == nil {
				lines[key] = &line{}
			}
		}
		asIs := chars.Decode(c.body, "")
		name := chars.Detect(c.body)
		plain := chars.Decode(c.body, "text/plain; charset="+name)
		for _, key := range []string{c.Encoding, "all"} {
			l := lines[key]
			l.all++
			if truth != nil && same(truth, asIs.UTF8) {
				l.asIs++
			}
			if truth != nil && same(truth, plain.UTF8) {
				l.detected++
			} else if key != "all" && m.verbose {
				fmt.Fprintf(m.out, "    %s taken for %s\n", c.File, name)
			}
		}
	}
	var keys []string
	for k := range lines {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		l := lines[k]
		fmt.Fprintf(m.out, "charset %-16s %3d files  as they are %.3f  without declarations %.3f\n", k, l.all,
			float64(l.asIs)/float64(l.all), float64(l.detected)/float64(l.all))
	}
	return nil
}

func charsetCases(dir string) ([]charsetCase, error) {
	f, err := os.Open(filepath.Join(dir, "charset", "chardet_manifest.jsonl"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := zip.OpenReader(filepath.Join(dir, "charset", "chardet_tests.zip"))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	var cases []charsetCase
	d := json.NewDecoder(bufio.NewReader(f))
	for {
		var c charsetCase
		if err := d.Decode(&c); err == io.EOF {
			return cases, nil
		} else if err != nil {
			return nil, err
		}
		r, err := z.Open(c.File)
		if err != nil {
			return nil, err
		}
		c.body, err = io.ReadAll(r)
		r.Close()
		if err != nil {
			return nil, err
		}
		cases = append(cases, c)
	}
}

// truthOf decodes with the encoding that the manifest names; nil if nothing here can.
func truthOf(c charsetCase) []byte {
	var e encoding.Encoding
	switch name := strings.ToLower(c.Encoding); name {
	case "ibm855":
		e = charmap.CodePage855
	case "maccyrillic":
		e = charmap.MacintoshCyrillic
	case "macroman":
		e = charmap.Macintosh
	case "cp949":
		name = "euc-kr"
		e, _ = htmlindex.Get(name)
	case "cp932":
		e, _ = htmlindex.Get("shift_jis")
	case "utf-32", "utf-32be":
		e = utf32.UTF32(utf32.BigEndian, utf32.UseBOM)
	case "utf-32le":
		e = utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)
	case "tis-620":
		e = charmap.Windows874
	case "ascii", "utf-8":
		return bytes.TrimPrefix(c.body, []byte("\xef\xbb\xbf"))
	default:
		var err error
		if e, err = htmlindex.Get(name); err != nil {
			return nil
		}
	}
	out, err := e.NewDecoder().Bytes(c.body)
	if err != nil {
		return nil
	}
	return bytes.TrimPrefix(out, []byte("\uFEFF"))
}

// same compares texts; white space and control characters do not count, for sets differ in them
// alone.
func same(a, b []byte) bool {
	return bytes.Equal(squash(a), squash(b))
}

func squash(b []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r <= ' ' || 0x7f <= r && r <= 0xa0 {
			return -1
		}
		return r
	}, b)
}
