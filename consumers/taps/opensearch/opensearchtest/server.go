// Package opensearchtest is a small OpenSearch in process, for tests of the tap that writes into
// one: indices, documents with external versions, bulk requests and a search that returns
// everything.
//
// The tests of package opensearch run against it and against a real one alike. What it does not do:
// mappings but for Numbers, queries, and forgetting the versions of deleted documents.
package opensearchtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
)

// MaxID is the longest id of a document, in bytes.
const MaxID = 512

// stored is a document of the server in process.
type stored struct {
	version int64
	source  map[string]any // nil: deleted, its version is remembered
}

// Numbers makes a field of an index one that takes numbers alone, as another mapping does.
func (s *Server) Numbers(index, field string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.make(index)
	s.numbers[index] = field
}

// Server does what package opensearch needs of OpenSearch, with its rules of external versions. It
// is busy for every third document at its first try.
type Server struct {
	mu   sync.Mutex
	docs map[string]map[string]*stored // index, id
	late map[string]bool
	made map[string]int // how often an index was made

	numbers map[string]string // by index: its field that takes numbers alone
}

// New returns a server without an index.
func New() *Server {
	return &Server{docs: map[string]map[string]*stored{}, late: map[string]bool{}, made: map[string]int{}, numbers: map[string]string{}}
}

// make makes an index that is not there, as OpenSearch does by itself for the first document.
func (s *Server) make(index string) {
	if s.docs[index] == nil {
		s.docs[index] = map[string]*stored{}
		s.made[index]++
	}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	index := parts[0]
	switch {
	case index == "_bulk":
		s.bulk(w, r)
	case r.Method == http.MethodHead || r.Method == http.MethodPut && len(parts) == 1:
		if s.docs[index] == nil && r.Method == http.MethodHead {
			w.WriteHeader(http.StatusNotFound)
		} else {
			s.make(index)
		}
	case r.Method == http.MethodDelete:
		delete(s.docs, index)
		delete(s.numbers, index)
	case len(parts) == 3 && parts[1] == "_settings":
		if s.docs[index] == nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{index: map[string]any{"settings": map[string]any{"index": map[string]any{"uuid": fmt.Sprint(s.made[index])}}}})
	case len(parts) == 3 && r.Method == http.MethodGet:
		if d := s.docs[index][parts[2]]; d != nil {
			_ = json.NewEncoder(w).Encode(map[string]any{"_source": d.source})
			return
		}
		w.WriteHeader(http.StatusNotFound)
	case len(parts) == 3:
		d := &stored{}
		_ = json.NewDecoder(r.Body).Decode(&d.source)
		s.make(index)
		s.docs[index][parts[2]] = d
	case path.Base(r.URL.Path) == "_search":
		var hits []any
		for id, d := range s.docs[index] {
			if d.source != nil {
				hits = append(hits, map[string]any{"_id": id, "_source": d.source})
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"hits": map[string]any{"hits": hits}})
	}
}

func (s *Server) bulk(w http.ResponseWriter, r *http.Request) {
	var items []any
	for in := bufio.NewScanner(r.Body); in.Scan(); {
		var meta map[string]struct {
			Index   string `json:"_index"`
			ID      string `json:"_id"`
			Version int64  `json:"version"`
		}
		_ = json.Unmarshal(in.Bytes(), &meta)
		for verb, m := range meta {
			var source map[string]any
			if verb == "index" {
				in.Scan()
				_ = json.Unmarshal(in.Bytes(), &source)
			}
			if len(m.ID) > MaxID {
				http.Error(w, "id is too long", http.StatusBadRequest)
				return
			}
			answer := map[string]any{"status": s.do(m.Index, m.ID, m.Version, source)}
			if answer["status"] == 400 {
				answer["error"] = map[string]any{"type": "mapper_parsing_exception", "reason": "failed to parse"}
			}
			items = append(items, map[string]any{verb: answer})
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"items": items})
}

func (s *Server) do(index, id string, version int64, source map[string]any) int {
	if len(s.late)%3 == 0 && !s.late[id] {
		s.late[id] = true
		return 429
	}
	s.late[id] = true
	if source["score"] == "NaN" {
		return 400
	}
	if text, is := source[s.numbers[index]].(string); is && strings.Trim(text, "0123456789.") != "" {
		return 400
	}
	s.make(index)
	d := s.docs[index][id]
	switch {
	case d != nil && d.version >= version:
		return 409
	case d == nil && source == nil:
		s.docs[index][id] = &stored{version: version}
		return 404
	}
	s.docs[index][id] = &stored{version, source}
	return 200
}
