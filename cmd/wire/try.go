package wire

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"millrace/consumers/extract"
	"millrace/consumers/extract/page"
	"millrace/consumers/extract/rules"
	"millrace/consumers/fetch"
	decisions "millrace/consumers/rules"
	"millrace/ops/web"
	"millrace/schema"
)

// Trial is the result of one page in each stage of the pipeline. A stage that the page does not
// reach is nil.
type Trial struct {
	Rules   *web.RuleVerdict `json:"rules,omitempty"` // what operators decided
	Fetch   *fetch.Sighting  `json:"fetch,omitempty"`
	Extract *extract.Report  `json:"extract,omitempty"`
}

// TryURL fetches a URL as the group fetch would, and extracts the page. It writes nothing and needs
// no data directory. It calls wait before every delay.
func TryURL(ctx context.Context, cfg Config, log *slog.Logger, url string, wait func(time.Duration)) (*Trial, error) {
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		return nil, err
	}
	u, err := canon.Parse(url)
	if err != nil {
		return nil, err
	}
	t := &Trial{}
	if t.Fetch, err = fetch.Look(ctx, cfg.fetchOptions(), canon, u, wait); err != nil || t.Fetch.Page == nil {
		return t, err
	}
	return t, t.extract(ctx, cfg, canon, log, t.Fetch.Page)
}

// TryPage extracts the given bytes as the page of a URL.
func TryPage(ctx context.Context, cfg Config, log *slog.Logger, url, contentType string, body []byte) (*Trial, error) {
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		return nil, err
	}
	p, err := GivenPage(url, contentType, body)
	if err != nil {
		return nil, err
	}
	t := &Trial{}
	return t, t.extract(ctx, cfg, canon, log, p)
}

// GivenPage returns the given bytes as the page of a URL.
func GivenPage(url, contentType string, body []byte) (*schema.Page, error) {
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		return nil, err
	}
	u, err := canon.Parse(url)
	if err != nil {
		return nil, err
	}
	return &schema.Page{
		RowKey: string(u.RowKey()), Url: u.String(), Site: string(u.Site()), Kind: schema.Kind_PAGE, Rev: 1,
		HttpStatus: 200, ContentType: contentType, Body: body, BodyLength: int64(len(body)), FetchedAt: time.Now().UnixMilli(),
	}, nil
}

// FetchPage fetches a URL as TryURL does. The error says why there is no page.
func FetchPage(ctx context.Context, cfg Config, url string, wait func(time.Duration)) (*schema.Page, error) {
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		return nil, err
	}
	u, err := canon.Parse(url)
	if err != nil {
		return nil, err
	}
	s, err := fetch.Look(ctx, cfg.fetchOptions(), canon, u, wait)
	if err != nil {
		return nil, err
	}
	if s.Page == nil {
		if s.RedirectTo != "" {
			return nil, fmt.Errorf("%s leads to %s: name that one", url, s.RedirectTo)
		}
		return nil, fmt.Errorf("%s gave no page: %s; millrace try says more", url, s.Outcome)
	}
	return s.Page, nil
}

// ProposeRule proposes a rule of extraction from pages of one site. It writes nothing.
func ProposeRule(cfg Config, log *slog.Logger, pages []*schema.Page) (page.Proposal, error) {
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		return page.Proposal{}, err
	}
	cfg.Rules = ""
	w, err := cfg.extractor(canon, log, "", nil)
	if err != nil {
		return page.Proposal{}, err
	}
	defer w.Close()
	return w.Propose(pages)
}

func (t *Trial) extract(ctx context.Context, cfg Config, canon *schema.Canonicalizer, log *slog.Logger, p *schema.Page) error {
	w, err := cfg.extractor(canon, log, "", nil)
	if err != nil {
		return err
	}
	defer w.Close()
	r, err := w.Try(ctx, p)
	t.Extract = &r
	return err
}

// extractor returns the worker of the group extract, with the rules of the configuration and, if
// live is not nil, those on the topic control. cache is the directory for the compiled PDF reader;
// "": it is not kept.
func (c Config) extractor(canon *schema.Canonicalizer, log *slog.Logger, cache string, live *decisions.Set) (*extract.Worker, error) {
	set, err := rules.Read(c.Rules)
	if err != nil {
		return nil, err
	}
	o := extract.DefaultOptions()
	o.MaxFile = max(o.Inflate.MaxBytes, c.MaxFile<<20)
	o.Edition, o.Documents.CacheDir = c.Edition, cache
	if live == nil {
		return extract.New(o, extract.Deps{Canon: canon, Rules: set, Logger: log})
	}
	return extract.New(o, extract.Deps{Canon: canon, Rules: &liveRules{set: live, file: set}, Logger: log})
}

// DefaultVerdict returns what the default rules mean for a URL.
func DefaultVerdict(url string) (web.RuleVerdict, error) {
	canon, err := newCanon()
	if err != nil {
		return web.RuleVerdict{}, err
	}
	u, err := canon.Parse(url)
	if err != nil {
		return web.RuleVerdict{}, err
	}
	return JudgeURL(decisions.New(), u), nil
}
