package onerun

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"time"

	"millrace/bench/simweb/truth"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// sabotage breaks what the checks must find, behind the back of the groups: it is how the
// checks themselves are tested.
func (w *world) sabotage() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := w.sabotageLog(ctx); err != nil {
		return err
	}
	if err := w.sabotageOrigin(ctx); err != nil {
		return err
	}
	return streams.Append(ctx, w.look.Kafka, streams.Send{Topic: topics.DeadLetters().Name, Value: []byte("a good record")}) // I11
}

// sabotageLog repeats a record of docs.unique (I2) and deletes a document (I1).
func (w *world) sabotageLog(ctx context.Context) error {
	topic := topics.Unique()
	for p := range w.look.Meta.SitePartitions {
		end, err := w.look.Reader.End(ctx, topic.Name, p)
		if err != nil {
			return err
		}
		last := map[string][]byte{}
		err = streams.Read(ctx, w.look.Reader, topic, p, 0, end, func(r *streams.Record[*schema.Unique]) error {
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
		return streams.Append(ctx, w.look.Kafka,
			streams.Send{Topic: topic.Name, Partition: p, Key: keys[0], Value: last[keys[0]]},
			streams.Send{Topic: topic.Name, Partition: p, Key: keys[1]})
	}
	return fmt.Errorf("too few documents to sabotage")
}

// sabotageOrigin asks for forbidden pages, at once after each other (I4, I5).
func (w *world) sabotageOrigin(ctx context.Context) error {
	t, err := w.truth()
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, n, _ string) (net.Conn, error) {
		return w.web.DialContext(ctx, n, "127.0.0.1:80")
	}}}
	for url, e := range t.URLs {
		if e.Kind != truth.Denied {
			continue
		}
		for range 2 {
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
			_ = resp.Body.Close()
		}
		return nil
	}
	return fmt.Errorf("no forbidden page to sabotage with")
}
