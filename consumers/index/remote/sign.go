package remote

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Requests and replies are signed with the secret that all processes share; the secret itself does
// not travel. The server gives a challenge, a value that only it can make and that it takes for one
// or two challengeEvery. A request carries the challenge and
//
//	HMAC-SHA256(secret, "request", challenge, path, body)
//
// and the reply HMAC-SHA256(secret, "reply", signature of the request, status, body). So who listens
// can repeat a search for some minutes and cannot ask another, and who takes the place of a server
// can neither learn the secret nor give an answer. What travels is not encrypted: see doc.go.
const (
	challengeHeader = "Millrace-Challenge"
	signatureHeader = "Millrace-Signature"
	challengeEvery  = 2 * time.Minute
)

func sign(secret string, parts ...[]byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	for _, p := range parts {
		mac.Write(strconv.AppendInt(nil, int64(len(p)), 10)) // so that no two lists sign alike
		mac.Write([]byte{':'})
		mac.Write(p)
	}
	return hex.EncodeToString(mac.Sum(nil))
}

func signRequest(secret, challenge, path string, body []byte) string {
	return sign(secret, []byte("request"), []byte(challenge), []byte(path), body)
}

func signReply(secret, request string, status int, body []byte) string {
	return sign(secret, []byte("reply"), []byte(request), strconv.AppendInt(nil, int64(status), 10), body)
}

func equal(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }

// challenges makes the challenges of one server. They follow from its own key and its own clock, so
// they need no memory, and end with the process.
type challenges struct {
	key   string
	began time.Time
}

func newChallenges() challenges { return challenges{rand.Text(), time.Now()} }

func (c challenges) at(n int64) string { return sign(c.key, strconv.AppendInt(nil, n, 10)) }

func (c challenges) number() int64 { return int64(time.Since(c.began) / challengeEvery) }

func (c challenges) now() string { return c.at(c.number()) }

func (c challenges) good(s string) bool {
	n := c.number()
	return equal(s, c.at(n)) || equal(s, c.at(n-1))
}

// Client asks peers. It remembers the last challenge of each.
type Client struct {
	Secret string
	HTTP   *http.Client

	mu         sync.Mutex
	challenges map[string]string // by URL
}

// maxKnown bounds what a Client remembers; beyond it it begins again.
const maxKnown = 10_000

func (c *Client) challenge(url string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.challenges[url]
}

func (c *Client) remember(url, challenge string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.challenges == nil || len(c.challenges) >= maxKnown {
		c.challenges = map[string]string{}
	}
	c.challenges[url] = challenge
}
