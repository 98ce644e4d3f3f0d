package remote

import (
	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// The requests, all POST with JSON bodies, over TLS (tls.go):
//
//	view                 -> viewReply
//	stats  statsRequest  -> rank.Stats
//	top    topRequest    -> rank.Top
//	page   pageRequest   -> rank.Page
//	lookup lookupRequest -> lookupReply
//	words  wordsRequest  -> []rank.Form
//	close  place         -> nothing
type viewReply struct {
	View  string `json:"view"`
	Count int32  `json:"count"` // how many partitions there are
	Parts []part `json:"parts"`
}

// part is the properties of an index.Part, without its content.
type part struct {
	Partition int32           `json:"partition"`
	Era       int64           `json:"era,omitempty"`
	Offset    int64           `json:"offset"`
	Owned     bool            `json:"owned,omitempty"`
	Start     int64           `json:"start,omitempty"`
	Need      int64           `json:"need,omitempty"`
	Anew      string          `json:"anew,omitempty"`
	Analysers []text.Analyser `json:"analysers"`
}

// place identifies a shard in a view.
type place struct {
	View      string `json:"view"`
	Partition int32  `json:"partition"`
}

type statsRequest struct {
	place
	Words []rank.Word `json:"words"`
}

type topRequest struct {
	place
	Plan *rank.Plan `json:"plan"`
}

type pageRequest struct {
	place
	Ref rank.Ref `json:"ref"`
}

type lookupRequest struct {
	place
	Key string `json:"key"` // row key
}

type lookupReply struct {
	Page  rank.Page `json:"page"`
	Found bool      `json:"found"`
}

type wordsRequest struct {
	place
	Look *rank.Lookup `json:"look"`
}

// The bounds of requests and replies, checked before anything is decoded.
const (
	maxRequest = 1 << 20  // a plan of 64 words in 14 analysers has 100 KB
	maxReply   = 16 << 20 // a page of 1 MiB of text, each byte escaped; 100,000 hits
	maxParts   = 1 << 16  // partitions of a topic
)
