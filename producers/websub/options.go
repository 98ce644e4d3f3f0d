package websub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"millrace/schema"
	"millrace/streams/state"
)

// Options of the subscriber.
type Options struct {
	Base    string        // address under which hubs reach this process: https://crawler.example.org
	Lease   time.Duration // asked of hubs, which decide
	Most    int           // subscriptions; further feeds are only polled
	Pause   time.Duration // between two requests to one hub
	MaxBody int64         // bytes of pushed content
	Pushes  int           // contents per minute and subscription
	Verify  time.Duration // for a hub to verify; then it is asked again
}

// DefaultOptions returns the defaults, without a base.
func DefaultOptions() Options {
	return Options{Lease: 10 * 24 * time.Hour, Most: 10_000, Pause: time.Second, MaxBody: 1 << 20, Pushes: 60, Verify: 10 * time.Minute}
}

// Validate returns an error for options that cannot work.
func (o Options) Validate() error {
	if err := CheckBase(o.Base); err != nil {
		return err
	}
	if o.Lease < time.Hour || o.Most < 1 || o.MaxBody < 1 || o.Pushes < 1 || o.Pause < 0 || o.Verify <= 0 {
		return errors.New("websub: a lease of at least 1h, and bounds above 0")
	}
	return nil
}

// CheckBase returns an error for an address that hubs cannot use to reach this process.
func CheckBase(base string) error {
	if strings.Contains(base, "@") { // not repeated: it may hold a password
		return errors.New("websub: no name or password in the address under which hubs reach this process, like https://crawler.example.org")
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("websub: %q is not the address under which hubs reach this process, like https://crawler.example.org", base)
	}
	return nil
}

// Deps are the dependencies of the subscriber.
type Deps struct {
	Store  state.Store
	Client *http.Client // guarded against private addresses
	Agent  string       // User-Agent of requests to hubs
	// Items reads pushed content as a version of its feed, and returns the URLs in it.
	Items func(*schema.Page) []*schema.Discovered
	Send  func(context.Context, ...*schema.Discovered) error
	Clock func() time.Time
	Log   *slog.Logger
}

func (d Deps) validate() error {
	if d.Store == nil || d.Client == nil || d.Items == nil || d.Send == nil || d.Clock == nil || d.Log == nil {
		return errors.New("websub: a dependency is missing")
	}
	return nil
}

// Path is the path of the callbacks, below the base.
const Path = "/websub/"

func (o Options) callback(id string) string { return strings.TrimSuffix(o.Base, "/") + Path + id }
