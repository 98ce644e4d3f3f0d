package schedule

import (
	"context"
	"fmt"
	"strings"

	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/schema/facts"
	"millrace/streams/state"
)

// Story tells an operator everything that the frontier knows of one URL.
type Story struct {
	URL     string // canonical form; "" if it has none
	RowKey  schema.RowKey
	Site    schema.Site
	Host    *schema.HostRow // nil: the host is not known
	Row     *schema.UrlRow  // nil: the URL is not known
	Fields  [][2]string     // the content of Row, as name and value
	Around  [][2]string     // the content of Host, as name and value
	Verdict string          // what happens with the URL, in a sentence
	Drop    string          // the reason for which a link to it would be dropped; "" = it would be queued
	Rule    string          // the rule behind Drop or Row, in words; "" = none
	Every   string          // the rule that says how often it is fetched again, in words; "" = none
	Paused  string          // the rule that pauses its host, in words; "" = none
}

// Explain returns what the stored rows say of a URL. For a URL without a row it says what would
// happen to a link to it. It reads only the store, so it is at most one round of writes behind.
func Explain(ctx context.Context, s state.Store, c *schema.Canonicalizer, o Options, raw string) (Story, error) {
	u, err := c.Parse(raw)
	if err != nil {
		return Story{Drop: reasonOf(err), Verdict: "not a URL that can be crawled"}, nil
	}
	w := Story{URL: u.String(), RowKey: u.RowKey(), Site: u.Site()}
	host := &schema.HostRow{}
	found, err := table.Read(ctx, s, schema.HostTable, table.Host(w.RowKey.Host()), host)
	if err != nil {
		return Story{}, fmt.Errorf("host of %s: %w", w.URL, err)
	}
	if found {
		w.Host, w.Site = table.Normal(host, policy.Classes, hosts.Budgets), schema.Site(host.Site)
		if err := w.readRow(ctx, s); err != nil {
			return Story{}, fmt.Errorf("row of %s: %w", w.URL, err)
		}
	}
	w.judge(o)
	if err := w.learnt(ctx, s, o); err != nil {
		return Story{}, fmt.Errorf("patterns of %s: %w", w.URL, err)
	}
	w.ruled(o)
	if w.Row != nil {
		w.Fields = urlFields(w.Row)
	}
	if w.Host != nil {
		w.Around = hostFields(w.Host, delayOf(o, w.RowKey.Host(), w.Site))
	}
	return w, nil
}

func (w *Story) readRow(ctx context.Context, s table.Reader) error {
	return table.EachURL(ctx, s, w.RowKey.Host(), len(w.Host.TierUrls), []string{w.RowKey.Path()},
		func(_ string, _ table.Place, st state.Value) error {
			w.Row = &schema.UrlRow{}
			return w.Row.UnmarshalVT(st.Bytes())
		})
}

// judge sets Drop and Verdict from the rows, the scope and the budget of the host.
func (w *Story) judge(o Options) {
	switch {
	case o.InScope != nil && !o.InScope(w.RowKey.Host(), w.Site):
		w.Drop = "scope"
	case w.Row == nil && w.Host != nil && o.URLsPerHost > 0 && hosts.URLs(w.Host) >= o.URLsPerHost:
		w.Drop = "host_budget"
	}
	switch {
	case w.Row != nil:
		w.Verdict = verdictOf(w.Row)
	case w.Drop == "scope":
		w.Verdict = "Not known; outside the scope of the seeds"
	case w.Drop == "host_budget":
		w.Verdict = "Not known; its host has as many URLs as one host may have, so a link to it is dropped"
	default:
		w.Verdict = "Not known: no page that was read links to it, or only pages too deep or with nofollow" + depthLimit(o)
	}
}

func depthLimit(o Options) string {
	if o.MaxDepth <= 0 || o.MaxDepth >= deep {
		return ""
	}
	return fmt.Sprintf(" (--max-depth is %d)", o.MaxDepth)
}

// deep is a limit of depth that stands for no limit.
const deep = 1000

// verdictOf says in a sentence what happened to a URL and when it is next due.
func verdictOf(row *schema.UrlRow) string {
	next := "it is not fetched again by itself"
	if row.NextDue > 0 {
		next = "next " + facts.At(row.NextDue)
	}
	failed := ""
	if n := row.Fails + row.Waits; n > 0 {
		failed = fmt.Sprintf("%d %s failed (%s)", n, tries(n), Failure(row))
	}
	var is string
	switch row.Status {
	case schema.UrlRow_QUEUED:
		is = "Not fetched yet"
		if failed != "" {
			return is + ": " + failed + "; " + next
		}
		return is + ": it waits for its host's turn"
	case schema.UrlRow_FETCHED:
		is = "Fetched " + facts.At(row.FetchedAt)
		if row.Reason != "" {
			is += ", no document: " + schema.ReasonOf(row.Reason).Why
		}
	case schema.UrlRow_REDIRECTED:
		is = "Redirects to " + row.RedirectTo
		if row.Redirects >= mostRedirects {
			is += fmt.Sprintf(" (%d redirects in a row led here: one more to another site is not followed)", row.Redirects)
		}
	case schema.UrlRow_FORGOTTEN:
		is = "Removed by an operator"
	case schema.UrlRow_REFUSED:
		is = "Refused: " + schema.ReasonOf(row.Reason).Why
	default:
		is = "Ended: " + schema.ReasonOf(row.Reason).Why
	}
	if failed != "" {
		is += "; " + failed
	}
	return is + "; " + next
}

func tries[N int32 | int64 | uint32](n N) string {
	if n == 1 {
		return "try"
	}
	return "tries"
}

// Failure says why the last try of a URL failed.
func Failure(row *schema.UrlRow) string {
	switch {
	case row.HttpStatus >= 400:
		return fmt.Sprintf("HTTP %d", row.HttpStatus)
	case row.ErrorKind == "url" && row.HttpStatus/100 == 3:
		return "it redirects to what cannot be fetched"
	case row.HttpStatus/100 == 2 && (row.ErrorKind == "timeout" || row.ErrorKind == "slow"):
		return "its answer did not end in time"
	case row.ErrorKind != "":
		return failureWords(row.ErrorKind)
	}
	return strings.ReplaceAll(strings.ToLower(row.Result.String()), "_", " ")
}

func failureWords(kind string) string {
	words := map[string]string{
		"dns": "the host name is not known", "ssrf": schema.ReasonOf("ssrf").Why, "offline": "no connection to the internet",
		"refused": "the host refused the connection", "timeout": "the host did not answer in time",
	}
	if w, ok := words[kind]; ok {
		return w
	}
	return strings.ReplaceAll(kind, "_", " ")
}
