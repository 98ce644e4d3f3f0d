package onerun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"millrace/ops/simweb/truth"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// saboteur breaks what the checks must find.
type saboteur struct{ *world }

// sabotage breaks what the checks must find, behind the back of the groups: it is how the
// checks themselves are tested.
func (s *saboteur) sabotage() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.sabotageLog(ctx); err != nil {
		return err
	}
	if err := errors.Join(s.sabotageOrigin(ctx), s.sabotageReplay(ctx)); err != nil {
		return err
	}
	if _, err := kadm.NewClient(s.admin).CreateTopic(ctx, 1, 1, nil, "stray"); err != nil { // I9
		return err
	}
	for _, p := range s.procs { // I13
		p.life().web.setDown(true)
	}
	return streams.Append(ctx, s.look.Kafka, streams.Send{Topic: topics.DeadLetters().Name, Value: []byte("a good record")}) // I11
}

// sabotageLog repeats a record of docs.unique (I2), deletes a document (I1) and adds one (I12).
func (s *saboteur) sabotageLog(ctx context.Context) error {
	topic := topics.Unique()
	for p := range s.look.Meta.SitePartitions {
		end, err := s.look.Reader.End(ctx, topic.Name, p)
		if err != nil {
			return err
		}
		last := map[string][]byte{}
		err = streams.Read(ctx, s.look.Reader, topic, p, 0, end, func(r *streams.Record[*schema.Unique]) error {
			if last[r.Key] = slices.Clone(r.Bytes); r.Tombstone {
				delete(last, r.Key)
			}
			return nil
		})
		if err != nil {
			return err
		}
		keys := slices.Sorted(maps.Keys(last))
		if len(keys) < 2 {
			continue
		}
		return streams.Append(ctx, s.look.Kafka,
			streams.Send{Topic: topic.Name, Partition: p, Key: keys[0], Value: last[keys[0]]},
			streams.Send{Topic: topic.Name, Partition: p, Key: keys[0], Value: last[keys[0]]},
			streams.Send{Topic: topic.Name, Partition: p, Key: keys[1]},
			streams.Send{Topic: topic.Name, Partition: p, Key: keys[0] + "/nowhere", Value: last[keys[0]]})
	}
	return fmt.Errorf("too few documents to sabotage")
}

// sabotageReplay deletes half of a log, so that the index cannot be made from it (I8).
func (s *saboteur) sabotageReplay(ctx context.Context) error {
	topic := topics.Unique().Name
	end, err := s.look.Reader.End(ctx, topic, 0)
	if err != nil {
		return err
	}
	return s.look.Reader.DeleteRecords(ctx, topic, 0, end/2)
}

// sabotageOrigin asks for forbidden pages, and for a good one, at once after each other (I4, I5,
// I6).
func (s *saboteur) sabotageOrigin(ctx context.Context) error {
	t, err := s.truth()
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, n, _ string) (net.Conn, error) {
		return s.web.DialContext(ctx, n, "127.0.0.1:80")
	}}}
	var urls []string
	for url, e := range t.URLs {
		if e.Kind == truth.Denied {
			urls = append(urls, url, url)
			break
		}
	}
	if len(urls) == 0 {
		return fmt.Errorf("no forbidden page to sabotage with")
	}
	for _, url := range slices.Sorted(maps.Keys(t.Docs))[:1] {
		urls = append(urls, url, url)
	}
	for _, url := range urls {
		if err := get(ctx, client, url); err != nil {
			return err
		}
	}
	return nil
}

func get(ctx context.Context, client *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", "millrace/0")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.Body.Close()
}
