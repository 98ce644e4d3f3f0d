package wire

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"millrace/consumers/feeds"
	"millrace/consumers/fetch/web"
	"millrace/producers/indexnow"
	"millrace/producers/websub"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// openWebSub makes the subscriber to WebSub hubs, if websub is set.
func (s *groups) openWebSub() error {
	if s.Config.WebSub == "" {
		return nil
	}
	if err := s.Config.ValidateFetch(); err != nil {
		return err
	}
	lists, err := feeds.New(feeds.DefaultOptions(), feeds.Deps{Canon: s.Canon})
	if err != nil {
		return err
	}
	client, err := s.guarded()
	if err != nil {
		return err
	}
	out, err := streams.NewProducer(context.Background(), s.Kafka, websub.Producer, topics.Discovered())
	if err != nil {
		return err
	}
	s.onClose(out.Close)
	o := websub.DefaultOptions()
	o.Base = s.Config.WebSub
	s.lists = lists
	s.websub, err = websub.Open(context.Background(), o, websub.Deps{
		Store: s.Store, Client: client, Agent: s.agent(),
		Items: func(p *schema.Page) []*schema.Discovered {
			adds, _, err := lists.Lists(p)
			if err != nil {
				return nil
			}
			return adds
		},
		Send: out.Send, Clock: s.outside.Clock, Log: s.Log,
	})
	return err
}

// guarded returns a client for the few requests that fetch does not make. It connects to no private
// address, unless they are allowed.
func (s *groups) guarded() (*http.Client, error) {
	if s.outside.Hubs != nil {
		return s.outside.Hubs, nil
	}
	o := s.fetchOptions().Web
	o.UserAgent = s.agent()
	client, err := web.New(o)
	if err != nil {
		return nil, err
	}
	s.onClose(client.Close)
	return client.Guarded(), nil
}

// agent is the User-Agent of those requests.
func (s *groups) agent() string { return s.fetchOptions().UserAgent() }

// openIndexNow makes the endpoint for announced URLs, if indexnow is set.
func (s *groups) openIndexNow() error {
	if !s.Config.IndexNow {
		return nil
	}
	if err := s.Config.ValidateFetch(); err != nil {
		return err
	}
	client, err := s.guarded()
	if err != nil {
		return err
	}
	out, err := streams.NewProducer(context.Background(), s.Kafka, indexnow.Producer, topics.Discovered())
	if err != nil {
		return err
	}
	s.onClose(out.Close)
	s.indexnow, err = indexnow.New(indexnow.DefaultOptions(), indexnow.Deps{
		Canon: s.Canon, Client: client, Agent: s.agent(), InScope: s.scope.has,
		Paused: func(h schema.Host, site schema.Site) bool {
			_, paused := s.control.Set().Paused(h, site)
			return paused
		},
		Send: out.Send, Clock: s.outside.Clock, Log: s.Log,
	})
	return err
}

// announced returns the handler of announced URLs; nil if IndexNow is off.
func (s *groups) announced() http.Handler {
	if s.indexnow == nil {
		return nil
	}
	return s.indexnow
}

// hubs returns the handler of the hubs' requests; nil if WebSub is off.
func (s *groups) hubs() http.Handler {
	if s.websub == nil {
		return nil
	}
	return s.websub
}

// runWebSub runs the subscriber, and gives it the hub that each fetched feed names.
func (s *runner) runWebSub(ctx context.Context) {
	asked := make(chan struct{})
	go func() { _ = s.websub.Run(ctx); close(asked) }()
	for ctx.Err() == nil {
		if err := s.followFeeds(ctx); err != nil && ctx.Err() == nil {
			s.Log.Warn("hubs of feeds not read, trying again", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(restartAfter):
		}
	}
	<-asked
}

// followFeeds reads all feeds on feeds.fetched, and follows it.
func (s *runner) followFeeds(ctx context.Context) error {
	topic := topics.Feeds()
	from, err := s.Reader.Starts(ctx, topic.Name)
	if err != nil {
		return err
	}
	return s.Reader.Follow(ctx, topic.Name, from, time.Second, func(r streams.Raw) error {
		p := &schema.Page{}
		if len(r.Value) == 0 || p.UnmarshalVT(r.Value) != nil || p.Kind != schema.Kind_FEED {
			return nil // the group feeds reports bad records
		}
		_, listed, err := s.lists.Lists(p)
		if err != nil || len(listed.Ids) == 0 && listed.Hub == "" {
			return nil
		}
		if err := s.websub.Learn(ctx, p.RowKey, listed.Hub, listed.Self); err != nil {
			return fmt.Errorf("feed %s: %w", p.RowKey, err)
		}
		return nil
	}, nil)
}
