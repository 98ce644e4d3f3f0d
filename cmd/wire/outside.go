package wire

import (
	"context"
	"log/slog"
	"net"
	"time"

	"millrace/consumers/fetch"
	"millrace/ops/provision"
	"millrace/streams"
	"millrace/streams/state"
)

// Outside is what a process of a cluster finds outside itself. What is left zero is the
// machine's and the configuration's. A simulation gives all of it, so that what it runs is
// what runs.
type Outside struct {
	Kafka *streams.Options                                                     // how the brokers are reached
	Store state.Store                                                          // closed by Close
	Dial  func(ctx context.Context, network, address string) (net.Conn, error) // to web servers
	Clock func() time.Time                                                     // when URLs are due
	ID    string                                                               // on the list of members
	Fetch func(*fetch.Options)                                                 // may change the settings of fetch
}

// OpenOver is Open with an outside of its own.
func OpenOver(ctx context.Context, cfg Config, out Outside, log *slog.Logger) (*System, error) {
	return open(ctx, cfg, out, log)
}

// ProvisionOver makes the topics and rows of a cluster whose servers an Outside names.
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
