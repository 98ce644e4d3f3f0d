package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
)

// Access says who may use a route.
type Access string

const (
	// Open routes reveal nothing about the crawl: health, styles.
	Open Access = "open"
	// Searching is open on loopback, and elsewhere with Options.PublicSearch.
	Searching Access = "search"
	// Reading is open on loopback; elsewhere it needs the token.
	Reading Access = "read"
	// Inspecting needs the token everywhere, as a Bearer or as a password.
	Inspecting Access = "inspect"
	// Changing needs the token everywhere, as a Bearer: a browser never adds that by itself.
	Changing Access = "change"
)

// door decides who may use which route.
type door struct {
	token        [sha256.Size]byte // SHA-256 of the token
	names        []string          // allowed in a Host header
	loopback     bool              // only this machine reaches the server
	publicSearch bool              // see Options
}

// admit returns an error if the request may not use a route with this access.
func (d *door) admit(w http.ResponseWriter, r *http.Request, a Access) error {
	if a == Open || d.bearer(r) {
		return nil
	}
	if a == Changing {
		w.Header().Set("WWW-Authenticate", `Bearer realm="millrace"`)
		return refuse(http.StatusUnauthorized, "this needs the token: Authorization: Bearer TOKEN")
	}
	if !d.isNamed(r.Host) {
		return refuse(http.StatusMisdirectedRequest,
			"nobody reaches this process as %q: use its IP address, or start it with --serve-name and this name", clip(plain(r.Host), 100))
	}
	if d.loopback && a != Inspecting || a == Searching && d.publicSearch || d.password(r) {
		return nil
	}
	w.Header().Set("WWW-Authenticate", `Basic realm="millrace: the token is the password", charset="UTF-8"`)
	if a == Inspecting {
		return refuse(http.StatusUnauthorized, "this needs the token: any user name with the token as password, "+
			"or Authorization: Bearer TOKEN")
	}
	return refuse(http.StatusUnauthorized, "this process listens beyond its own machine, so reading needs the token too: "+
		"any user name with the token as password, or Authorization: Bearer TOKEN")
}

// isNamed reports whether a Host header can be meant for this process. It protects against DNS
// rebinding: a page of another site can let its own name resolve to this address, and so make a
// browser send requests here; such a request has that name. An IP address cannot be used so.
func (d *door) isNamed(hostport string) bool {
	host := strings.ToLower(strings.TrimSuffix(hostOf(hostport), "."))
	if host == "" || net.ParseIP(host) != nil { // "" is HTTP/1.0: no browser sends it
		return true
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || slices.Contains(d.names, host)
}

// hostOf removes port and brackets.
func hostOf(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

// names lists the names of this process: those configured, the one it listens on, and that of the
// machine.
func (o Options) names() []string {
	out := []string{strings.ToLower(hostOf(o.Listen))}
	for _, n := range o.Names {
		out = append(out, strings.ToLower(strings.TrimSuffix(n, ".")))
	}
	if name, err := os.Hostname(); err == nil {
		out = append(out, strings.ToLower(name))
	}
	return out
}

// isLoopback reports whether only this machine reaches an address.
func isLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// bearer reports whether a request has the token as a Bearer, as programs send it.
func (d *door) bearer(r *http.Request) bool {
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return d.isToken(given) && strings.EqualFold(scheme, "Bearer")
}

// password reports whether a request has the token as a password, as browsers send it.
func (d *door) password(r *http.Request) bool {
	_, given, ok := r.BasicAuth()
	return ok && d.isToken(given)
}

// isToken compares hashes, so the time it takes reveals neither the token nor its length.
func (d *door) isToken(given string) bool {
	sum := sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(sum[:], d.token[:]) == 1
}
