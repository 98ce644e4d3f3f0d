package remote

import (
	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// The requests, all POST with JSON bodies:
//
//	view                 -> viewReply
//	stats  statsRequest  -> rank.Stats
//	top    topRequest    -> rank.Top
//	page   pageRequest   -> rank.Page
//	close  place         -> nothing
type viewReply struct {
	View  string `json:"view"`
	Count int32  `json:"count"` // partitions there are
	Parts []part `json:"parts"`
}

type part struct {
	Partition int32           `json:"partition"`
	Offset    int64           `json:"offset"`
	Analysers []text.Analyser `json:"analysers"`
}

// place names a shard of a view.
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

// maxRequest bounds a request: a plan of 64 words in 14 analysers has 100 KB.
const maxRequest = 1 << 20
