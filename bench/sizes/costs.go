package main

import "errors"

// costs are what was measured, by page fetched unless another unit is named.
type costs struct {
	cpu     float64 // ms: bench/path, all groups
	idle    float64 // MB of a process with all groups at full speed: bench/peers
	pageKB  float64 // size of the pages of these measurements
	pages   float64 // bytes on disk of a record of pages.fetched; this and the next by -measure
	passing float64 // bytes in all topics that are deleted by time, without pages.fetched
	tables  float64 // bytes in the topics that are compacted
	unique  float64 // of these the topic docs.unique
	urlRows float64 // bytes of the store for each URL that is known
	rows    float64 // bytes of the store besides: links, documents, hosts
	index   float64 // bytes of the index
	ranks   float64 // bytes of memory of the process that computes the ranks: bench/ranks
	columns float64 // bytes of memory of the index: consumers/index/shard/columns.go
}

// measured are the costs of 2026-11-22: `go run ./bench/path -pages 2000 -dir D`, then
// `go run ./bench/sizes -measure D/whole -fetched 2000`; RESULTS.md of bench/path, peers and ranks.
// The CPU time is of an earlier run on a quiet machine, without links, ranks and near.
func measured() costs {
	return costs{
		cpu: 3.09, idle: 1203, pageKB: 20,
		pages: 6082, passing: 10141, tables: 6301, unique: 5123, urlRows: 433, rows: 3677, index: 9231,
		ranks: 87, columns: 21,
	}
}

// assumptions are what is not measured.
type assumptions struct {
	days     float64
	pageKB   float64
	urls     float64 // known for each page fetched
	replicas float64
	busy     float64 // share of a core that may be used on the mean
	room     float64 // of disk, over what is full
	broker   float64 // TB of a broker's disk
	node     float64 // TB of a node's disk
	shard    float64 // documents of one partition of the index
	process  float64 // cores of a process
}

func defaults() assumptions {
	return assumptions{days: 30, pageKB: 60, urls: 5, replicas: 3, busy: .5, room: 1.6, broker: 4, node: 2, shard: 2e6, process: 4}
}

func (a assumptions) validate() error {
	switch {
	case a.days <= 0 || a.days > 3650:
		return errors.New("-days is from 0 to 3650")
	case a.pageKB < 1 || a.pageKB > 10_000:
		return errors.New("-page-kb is from 1 to 10000")
	case a.urls < 1 || a.urls > 1000:
		return errors.New("-urls is from 1 to 1000")
	case a.replicas < 1 || a.replicas > 9:
		return errors.New("-replicas is from 1 to 9")
	}
	return nil
}
