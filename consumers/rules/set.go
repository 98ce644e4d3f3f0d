package rules

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"millrace/schema"
)

// Grace is the time (ms) after its record from which a decision is in force: by then every process
// has read it.
const Grace = 2000

// Latest is the time that means now.
const Latest = math.MaxInt64

// MostEverywhere is the most rules with the scope everywhere: each of them is tried on each new
// URL.
const MostEverywhere = 1000

// maxSpans is how many spans of a decision are kept, maxCompiled how many compiled expressions.
const (
	maxSpans    = 64
	maxCompiled = 65_536
)

// Set holds the decisions. It is safe for concurrent use.
//
// It is large because decisions are looked up by host, site, suffix and key, and all tables change
// under one lock.
type Set struct {
	suffix map[string]string

	mu       sync.RWMutex
	entries  map[string]*entry
	hosts    map[schema.Host]*scope
	sites    map[schema.Site]*scope
	all      *scope
	blocks   blocks
	pauses   map[Scope]*entry
	version  int64
	turns    int64 // changes with every pause and delay
	rewrites int   // number of rewrite rules
	extracts int   // number of extract rules
	recrawls int   // number of recrawl rules

	compiling sync.Mutex
	compiled  []*entry // entries with a compiled expression, as a ring
	oldest    int
}

// scope holds the rules of one scope by action, each list in order.
type scope struct {
	filter  []*entry // include, exclude
	rewrite []*entry
	fit     []*entry
	limit   []*entry
	delay   []*entry
	allow   []*entry
	extract []*entry
	recrawl []*entry
}

// entry is one decision. It is kept small, since there may be millions.
type entry struct {
	id      string
	raw     []byte // its encoded record, without spans
	action  schema.Rule_Action
	pattern string
	replace string
	score   float64
	n       int64 // limit, or delay or interval in ms
	order   int64
	off     bool // it has ended
	spans   []span
	expr    atomic.Pointer[schema.URLPattern]
	err     error
}

// span is a time in which a decision holds, by the brokers' clock; until 0 = it has not ended.
type span struct{ since, until int64 }

// New returns a set that has only the defaults.
func New() *Set {
	return &Set{
		suffix: suffixes(), entries: map[string]*entry{}, hosts: map[schema.Host]*scope{}, sites: map[schema.Site]*scope{},
		all: &scope{}, blocks: newBlocks(), pauses: map[Scope]*entry{},
	}
}

// Put adds a decision whose record the broker stamped with a time (ms). A later record with the
// same identity replaces the earlier one.
func (s *Set) Put(c *schema.Control, at int64) error {
	if err := checkControl(c); err != nil {
		return err
	}
	e, err := newEntry(c, at)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.entries[c.Id]; old != nil {
		s.take(old)
	}
	s.entries[c.Id] = e
	s.place(e, c)
	s.version++
	return nil
}

func newEntry(c *schema.Control, at int64) (*entry, error) {
	e := &entry{id: strings.Clone(c.Id), order: c.Order, off: c.Off, spans: spansOf(c, at)}
	if r := c.GetRule(); r != nil {
		e.action, e.pattern, e.replace = r.Action, strings.Clone(r.Pattern), groupsNamed(r.Replace)
		e.score, e.n, e.err = r.Score, r.Limit+r.DelayMs+r.EveryMs, Check(r)
	}
	bare := c.CloneVT()
	bare.Spans = nil
	var err error
	e.raw, err = bare.MarshalVT()
	return e, err
}

// checkControl refuses records that this program never writes.
func checkControl(c *schema.Control) error {
	switch {
	case c.GetId() == "" || len(c.Id) > 64:
		return fmt.Errorf("a decision with the id %q", cut(c.GetId()))
	case len(c.Spans) > 2*maxSpans:
		return fmt.Errorf("decision %s has %d spans", c.Id, len(c.Spans))
	case c.Body == nil:
		return fmt.Errorf("decision %s says nothing that this version knows", c.Id)
	}
	return nil
}

// spansOf returns the spans of a record. A 0 in the last span stands for the record's own time.
func spansOf(c *schema.Control, at int64) []span {
	spans := make([]span, 0, max(1, len(c.Spans)))
	for _, x := range c.Spans {
		spans = append(spans, span{x.GetSince(), x.GetUntil()})
	}
	if len(spans) == 0 {
		spans = append(spans, span{})
	}
	last := &spans[len(spans)-1]
	if last.since == 0 {
		last.since = at
	}
	if c.Off && last.until == 0 {
		last.until = at
	}
	return spans[max(0, len(spans)-maxSpans):]
}

// holds reports whether a decision is in force at a time of the log.
func (e *entry) holds(at int64) bool {
	if at == Latest {
		return !e.off
	}
	for i := len(e.spans) - 1; i >= 0; i-- {
		if x := e.spans[i]; at >= x.since+Grace {
			return x.until == 0 || at < x.until+Grace
		}
	}
	return false
}

// list is the list for rules of an action.
func (sc *scope) list(a schema.Rule_Action) *[]*entry {
	switch a {
	case schema.Rule_REWRITE:
		return &sc.rewrite
	case schema.Rule_FIT:
		return &sc.fit
	case schema.Rule_LIMIT:
		return &sc.limit
	case schema.Rule_DELAY:
		return &sc.delay
	case schema.Rule_ALLOW:
		return &sc.allow
	case schema.Rule_EXTRACT:
		return &sc.extract
	case schema.Rule_RECRAWL:
		return &sc.recrawl
	}
	return &sc.filter
}

// scopeOf is the scope of a rule, created if needed.
func (s *Set) scopeOf(r *schema.Rule) *scope {
	switch {
	case r.Host != "":
		name := schema.HostOf(r.Host)
		if s.hosts[name] == nil {
			s.hosts[name] = &scope{}
		}
		return s.hosts[name]
	case r.Site != "":
		name := schema.Site(r.Site)
		if s.sites[name] == nil {
			s.sites[name] = &scope{}
		}
		return s.sites[name]
	}
	return s.all
}

func inOrder(a, b *entry) int {
	return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.id, b.id))
}

func (s *Set) place(e *entry, c *schema.Control) {
	switch b := c.Body.(type) {
	case *schema.Control_Rule:
		if e.err != nil {
			return
		}
		list := s.scopeOf(b.Rule).list(b.Rule.Action)
		switch b.Rule.Action {
		case schema.Rule_REWRITE:
			s.rewrites++
		case schema.Rule_EXTRACT:
			s.extracts++
		case schema.Rule_RECRAWL:
			s.recrawls++
		case schema.Rule_DELAY:
			s.turns++
		}
		i, _ := slices.BinarySearchFunc(*list, e, inOrder)
		*list = slices.Insert(*list, i, e)
	case *schema.Control_Pause:
		s.pauses[Scope{b.Pause.Host, b.Pause.Site}] = e
		s.turns++
	case *schema.Control_Block:
		s.blocks.put(b.Block, e)
	}
}

// take removes an entry that another one replaces.
func (s *Set) take(e *entry) {
	switch b := e.control().Body.(type) {
	case *schema.Control_Rule:
		if e.err != nil {
			return
		}
		if b.Rule.Action == schema.Rule_REWRITE {
			s.rewrites--
		}
		if b.Rule.Action == schema.Rule_EXTRACT {
			s.extracts--
		}
		if b.Rule.Action == schema.Rule_RECRAWL {
			s.recrawls--
		}
		list := s.scopeOf(b.Rule).list(b.Rule.Action)
		*list = slices.DeleteFunc(*list, func(x *entry) bool { return x == e })
	case *schema.Control_Block:
		s.blocks.take(b.Block, e)
	}
}

// control decodes the record of an entry.
func (e *entry) control() *schema.Control {
	c := &schema.Control{}
	if err := c.UnmarshalVT(e.raw); err != nil { // it was encoded here
		return &schema.Control{Id: e.id}
	}
	return c
}

// matches reports whether a rule's pattern matches a URL. An empty pattern always does.
func (s *Set) matches(e *entry, url string) bool {
	if e.pattern == "" {
		return true
	}
	re := s.exprOf(e)
	return re != nil && re.Match(url)
}

// exprOf is the compiled expression of a rule; nil if it does not compile.
func (s *Set) exprOf(e *entry) *schema.URLPattern {
	if re := e.expr.Load(); re != nil {
		return re
	}
	re, err := compile(e.pattern)
	if err != nil { // cannot happen: Check refuses such a rule
		return nil
	}
	s.compiling.Lock()
	defer s.compiling.Unlock()
	e.expr.Store(&re)
	if len(s.compiled) < maxCompiled {
		s.compiled = append(s.compiled, e)
		return &re
	}
	s.compiled[s.oldest].expr.Store(nil)
	s.compiled[s.oldest] = e
	s.oldest = (s.oldest + 1) % maxCompiled
	return &re
}

// Version changes with every decision.
func (s *Set) Version() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.version
}

// Turns changes with every pause and delay.
func (s *Set) Turns() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.turns
}

// Rewriting reports whether there is any rewrite rule.
func (s *Set) Rewriting() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.rewrites > 0
}

// Extracting reports whether there is any extract rule.
func (s *Set) Extracting() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.extracts > 0
}

// Decision is one decision with its state.
type Decision struct {
	Control *schema.Control // with all its spans
	Off     bool
	Err     error // not nil: the rule is invalid and does not hold
}

// Find returns the decision with an identity.
func (s *Set) Find(id string) (Decision, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	e := s.entries[id]
	if e == nil {
		return Decision{}, false
	}
	return e.decision(), true
}

func (e *entry) decision() Decision {
	c := e.control()
	for _, x := range e.spans {
		c.Spans = append(c.Spans, &schema.Span{Since: x.since, Until: x.until})
	}
	return Decision{c, e.off, e.err}
}

// Size is the number of decisions, including those that have ended.
func (s *Set) Size() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.entries)
}

// Everywhere is the number of rules in force with the scope everywhere that are tried on each new
// URL.
func (s *Set) Everywhere() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	n := 0
	for _, list := range [][]*entry{s.all.filter, s.all.rewrite, s.all.fit, s.all.limit, s.all.recrawl} {
		for _, e := range list {
			if !e.off {
				n++
			}
		}
	}
	return n
}

// List returns the decisions for which want is true (nil: all), in the order in which rules are
// tried.
func (s *Set) List(want func(Decision) bool) []Decision {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []Decision
	for _, e := range s.entries {
		if d := e.decision(); want == nil || want(d) {
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(a, b Decision) int {
		return cmp.Or(cmp.Compare(nearness(a), nearness(b)), cmp.Compare(a.Control.Order, b.Control.Order), strings.Compare(a.Control.Id, b.Control.Id))
	})
	return out
}

// nearness orders hosts before sites before everything.
func nearness(d Decision) int {
	switch r := d.Control.GetRule(); {
	case r.GetHost() != "":
		return 0
	case r.GetSite() != "":
		return 1
	}
	return 2
}

// Reset removes every decision.
func (s *Set) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries, s.hosts, s.sites = map[string]*entry{}, map[schema.Host]*scope{}, map[schema.Site]*scope{}
	s.all, s.blocks, s.pauses = &scope{}, newBlocks(), map[Scope]*entry{}
	s.rewrites, s.extracts, s.recrawls = 0, 0, 0
	s.version++
	s.turns++
}

// With returns a copy of the set with one more rule at the end, to show what the rule would change.
func (s *Set) With(c *schema.Control) (*Set, error) {
	out := New()
	for _, d := range s.List(func(d Decision) bool { return !d.Off }) {
		if err := out.Put(d.Control, 0); err != nil {
			return nil, err
		}
	}
	c = c.CloneVT()
	c.Id, c.Order, c.Off, c.Spans = ID(c), math.MaxInt64, false, nil
	return out, out.Put(c, 0)
}
