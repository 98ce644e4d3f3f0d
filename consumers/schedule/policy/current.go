package policy

import (
	"millrace/consumers/schedule/freshness"
	"millrace/schema"
)

// View is a fetched page in an estimate of freshness.
type View struct {
	Host    freshness.Host
	Filter  freshness.Filter // how often it changes
	Age     float64          // days since the last look
	Pause   float64          // planned days between two looks; 0 = none is planned
	Current float64          // probability that it has not changed since the last look
	Stale   float64          // days for which it is expected to have been out of date
}

// View returns how current a page is expected to be, from its row. false: the URL is no fetched
// page with a document. It changes no URL row.
func (o *Options) View(row *schema.UrlRow, host *schema.HostRow, key schema.RowKey, now int64) (View, bool) {
	if row.Status != schema.UrlRow_FETCHED || !isPage(row.Kind) || !row.HadPage {
		return View{}, false
	}
	looked := row.LookedAt
	if looked == 0 {
		looked = row.FetchedAt
	}
	if looked == 0 {
		return View{}, false
	}
	v := View{Host: hostOf(host, key), Filter: filterOf(row), Age: max(inDays(now-looked), 0)}
	if !v.Filter.Known() {
		v.Filter = v.Host.Prior()
	}
	v.Current = v.Filter.Current(v.Age)
	v.Stale = v.Age * (1 - v.Filter.MeanCurrent(v.Age))
	if row.ToldAt > looked { // its site says that it has changed
		v.Current *= 1 - v.Host.Trust()
	} else {
		v.Current = v.Filter.Silent(v.Age, v.Host.Recall())
	}
	if o.Interval > 0 && row.NextDue > 0 {
		v.Pause = inDays(row.IntervalMs)
	}
	return v, true
}

// Limits are the settings for re-crawls of pages.
func (o *Options) Limits() freshness.Limits { return o.limits() }
