package table

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"millrace/consumers/taps/place"
	"millrace/schema"
)

// GraphOptions choose the links of a graph and bound its size.
type GraphOptions struct {
	Hosts    bool // nodes are hosts, not pages
	Nofollow bool // count nofollow links too
	MaxNodes int  // in memory
}

// DefaultGraphOptions returns a graph of pages of at most 20 million nodes.
func DefaultGraphOptions() GraphOptions { return GraphOptions{MaxNodes: 20_000_000} }

// Graphed says what Graph read and wrote.
type Graphed struct {
	Files int   `json:"files"`
	Rows  int64 `json:"rows"` // links read, of all versions of the pages
	Nodes int   `json:"nodes"`
	Arcs  int64 `json:"arcs"`
}

// Graph writes the link graph into an empty place: of the newest version of each page, or, with
// Hosts, of all versions, joined by host. The files are in the forms that WebGraph
// (https://webgraph.di.unimi.it/) reads: graph.graph-txt (ASCIIGraph: the number of nodes, then a
// line of ascending successors for each node) and graph.urls, the URL of node i in line i. Nodes
// are numbered in the order of their row keys, so the pages of a site have neighbouring numbers.
func Graph(ctx context.Context, from, to place.Place, o GraphOptions) (Graphed, error) {
	var sum Graphed
	parts, err := tables(ctx, from)
	if err == nil {
		err = begin(ctx, to, "graph.*")
	}
	if err != nil {
		return sum, err
	}
	g := graph{opts: o, ids: map[string]int32{}, from: map[int32]*node{}}
	for _, p := range slices.Sorted(maps.Keys(parts)) {
		for _, name := range parts[p] {
			sum.Files++
			err := eachRow(ctx, from, name, func(r linkRow) error { sum.Rows++; return g.add(r) })
			if err != nil {
				return sum, err
			}
		}
	}
	sum.Nodes = len(g.ids)
	if err := g.write(ctx, to, &sum); err != nil {
		return sum, err
	}
	return sum, to.Remove(ctx, unfinished)
}

// linkRow has the columns of a link that the graph needs.
type linkRow struct {
	Source   string `parquet:"source,optional"`
	Target   string `parquet:"target,optional"`
	Rev      int64  `parquet:"source_rev"`
	Nofollow bool   `parquet:"nofollow"`
}

// graph collects nodes and links.
type graph struct {
	opts GraphOptions
	ids  map[string]int32 // by row key, in the order in which they first appeared
	from map[int32]*node
}

// node has the links of the newest version of a page. They come from several partitions, because
// links are partitioned by the host of the target.
type node struct {
	rev int64
	to  []int32
}

func (g *graph) add(r linkRow) error {
	if r.Source == "" || r.Target == "" {
		return nil
	}
	source, err := g.id(r.Source)
	if err != nil {
		return err
	}
	n := g.from[source]
	if n == nil {
		n = &node{rev: r.Rev}
		g.from[source] = n
	}
	switch {
	case r.Rev < n.rev && !g.opts.Hosts:
		return nil
	case r.Rev > n.rev && !g.opts.Hosts:
		n.rev, n.to = r.Rev, nil
	}
	if r.Nofollow && !g.opts.Nofollow {
		return nil
	}
	target, err := g.id(r.Target)
	if err == nil {
		n.to = append(n.to, target)
		if len(n.to) == cap(n.to) { // the same link comes often
			n.to = distinct(n.to)
		}
	}
	return err
}

func distinct(list []int32) []int32 {
	slices.Sort(list)
	return slices.Compact(list)
}

var errTooManyNodes = errors.New("too many nodes for memory: raise --max-nodes, or make the graph of hosts with --hosts")

func (g *graph) id(key string) (int32, error) {
	if g.opts.Hosts {
		key = hostOf(key)
	}
	id, ok := g.ids[key]
	if ok {
		return id, nil
	}
	if len(g.ids) >= g.opts.MaxNodes {
		return 0, fmt.Errorf("%d nodes: %w", len(g.ids), errTooManyNodes)
	}
	id = int32(len(g.ids))
	g.ids[key] = id
	return id, nil
}

// write renumbers the nodes in the order of their keys, and writes both files.
func (g *graph) write(ctx context.Context, to place.Place, sum *Graphed) error {
	keys := slices.Sorted(maps.Keys(g.ids))
	number := make([]int32, len(keys))
	for i, k := range keys {
		number[g.ids[k]] = int32(i)
	}
	err := to.Write(ctx, "graph.urls", func(w io.Writer) error {
		for _, k := range keys {
			if _, err := fmt.Fprintln(w, g.name(k)); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	err = to.Write(ctx, "graph.graph-txt", func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 64<<10)
		fmt.Fprintln(out, len(keys))
		for _, k := range keys {
			g.line(out, g.from[g.ids[k]], number, sum)
		}
		return errors.Join(out.Flush(), ctx.Err())
	})
	if err != nil {
		return err
	}
	return to.CreateOnce(ctx, done, nil)
}

// line writes the successors of a node. A write error is kept by out and returned by Flush.
func (g *graph) line(out *bufio.Writer, n *node, number []int32, sum *Graphed) {
	if n != nil {
		to := make([]int32, len(n.to))
		for i, id := range n.to {
			to[i] = number[id]
		}
		to = distinct(to)
		sum.Arcs += int64(len(to))
		var b []byte
		for i, id := range to {
			if i > 0 {
				b = append(b, ' ')
			}
			b = strconv.AppendInt(b, int64(id), 10)
		}
		_, _ = out.Write(b)
	}
	_ = out.WriteByte('\n')
}

// hostOf returns the host of a row key.
func hostOf(key string) string { return string(schema.RowKey(key).Host()) }

// name returns the name of a node in graph.urls: a URL, or a host name.
func (g *graph) name(key string) string {
	if g.opts.Hosts {
		return schema.Host(key).Name()
	}
	return schema.RowKey(key).URL()
}
