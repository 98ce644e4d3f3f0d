package scylla

import (
	"context"
	"strings"
	"sync"

	"github.com/gocql/gocql"
)

// Request is a request to the store as Options.OnRequest gets it: a round trip. A slice has one for
// each page of its answer, and a request that the driver sends again counts again.
type Request struct {
	Table string
	Write bool
}

// observer tells onRequest what the driver sends.
type observer struct {
	onRequest func(Request)
	known     sync.Map // statement -> Request
}

// ObserveQuery implements gocql.QueryObserver.
func (o *observer) ObserveQuery(_ context.Context, q gocql.ObservedQuery) {
	o.onRequest(o.request(q.Statement))
}

// ObserveBatch implements gocql.BatchObserver. All statements of a batch are of one table.
func (o *observer) ObserveBatch(_ context.Context, b gocql.ObservedBatch) {
	o.onRequest(o.request(b.Statements[0]))
}

func (o *observer) request(stmt string) Request {
	if r, ok := o.known.Load(stmt); ok {
		return r.(Request)
	}
	r := described(stmt)
	o.known.Store(stmt, r)
	return r
}

// described finds the table of one of this package's statements: it stands after FROM or INTO.
func described(stmt string) Request {
	words := strings.Fields(stmt)
	r := Request{Write: len(words) > 0 && words[0] != "SELECT"}
	for i, w := range words[:max(len(words)-1, 0)] {
		if w == "FROM" || w == "INTO" {
			r.Table = strings.TrimRight(words[i+1], "(")
			break
		}
	}
	return r
}
