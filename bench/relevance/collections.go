package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// collection is a set of documents with questions and what answers them.
type collection struct {
	name      string
	lang      string
	documents []document
	questions []question
}

type document struct{ key, title, body string }

type question struct {
	text     string
	relevant map[string]float64 // key -> gain
}

// load reads every collection there is under a directory.
func load(dir string) ([]collection, error) {
	cranfield, err := loadCranfield(filepath.Join(dir, "cranfield"))
	if err != nil {
		return nil, err
	}
	all := []collection{cranfield}
	for _, c := range []struct{ name, lang, file string }{
		{"xquad en", "en", "xquad/xquad.en.json"},
		{"xquad ru", "ru", "xquad/xquad.ru.json"},
		{"xquad zh", "zh", "xquad/xquad.zh.json"},
		{"cmrc2018 trial", "zh", "cmrc2018/cmrc2018_trial.json"},
		{"drcd dev", "zh", "drcd/DRCD_dev.json"},
	} {
		squad, err := loadSquad(filepath.Join(dir, c.file))
		if err != nil {
			return nil, err
		}
		squad.name, squad.lang = c.name, c.lang
		all = append(all, squad)
	}
	return all, nil
}

func loadCranfield(dir string) (collection, error) {
	c := collection{name: "cranfield", lang: "en"}
	var docs struct {
		Doc []struct {
			Docno string `xml:"docno"`
			Title string `xml:"title"`
			Text  string `xml:"text"`
		} `xml:"doc"`
	}
	if err := readXML(filepath.Join(dir, "cran.all.1400.xml"), true, &docs); err != nil {
		return c, err
	}
	for _, d := range docs.Doc {
		title, body := strings.TrimSpace(d.Title), strings.TrimSpace(d.Text)
		c.documents = append(c.documents, document{strings.TrimSpace(d.Docno), title, strings.TrimSpace(strings.TrimPrefix(body, title))})
	}
	var topics struct {
		Top []struct {
			Title string `xml:"title"`
		} `xml:"top"`
	}
	if err := readXML(filepath.Join(dir, "cran.qry.xml"), false, &topics); err != nil {
		return c, err
	}
	for _, t := range topics.Top {
		c.questions = append(c.questions, question{strings.TrimSpace(t.Title), map[string]float64{}})
	}
	return c, readJudgements(filepath.Join(dir, "cranqrel.trec.txt"), c.questions)
}

// readXML reads a file that may be a row of elements without a root.
func readXML(path string, wrap bool, into any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	s := string(b)
	if i := strings.Index(s, "?>"); i >= 0 && i < 100 {
		s = s[i+2:]
	}
	if wrap {
		s = "<all>" + s + "</all>"
	}
	d := xml.NewDecoder(strings.NewReader(s))
	d.Strict = false
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return nil
}

// readJudgements reads lines "question 0 document gain"; questions are counted from 1.
func readJudgements(path string, questions []question) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) != 4 {
			continue
		}
		n, err := strconv.Atoi(f[0])
		gain, err2 := strconv.ParseFloat(f[3], 64)
		if err != nil || err2 != nil || n < 1 || n > len(questions) {
			return fmt.Errorf("%s: cannot read %q", filepath.Base(path), line)
		}
		if gain > 0 {
			questions[n-1].relevant[f[2]] = gain
		}
	}
	return nil
}

// loadSquad takes the paragraphs of a question-answering set as documents; the paragraph a question
// was asked about is its only answer.
func loadSquad(path string) (collection, error) {
	var c collection
	var file struct {
		Data []struct {
			Title      string `json:"title"`
			Paragraphs []struct {
				Context string `json:"context"`
				QAs     []struct {
					Question string `json:"question"`
				} `json:"qas"`
			} `json:"paragraphs"`
		} `json:"data"`
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(b, &file); err != nil {
		return c, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	for _, article := range file.Data {
		for _, p := range article.Paragraphs {
			key := strconv.Itoa(len(c.documents))
			c.documents = append(c.documents, document{key, "", p.Context})
			for _, q := range p.QAs {
				if plain(q.Question) == "" {
					continue
				}
				c.questions = append(c.questions, question{q.Question, map[string]float64{key: 1}})
			}
		}
	}
	return c, nil
}
