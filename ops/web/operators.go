package web

import (
	"context"
	"net/http"
	"slices"
	"time"
)

// Operators carries out the decisions of those who run a crawl. Its errors are UserErrors if the
// request is wrong.
type Operators interface {
	Rules(ctx context.Context, q RuleQuery) (RuleList, error)
	ChangeRules(ctx context.Context, c RuleChange) (RuleChanged, error)
	Judge(ctx context.Context, url string) (RuleVerdict, error)
	TestRule(ctx context.Context, r NewRule) (RuleTest, error)
	Propose(ctx context.Context, host string) ([]Proposal, error)
	Patterns(ctx context.Context, host string) ([]PatternLine, error)
	URLs(ctx context.Context, q URLQuery) (URLList, error)
	Hosts(ctx context.Context, sort, site string, n int) (HostList, error)
	Pause(ctx context.Context, p PauseCall) (Decided, error)
	Forget(ctx context.Context, f ForgetCall) (Forgotten, error)
}

// RuleQuery says which rules to list.
type RuleQuery struct {
	Host, Site string // only those that name them; both empty: all
	Ended      bool   // also those that no longer apply
	N          int
}

// RuleLine is a rule, pause or removal in a list.
type RuleLine struct {
	ID      string    `json:"id"`
	Kind    string    `json:"kind"` // rule, pause, forgotten, default
	Text    string    `json:"text"`
	Host    string    `json:"host,omitempty"`
	Site    string    `json:"site,omitempty"`
	Since   time.Time `json:"since,omitzero"`
	Until   time.Time `json:"until,omitzero"` // zero: without end
	By      string    `json:"by,omitempty"`
	Note    string    `json:"note,omitempty"`
	Dropped int64     `json:"dropped,omitempty"` // URLs that it excluded, where that is counted
	Error   string    `json:"error,omitempty"`   // why it has no effect
}

// RuleList is a list of rules.
type RuleList struct {
	Rules []RuleLine `json:"rules"`
	All   int        `json:"all"` // how many there are, including those that are not listed
}

// NewRule is a rule as an operator writes it.
type NewRule struct {
	Rule string `json:"rule"`
	Host string `json:"host,omitempty"`
	Site string `json:"site,omitempty"`
	Note string `json:"note,omitempty"`
}

// RuleChange adds and removes rules.
type RuleChange struct {
	Add    []NewRule `json:"add"`
	Remove []string  `json:"remove"` // identities
}

// RuleChanged is the result of a RuleChange.
type RuleChanged struct {
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
	InForce float64  `json:"in_force_seconds"` // after this time every process applies it

	Contradictions []RuleConflict `json:"contradictions,omitempty"` // added all the same
}

// RuleConflict is a rule that was added though another one wants something else of the same URLs.
type RuleConflict struct {
	Rule    string `json:"rule"`
	With    string `json:"with"`
	Decides string `json:"decides,omitempty"` // the identity of one of them; "" = both apply
	Why     string `json:"why"`
}

// RuleTest says what a rule would change for the URLs that are known.
type RuleTest struct {
	Looked   int64         `json:"looked_at"`
	Whole    bool          `json:"all"` // all URLs in its scope were tested
	Changes  int64         `json:"would_change"`
	Effects  []RuleEffect  `json:"effects"`
	Examples []RuleExample `json:"examples"`
}

// RuleVerdict is the decision of the operators about a URL.
type RuleVerdict struct {
	URL         string  `json:"url"`
	Taken       bool    `json:"taken"`
	Reason      string  `json:"reason,omitempty"` // why it is not allowed
	Rule        string  `json:"rule,omitempty"`   // the decision, in words
	Rewritten   string  `json:"rewritten,omitempty"`
	RewrittenBy string  `json:"rewritten_by,omitempty"`
	Fit         bool    `json:"fit,omitempty"`
	Score       float64 `json:"score,omitempty"`
	Endless     string  `json:"endless_rewrite,omitempty"` // a rewrite without effect here: it would change its own result without end
	Delay       float64 `json:"delay_seconds,omitempty"`
	Every       float64 `json:"recrawl_seconds,omitempty"` // how often a rule has it fetched again; 0 = no rule, or never again
	EveryBy     string  `json:"recrawl_by,omitempty"`      // that rule
	Paused      string  `json:"paused,omitempty"`          // the pause that applies to it
}

// RuleEffect counts URLs.
type RuleEffect struct {
	What string `json:"what"`
	N    int64  `json:"urls"`
}

// RuleExample is a URL for which a rule would change something.
type RuleExample struct {
	URL    string `json:"url"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Proposal is a rule that is suggested because of what was crawled.
type Proposal struct {
	NewRule
	Evidence   string  `json:"evidence"`
	Confidence float64 `json:"confidence"` // 0 to 1
}

// URLQuery says which URLs to list.
type URLQuery struct {
	Prefix string // a URL, or a host and all below it
	After  string // row key of the last URL of the part before
	N      int
}

// URLLine is a URL in a list.
type URLLine struct {
	URL     string    `json:"url"`
	RowKey  string    `json:"row_key"`
	Status  string    `json:"status"`
	Reason  string    `json:"reason,omitempty"`
	Rule    string    `json:"rule,omitempty"`
	Kind    string    `json:"kind"`
	Class   int32     `json:"class"`
	Score   float64   `json:"score"`
	Fit     bool      `json:"fit,omitempty"`
	Useful  bool      `json:"useful,omitempty"`
	Depth   int32     `json:"depth"`
	Fetched time.Time `json:"fetched,omitzero"`
	Due     time.Time `json:"due,omitzero"` // zero: never by itself
	Found   string    `json:"found_on,omitempty"`

	LinkingSites int64 `json:"linking_sites"` // sites and pages that link to it, its own among them
	LinkingPages int64 `json:"linking_pages"`
}

// URLList is a part of the known URLs. Next is the After of the next part, "" at the end.
type URLList struct {
	URLs []URLLine `json:"urls"`
	Next string    `json:"next,omitempty"`
}

// HostLine is a host in a list.
type HostLine struct {
	Host    string  `json:"host"`
	Site    string  `json:"site"`
	URLs    int64   `json:"urls"`
	Waiting int64   `json:"waiting"` // to be fetched for the first time
	Fetched int64   `json:"fetched"`
	Useful  int64   `json:"useful"` // pages that brought a text that the host did not have
	Errors  int64   `json:"errors"`
	Delay   float64 `json:"delay_seconds"`
	Every   float64 `json:"recrawl_seconds,omitempty"` // mean interval of its pages; 0 = none is planned
	Paused  bool    `json:"paused,omitempty"`
	Why     string  `json:"why"` // what it waits for

	Intervals []IntervalGroup `json:"intervals,omitempty"` // its pages by how often they are fetched again, groups without pages left out
}

// IntervalGroup counts the pages of a host that are planned to be fetched again at such intervals.
type IntervalGroup struct {
	Name  string  `json:"name"`         // "up to 6 h"
	Most  float64 `json:"most_seconds"` // 0 = any longer interval
	Pages int64   `json:"pages"`
}

// HostList has the first hosts of an order.
type HostList struct {
	Hosts []HostLine `json:"hosts"`
	All   int64      `json:"all"`
}

// PauseCall pauses or resumes a host, a site, or, if neither is named, the crawl.
type PauseCall struct {
	Host   string `json:"host"`
	Site   string `json:"site"`
	Resume bool   `json:"resume"`
	Note   string `json:"note"`
}

// Decided is the result of a decision.
type Decided struct {
	ID      string  `json:"id"`
	Text    string  `json:"text"`
	InForce float64 `json:"in_force_seconds"`
	Note    string  `json:"note,omitempty"`
}

// ForgetCall removes URLs for good, or allows them again.
type ForgetCall struct {
	URLs    []string `json:"urls"`
	Site    string   `json:"site"`
	Prefix  bool     `json:"prefix"`
	Content bool     `json:"content"`
	Lift    bool     `json:"lift"`
	Note    string   `json:"note"`
}

// Forgotten says what is excluded, or allowed again.
type Forgotten struct {
	Decided  []Decided `json:"decided"`
	SameText []string  `json:"same_text,omitempty"` // other URLs of the site that show the text
	Note     string    `json:"note,omitempty"`
}

// steering serves the calls of operators.
type steering struct {
	*answers
	deps Deps
}

func (s *steering) operators() (Operators, error) {
	if s.deps.Operators == nil {
		return nil, absent("frontier")
	}
	return s.deps.Operators, nil
}

// Bounds of the lists.
const (
	defaultLines = 100
	maxLines     = 10_000
	maxNewRules  = 10_000
)

func (s *steering) rules(w http.ResponseWriter, r *http.Request) error {
	o, err := s.operators()
	if err != nil {
		return err
	}
	q := r.URL.Query()
	n, err := number(q, "n", maxLines, 1, 1_000_000)
	if err != nil {
		return err
	}
	ended, err := yes(q, "ended")
	if err != nil {
		return err
	}
	out, err := o.Rules(r.Context(), RuleQuery{q.Get("host"), q.Get("site"), ended, n})
	return s.answer(w, http.StatusOK, out, err)
}

// answer writes the result of a call, unless there is an error.
func (s *steering) answer(w http.ResponseWriter, status int, out any, err error) error {
	if err == nil {
		s.writeJSON(w, status, out)
	}
	return err
}

// told reads the body of a request into in, and returns who carries it out.
func (s *steering) told(r *http.Request, in any) (Operators, error) {
	o, err := s.operators()
	if err != nil {
		return nil, err
	}
	return o, body(r, in)
}

func (s *steering) changeRules(w http.ResponseWriter, r *http.Request) error {
	var in RuleChange
	o, err := s.told(r, &in)
	if err != nil {
		return err
	}
	if n := len(in.Add) + len(in.Remove); n < 1 || n > maxNewRules {
		return refuse(http.StatusBadRequest, "add and remove together must name 1 to %d rules", maxNewRules)
	}
	out, err := o.ChangeRules(r.Context(), in)
	return s.answer(w, http.StatusAccepted, out, err)
}

func (s *steering) testRule(w http.ResponseWriter, r *http.Request) error {
	o, err := s.operators()
	if err != nil {
		return err
	}
	q := r.URL.Query()
	out, err := o.TestRule(r.Context(), NewRule{Rule: q.Get("rule"), Host: q.Get("host"), Site: q.Get("site")})
	return s.answer(w, http.StatusOK, out, err)
}

func (s *steering) judge(w http.ResponseWriter, r *http.Request) error {
	o, err := s.operators()
	if err != nil {
		return err
	}
	u, err := address(r)
	if err != nil {
		return err
	}
	out, err := o.Judge(r.Context(), u)
	return s.answer(w, http.StatusOK, out, err)
}

func (s *steering) propose(w http.ResponseWriter, r *http.Request) error {
	o, err := s.operators()
	if err != nil {
		return err
	}
	list, err := o.Propose(r.Context(), r.URL.Query().Get("host"))
	if list == nil {
		list = []Proposal{}
	}
	return s.answer(w, http.StatusOK, struct {
		Proposals []Proposal `json:"proposals"`
	}{list}, err)
}

func (s *steering) urls(w http.ResponseWriter, r *http.Request) error {
	o, err := s.operators()
	if err != nil {
		return err
	}
	q := r.URL.Query()
	n, err := number(q, "n", defaultLines, 1, maxLines)
	if err != nil {
		return err
	}
	if q.Get("prefix") == "" || len(q.Get("prefix")) > maxURLBytes || len(q.Get("after")) > maxURLBytes {
		return refuse(http.StatusBadRequest, "prefix must be a URL or a host of at most %d bytes", maxURLBytes)
	}
	out, err := o.URLs(r.Context(), URLQuery{q.Get("prefix"), q.Get("after"), n})
	return s.answer(w, http.StatusOK, out, err)
}

func (s *steering) hosts(w http.ResponseWriter, r *http.Request) error {
	o, err := s.operators()
	if err != nil {
		return err
	}
	q := r.URL.Query()
	n, err := number(q, "n", defaultLines, 1, maxLines)
	if err != nil {
		return err
	}
	order := q.Get("sort")
	if !slices.Contains([]string{"", "waiting", "urls", "errors", "useful"}, order) {
		return refuse(http.StatusBadRequest, "sort must be waiting, urls, errors or useful")
	}
	out, err := o.Hosts(r.Context(), order, q.Get("site"), n)
	return s.answer(w, http.StatusOK, out, err)
}

func (s *steering) pause(w http.ResponseWriter, r *http.Request) error {
	var in PauseCall
	o, err := s.told(r, &in)
	if err != nil {
		return err
	}
	out, err := o.Pause(r.Context(), in)
	return s.answer(w, http.StatusAccepted, out, err)
}

func (s *steering) forget(w http.ResponseWriter, r *http.Request) error {
	var in ForgetCall
	o, err := s.told(r, &in)
	if err != nil {
		return err
	}
	if (len(in.URLs) == 0) == (in.Site == "") || len(in.URLs) > maxURLs {
		return refuse(http.StatusBadRequest, "say what: 1 to %d urls, or a site", maxURLs)
	}
	out, err := o.Forget(r.Context(), in)
	return s.answer(w, http.StatusAccepted, out, err)
}
