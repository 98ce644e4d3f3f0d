package websub

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"millrace/schema"
)

// Bounds of a lease (others are taken as the nearest bound), and of a challenge in bytes.
const (
	shortLease   = 5 * time.Minute
	longLease    = 90 * 24 * time.Hour
	maxChallenge = 2 << 10
)

// ServeHTTP answers hubs: GET verifies what was asked of them, POST brings content. The last part
// of the path is the id of the subscription.
func (s *Subscriber) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := strings.TrimPrefix(r.URL.Path, Path)
	switch r.Method {
	case http.MethodGet:
		s.confirm(w, r, id)
	case http.MethodPost:
		status := s.push(w, r, id)
		if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "60")
		}
		w.WriteHeader(status)
	default:
		w.Header().Set("Allow", "GET, POST")
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// confirm answers a verification of intent (section 5.3), or a denial by the hub (5.2).
func (s *Subscriber) confirm(w http.ResponseWriter, r *http.Request, id string) {
	challenge, ok, err := s.verify(r.Context(), id, r.URL.Query())
	switch {
	case err != nil:
		s.deps.Log.Warn("subscription not written", "error", err)
		w.WriteHeader(http.StatusServiceUnavailable)
	case !ok:
		http.Error(w, "nothing of this kind was asked for", http.StatusNotFound)
	default:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, challenge)
	}
}

// verify checks a hub's request against what was asked of the hub, and updates the subscription. ok
// is false if nothing of the kind was asked.
func (s *Subscriber) verify(ctx context.Context, id string, q url.Values) (challenge string, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sub := s.byID[id]
	if sub == nil || q.Get("hub.topic") != sub.row.Topic {
		return "", false, nil
	}
	row := sub.row
	challenge = q.Get("hub.challenge")
	if q.Get("hub.mode") != "denied" && (challenge == "" || len(challenge) > maxChallenge) {
		return "", false, nil
	}
	now := s.now()
	switch q.Get("hub.mode") {
	case "denied":
		if row.State == schema.SubscriptionRow_ENDING {
			return "", true, s.end(ctx, sub)
		}
		row.State, row.LeaseUntil, row.Problem = schema.SubscriptionRow_DENIED, 0, clip("the hub refuses: "+q.Get("hub.reason"))
		row.NextAt = now.Add(24 * time.Hour).UnixMilli()
		return "", true, s.save(ctx, sub)
	case "subscribe":
		if row.State != schema.SubscriptionRow_ASKED && row.State != schema.SubscriptionRow_VERIFIED {
			return "", false, nil
		}
		lease := leaseOf(q.Get("hub.lease_seconds"), s.opts.Lease)
		row.State, row.Tries, row.Problem = schema.SubscriptionRow_VERIFIED, 0, ""
		row.LeaseUntil = max(now.Add(lease).UnixMilli(), row.LeaseUntil+1)
		row.NextAt = now.Add(lease - lease/10).UnixMilli()
		return challenge, true, s.save(ctx, sub)
	case "unsubscribe":
		if row.State != schema.SubscriptionRow_ENDING {
			return "", false, nil
		}
		return challenge, true, s.end(ctx, sub)
	}
	return "", false, nil
}

// leaseOf returns the lease that a hub gives, within bounds; asked if it gives none.
func leaseOf(text string, asked time.Duration) time.Duration {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 {
		return asked
	}
	return time.Duration(min(max(n, int64(shortLease.Seconds())), int64(longLease.Seconds()))) * time.Second
}

// push handles pushed content (section 7) and returns the HTTP status of the answer.
func (s *Subscriber) push(w http.ResponseWriter, r *http.Request, id string) int {
	row, status := s.enter(id)
	if row == nil {
		return status
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.opts.MaxBody))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return http.StatusRequestEntityTooLarge
	case err != nil:
		return http.StatusBadRequest
	case row.Secret != "" && !signed(row.Secret, r.Header.Get("X-Hub-Signature"), body):
		s.count(r.Context(), id, func(row *schema.SubscriptionRow) { row.Refused++ })
		return http.StatusAccepted // as the recommendation says: a forger learns nothing
	}
	now := s.now().UnixMilli()
	records, items := s.records(row, r.Header, body, now)
	if err := s.deps.Send(r.Context(), records...); err != nil {
		s.deps.Log.Warn("pushed content not appended", "feed", row.Feed, "error", err)
		return http.StatusServiceUnavailable
	}
	s.count(r.Context(), id, func(row *schema.SubscriptionRow) {
		row.Pushes++
		row.PushedAt, row.Items = now, row.Items+items
	})
	return http.StatusAccepted
}

// enter returns the subscription of a push if its lease is valid and its bound of pushes per minute
// is not exceeded; else nil and an HTTP status.
func (s *Subscriber) enter(id string) (*schema.SubscriptionRow, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sub := s.byID[id]
	switch {
	case sub == nil:
		return nil, http.StatusNotFound
	case sub.row.State == schema.SubscriptionRow_ENDING:
		return nil, http.StatusGone
	case sub.row.LeaseUntil <= s.now().UnixMilli():
		return nil, http.StatusNotFound // not verified yet, or expired
	}
	if m := s.now().Unix() / 60; sub.minute != m {
		sub.minute, sub.pushes = m, 0
	}
	if sub.pushes++; sub.pushes > s.opts.Pushes {
		return nil, http.StatusTooManyRequests
	}
	return sub.row.CloneVT(), 0
}

// count changes a row and saves it. If that fails it is logged, and the change is saved with the
// next one.
func (s *Subscriber) count(ctx context.Context, id string, change func(*schema.SubscriptionRow)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sub := s.byID[id]; sub != nil {
		change(sub.row)
		if err := s.save(ctx, sub); err != nil {
			s.deps.Log.Warn("subscription not written", "feed", sub.row.Feed, "error", err)
		}
	}
}

// Producer is the producer's name in Add records.
const Producer = "websub"

// records returns the URLs in pushed content, as items of the subscribed feed. If the content has
// none, it returns the feed itself, which is then fetched again.
func (s *Subscriber) records(row *schema.SubscriptionRow, header http.Header, body []byte, now int64) ([]*schema.Discovered, int64) {
	key, items := schema.RowKey(row.Feed), int64(0)
	page := &schema.Page{RowKey: row.Feed, Url: key.URL(), Kind: schema.Kind_FEED, HttpStatus: 200, Body: body, FetchedAt: now,
		ContentType: header.Get("Content-Type"), ContentEncoding: header.Get("Content-Encoding")}
	var out []*schema.Discovered
	for _, d := range s.deps.Items(page) {
		if add := d.GetAdd(); add != nil {
			add.Producer, add.FeedRowKey = Producer, row.Feed
			items += int64(len(add.Items))
			out = append(out, d)
		}
	}
	if items > 0 {
		return out, items
	}
	feed := &schema.AddItem{Url: key.URL(), Kind: schema.Kind_FEED, Lastmod: now}
	return []*schema.Discovered{{Host: string(key.Host()), DiscoveredAt: now, Body: &schema.Discovered_Add{
		Add: &schema.Add{Producer: Producer, FeedRowKey: row.Feed, Items: []*schema.AddItem{feed}}}}}, 0
}

// signed reports whether a signature ("sha256=0a1b...") is that of the content (section 8).
func signed(secret, signature string, body []byte) bool {
	method, text, _ := strings.Cut(strings.TrimSpace(signature), "=")
	makes := map[string]func() hash.Hash{"sha1": sha1.New, "sha256": sha256.New, "sha384": sha512.New384, "sha512": sha512.New}
	mk := makes[strings.ToLower(method)]
	given, err := hex.DecodeString(text)
	if mk == nil || err != nil {
		return false
	}
	mac := hmac.New(mk, []byte(secret))
	mac.Write(body)
	return hmac.Equal(mac.Sum(nil), given)
}
