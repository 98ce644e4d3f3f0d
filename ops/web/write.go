package web

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"strconv"
)

//go:embed templates
var templateFiles embed.FS

// pages are the parsed templates by name.
type pages struct{ byName map[string]*template.Template }

func loadPages(assets map[string]asset) (*pages, error) {
	p := &pages{map[string]*template.Template{}}
	for _, name := range []string{"search", "dashboard", "why", "text", "error"} {
		t, err := template.New(name).Funcs(functions(assets)).ParseFS(templateFiles,
			"templates/layout.html", "templates/"+name+".html")
		if err != nil {
			return nil, err
		}
		p.byName[name] = t
	}
	return p, nil
}

// functions are the functions for templates.
func functions(assets map[string]asset) template.FuncMap {
	return template.FuncMap{
		"asset": func(name string) string { return "/assets/" + name + "?v=" + assets[name].version },
		"count": count, "rate": rate, "span": span, "ago": ago, "percent": percent, "day": day, "moment": moment,
		"sparkline": sparkline, "cells": cells, "bar": bar, "took": took, "sentence": sentence, "seen": seen, "href": href, "times": times, "reason": reason,
		"clip": func(s string) string { return clip(s, titleRunes) },
	}
}

// answers writes pages, JSON and failures.
type answers struct {
	pages *pages
	log   *slog.Logger
}

// writePage renders a page into memory before it sends it, so it sends the whole page or an error.
func (a *answers) writePage(w http.ResponseWriter, status int, name string, view any) {
	a.write(w, status, name, "layout", view)
}

func (a *answers) write(w http.ResponseWriter, status int, name, part string, view any) {
	var b bytes.Buffer
	if err := a.pages.byName[name].ExecuteTemplate(&b, part, view); err != nil {
		a.log.Error("page failed", "page", name, "error", err)
		http.Error(w, "This page could not be made; the log says why.", http.StatusInternalServerError)
		return
	}
	send(w, status, "text/html; charset=utf-8", b.Bytes())
}

func (a *answers) writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		a.log.Error("JSON failed", "error", err)
		status, b = http.StatusInternalServerError, []byte(`{"error":"the answer could not be written as JSON"}`)
	}
	send(w, status, "application/json", append(b, '\n'))
}

// send writes an answer. A write fails only if the client has gone.
func send(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func text(w http.ResponseWriter, status int, format string, args ...any) {
	send(w, status, "text/plain; charset=utf-8", fmt.Appendf(nil, format+"\n", args...))
}
