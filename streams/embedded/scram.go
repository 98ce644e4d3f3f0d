package embedded

import (
	"bytes"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"strings"
)

// errLogin is the only error that a client gets for a failed login.
var errLogin = errors.New("user or password is wrong")

// scramIterations is the minimum of RFC 7677 and of Kafka's clients. More would slow down guessing,
// which a random, long password does not need.
const scramIterations = 4096

// verifier holds what the server side of SCRAM (RFC 5802) derives from a password.
type verifier struct {
	hash              func() hash.Hash
	user              string
	salt              []byte
	stored, serverKey []byte
}

func newVerifier(h func() hash.Hash, user, password string) (*verifier, error) {
	salt := make([]byte, 16)
	rand.Read(salt)
	salted, err := pbkdf2.Key(h, password, salt, scramIterations, h().Size())
	if err != nil {
		return nil, err
	}
	v := &verifier{hash: h, user: user, salt: salt}
	v.stored, v.serverKey = v.digest(v.mac(salted, "Client Key")), v.mac(salted, "Server Key")
	return v, nil
}

func (v *verifier) mac(key []byte, text string) []byte {
	m := hmac.New(v.hash, key)
	m.Write([]byte(text))
	return m.Sum(nil)
}

func (v *verifier) digest(b []byte) []byte {
	h := v.hash()
	h.Write(b)
	return h.Sum(nil)
}

// login is one attempt to log in.
type login interface {
	// step takes the client's message and returns the answer; done is true when the login has
	// succeeded.
	step(in []byte) (out []byte, done bool, err error)
}

// scramLogin is an attempt with SCRAM.
type scramLogin struct {
	*verifier
	gs2, first, challenge, nonce string
	known                        bool // the user's name is right
}

// step implements login.
func (s *scramLogin) step(in []byte) ([]byte, bool, error) {
	if s.challenge == "" {
		out, err := s.begin(string(in))
		return out, false, err
	}
	out, err := s.finish(string(in))
	return out, err == nil, err
}

// begin answers client-first-message: gs2-header n=user,r=nonce.
func (s *scramLogin) begin(in string) ([]byte, error) {
	parts := strings.SplitN(in, ",", 3)
	if len(parts) != 3 || parts[0] != "n" && parts[0] != "y" { // p: channel binding, which is not offered
		return nil, errLogin
	}
	s.gs2, s.first = parts[0]+","+parts[1]+",", parts[2]
	var user, nonce string
	for field := range strings.SplitSeq(s.first, ",") {
		switch key, value, _ := strings.Cut(field, "="); key {
		case "n":
			user = strings.NewReplacer("=2C", ",", "=3D", "=").Replace(value)
		case "r":
			nonce = value
		case "m": // an extension that must be understood
			return nil, errLogin
		}
	}
	if nonce == "" {
		return nil, errLogin
	}
	s.known = subtle.ConstantTimeCompare([]byte(user), []byte(s.user)) == 1
	s.nonce = nonce + rand.Text()
	s.challenge = fmt.Sprintf("r=%s,s=%s,i=%d", s.nonce, base64.StdEncoding.EncodeToString(s.salt), scramIterations)
	return []byte(s.challenge), nil
}

// finish answers client-final-message: c=gs2-header,r=nonce,p=proof.
func (s *scramLogin) finish(in string) ([]byte, error) {
	i := strings.LastIndex(in, ",p=")
	if i < 0 {
		return nil, errLogin
	}
	bare := in[:i]
	proof, err := base64.StdEncoding.DecodeString(in[i+len(",p="):])
	if err != nil || len(proof) != len(s.stored) {
		return nil, errLogin
	}
	if want := "c=" + base64.StdEncoding.EncodeToString([]byte(s.gs2)) + ",r=" + s.nonce; bare != want && !strings.HasPrefix(bare, want+",") {
		return nil, errLogin
	}
	auth := s.first + "," + s.challenge + "," + bare
	key := make([]byte, len(proof))
	subtle.XORBytes(key, proof, s.mac(s.stored, auth))
	if right := subtle.ConstantTimeCompare(s.digest(key), s.stored) == 1; !right || !s.known {
		return nil, errLogin
	}
	return []byte("v=" + base64.StdEncoding.EncodeToString(s.mac(s.serverKey, auth))), nil
}

// plainLogin is an attempt with PLAIN (RFC 4616).
type plainLogin struct{ user, password string }

// step implements login.
func (p plainLogin) step(in []byte) ([]byte, bool, error) {
	parts := bytes.Split(in, []byte{0})
	if len(parts) != 3 {
		return nil, false, errLogin
	}
	given, want := sha256.Sum256(parts[2]), sha256.Sum256([]byte(p.password))
	if subtle.ConstantTimeCompare(parts[1], []byte(p.user))&subtle.ConstantTimeCompare(given[:], want[:]) != 1 {
		return nil, false, errLogin
	}
	return nil, true, nil
}

// logins starts logins, by the name of the SASL mechanism.
type logins struct {
	s256, s512     *verifier
	user, password string
}

func newLogins(user, password string) (*logins, error) {
	s256, err := newVerifier(sha256.New, user, password)
	if err != nil {
		return nil, err
	}
	s512, err := newVerifier(sha512.New, user, password)
	return &logins{s256, s512, user, password}, err
}

// mechanisms lists the mechanisms that are offered. PLAIN sends the password as it is, so it is
// offered only on private connections.
func (l *logins) mechanisms(private bool) []string {
	list := []string{"SCRAM-SHA-512", "SCRAM-SHA-256"}
	if private {
		list = append(list, "PLAIN")
	}
	return list
}

// begin starts a login; nil if the mechanism is not offered.
func (l *logins) begin(mechanism string, private bool) login {
	switch {
	case mechanism == "SCRAM-SHA-256":
		return &scramLogin{verifier: l.s256}
	case mechanism == "SCRAM-SHA-512":
		return &scramLogin{verifier: l.s512}
	case mechanism == "PLAIN" && private:
		return plainLogin{l.user, l.password}
	}
	return nil
}
