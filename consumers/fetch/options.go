package fetch

import (
	"errors"
	"strings"
	"time"

	"millrace/consumers/fetch/robots"
	"millrace/consumers/fetch/web"
	"millrace/consumers/fetch/workbench"
	"millrace/schema"
)

// Group is the group's name in package topics.
const Group = "fetch"

// Options are the settings of the group.
type Options struct {
	Name    string // product token: our name in robots.txt, and the beginning of the User-Agent
	Version string
	Contact string   // URL or e-mail address of the operator, sent in every request; required unless AllowPrivate is set
	Aliases []string // further names in robots.txt that are obeyed

	Delay    time.Duration // least time between two request starts of a key
	MaxDelay time.Duration // a longer Crawl-delay counts as this
	ByIP     bool          // politeness keys are IP addresses

	// Slower returns the least delay that rules set for a host, and a version that changes with the
	// rules; nil: none.
	Slower func(schema.Host, schema.Site) (time.Duration, int64)

	// Judge returns what operators decided of a URL by now; nil: nothing. It is asked before a URL
	// is worked on and again before its request is written: the decision may be younger than the
	// record.
	Judge func(*schema.Scheduled, schema.URL) Judgement

	// Requested is called after each request that was written, at least in part, by many goroutines
	// at once; nil: nobody counts.
	Requested func(*web.Result)

	RobotsKeep      time.Duration // how long a robots.txt is used; RFC 9309, 2.4: at most 24 h
	RobotsRetry     time.Duration // first pause after an unreachable robots.txt; doubles
	RobotsRetryMost time.Duration
	RobotsGood      time.Duration // how long the last good copy is used while robots.txt is unreachable

	BackoffFirst  time.Duration // block after the first network failure of a key; doubles
	BackoffMost   time.Duration
	BrokenMost    time.Duration // longest block after server errors other than 503, since one part of a site may answer 500 while others work
	MaxRetryAfter time.Duration

	MaxHeld   int   // most records on the bench; further ones are deferred at once
	HostBytes int64 // memory for hosts that no record uses

	Bench workbench.Options
	Web   web.Options
}

// Judgement holds the decision of operators about a URL. The zero value lets it be fetched.
type Judgement struct {
	Reason string // why it must not be fetched, one of consumers/rules.Reasons; "" = it may
	Rule   string // the identity of the decision
	Paused bool   // its host is paused: it goes back and is fetched later
}

func (j Judgement) stops() bool { return j.Reason != "" || j.Paused }

// DefaultOptions returns the defaults. Contact must be set for a public crawl.
func DefaultOptions() Options {
	return Options{
		Name: "millrace", Version: "0.1",
		Delay: time.Second, MaxDelay: time.Hour,
		RobotsKeep: 24 * time.Hour, RobotsRetry: 15 * time.Minute, RobotsRetryMost: 24 * time.Hour, RobotsGood: 30 * 24 * time.Hour,
		BackoffFirst: 5 * time.Second, BackoffMost: 6 * time.Hour, BrokenMost: 30 * time.Minute, MaxRetryAfter: 24 * time.Hour,
		MaxHeld: 100_000, HostBytes: 128 << 20,
		Bench: workbench.DefaultOptions(), Web: web.DefaultOptions(),
	}
}

// Validate reports all settings that are wrong.
func (o Options) Validate() error {
	var errs []error
	check := func(bad bool, text string) {
		if bad {
			errs = append(errs, errors.New("fetch: "+text))
		}
	}
	check(!robots.ValidAgent(o.Name), "Name must be a product token: letters, - and _")
	check(o.Contact == "" && !o.Web.AllowPrivate, "Contact (a URL or an address) is required: site owners must be able to ask who this is")
	check(strings.ContainsAny(o.Contact+o.Version, "\r\n()"), "Contact and Version must fit into a User-Agent")
	check(o.Delay < 0 || o.MaxDelay < o.Delay, "Delay must be between 0 and MaxDelay")
	check(o.RobotsKeep <= 0 || o.RobotsRetry <= 0 || o.RobotsRetryMost < o.RobotsRetry || o.RobotsGood <= 0, "the times of robots.txt must be positive, RobotsRetryMost not below RobotsRetry")
	check(o.RobotsKeep > 24*time.Hour, "RobotsKeep is at most 24 h (RFC 9309)")
	check(o.BackoffFirst <= 0 || o.BackoffMost < o.BackoffFirst || o.BrokenMost < o.BackoffFirst || o.MaxRetryAfter <= 0, "back-off times must be positive")
	check(o.MaxHeld <= 0 || o.HostBytes <= 0, "MaxHeld and HostBytes must be positive")
	w := o.Web
	w.UserAgent = o.UserAgent()
	return errors.Join(append(errs, o.Bench.Validate(), w.Validate())...)
}

// UserAgent is the User-Agent header.
func (o Options) UserAgent() string {
	ua := o.Name + "/" + o.Version
	if o.Contact == "" {
		return ua
	}
	contact := o.Contact
	if strings.Contains(contact, "://") {
		contact = "+" + contact
	}
	return ua + " (" + contact + ")"
}

func (o Options) agents() []string { return append([]string{o.Name}, o.Aliases...) }
