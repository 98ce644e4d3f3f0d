package wire

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"millrace/consumers/fetch"
	"millrace/ops/provision"
	"millrace/streams"
	"millrace/streams/state"
)

// Outside replaces what a process of a cluster uses outside itself. Zero fields mean the machine's
// or the configured one. A simulation sets all of them, and so runs the same code as production.
type Outside struct {
	Kafka *streams.Options                                                     // how the brokers are reached
	Store state.Store                                                          // closed by Close
	Dial  func(ctx context.Context, network, address string) (net.Conn, error) // to web servers
	Hubs  *http.Client                                                         // to WebSub hubs, and for the key files of IndexNow
	Clock func() time.Time                                                     // when URLs are due
	ID    string                                                               // on the list of members
	Fetch func(*fetch.Options)                                                 // may change the settings of fetch
	Free  func(dir string) (bytes int64, err error)                            // on the disk of a directory
}

// OpenOver is like Open, with an Outside.
func OpenOver(ctx context.Context, cfg Config, out Outside, log *slog.Logger) (*System, error) {
	return open(ctx, cfg, out, log)
}

// ProvisionOver makes the topics and the layout row on the servers of an Outside.
func ProvisionOver(ctx context.Context, l streams.Layout, out Outside) error {
	if err := streams.Provision(ctx, *out.Kafka, l); err != nil {
		return err
	}
	canon, err := newCanon()
	if err != nil {
		return err
	}
	_, err = provision.Agree(ctx, out.Store, l, canon.Version())
	return err
}
