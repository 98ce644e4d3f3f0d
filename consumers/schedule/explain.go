package schedule

import (
	"context"
	"fmt"
	"time"

	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams/state"
)

// Story is what the frontier knows of one URL.
type Story struct {
	URL     string // canonical form; "" if it has none
	RowKey  schema.RowKey
	Site    schema.Site
	Host    *schema.HostRow // nil: nothing of the host was ever queued
	Row     *schema.UrlRow  // nil: the URL is not known
	Fields  [][2]string     // what Row says, as name and value
	Around  [][2]string     // what Host says
	Verdict string          // what becomes of it, in a sentence
	Drop    string          // the reason a link to it would be dropped with; "" = it would be queued
}

// Explain tells what the frontier knows of a URL, from its rows; of one that has
// none, what the rules would say to it.
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
	if w.Row != nil {
		w.Fields = urlFields(w.Row)
	}
	if w.Host != nil {
		w.Around = hostFields(w.Host)
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
	case w.Drop != "":
		w.Verdict = "not known; a link to it would be dropped"
	default:
		w.Verdict = "not known; a link to it would be queued, unless it is too deep or asks not to be followed"
	}
}

// verdictOf says in a sentence where a URL stands.
func verdictOf(row *schema.UrlRow) string {
	next := "it is not fetched again by itself"
	if row.NextDue > 0 {
		next = "next due " + time.UnixMilli(row.NextDue).UTC().Format(time.RFC3339)
	}
	var is string
	switch row.Status {
	case schema.UrlRow_QUEUED:
		is = "waits for its first fetch"
	case schema.UrlRow_FETCHED:
		is = "fetched " + time.UnixMilli(row.FetchedAt).UTC().Format(time.RFC3339)
		if row.Reason != "" {
			is += ", no document: " + row.Reason
		}
	case schema.UrlRow_REDIRECTED:
		is = "redirects to " + row.RedirectTo
	case schema.UrlRow_FORGOTTEN:
		is = "removed by an operator"
	default:
		is = "ended: " + row.Reason
	}
	if row.Fails > 0 {
		is += fmt.Sprintf(", %d failures (last: %s %s)", row.Fails, row.Result, row.ErrorKind)
	}
	return is + "; " + next
}
