package main

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"millrace/ops/simweb"
	"millrace/ops/simweb/truth"
	"millrace/ops/simweb/world"
)

// pageReply describes the page at a URL, and when it appears and changes.
type pageReply struct {
	URL       string       `json:"url"`
	At        time.Time    `json:"at"`
	Kind      truth.Kind   `json:"kind"` // robots.txt is not asked
	Role      string       `json:"role"`
	Status    int          `json:"status"` // 0: no answer
	Location  string       `json:"location,omitempty"`
	Text      world.TextID `json:"text,omitempty,string"` // the same for the same title and text
	Canonical string       `json:"canonical,omitempty"`
	NoIndex   bool         `json:"noindex"`
	Doubtful  bool         `json:"doubtful"`
	simweb.History
	NearDuplicate *simweb.NearDuplicate `json:"near_duplicate,omitempty"`
}

func (a *admin) page(rw http.ResponseWriter, r *http.Request) {
	q := queryOf(r)
	url := read(q, "url", "", asIs)
	if err := q.done(); err != nil {
		a.reply(rw, nil, err)
		return
	}
	reply, err := a.lookAt(url)
	a.reply(rw, reply, err)
}

func (a *admin) lookAt(url string) (pageReply, error) {
	web, now := a.srv.Overridden(), a.srv.Clock().Now().UTC()
	l, ok := web.Look(url, now)
	if !ok {
		return pageReply{}, fmt.Errorf("url: %q is not of a host of this web", url)
	}
	p := pageReply{
		URL: url, At: now, Role: l.Role.String(), Status: l.Status, Location: l.Location, Text: l.Text,
		Canonical: l.Canonical, NoIndex: l.NoIndex, History: a.w.History(url, now),
	}
	p.Kind, p.Doubtful = truth.KindOf(l)
	if n, ok := truth.NearDuplicateAt(web, a.w.World, url, now); ok {
		p.NearDuplicate = &n
	}
	return p, nil
}

// itemsReply are the items of a host, oldest first.
type itemsReply struct {
	Host  string      `json:"host"`
	At    time.Time   `json:"at"`
	Items []itemReply `json:"items"`
}

type itemReply struct {
	URL     string    `json:"url"`
	Appears time.Time `json:"appears"`
}

func (a *admin) items(rw http.ResponseWriter, r *http.Request) {
	q := queryOf(r)
	host := read(q, "host", "", asIs)
	h, _, port, ok := a.w.ParseHost(host)
	if err := q.done(); err != nil || !ok {
		a.reply(rw, nil, errors.Join(err, fmt.Errorf("host: %q is not of this web", host)))
		return
	}
	reply := itemsReply{Host: host, At: a.srv.Clock().Now().UTC(), Items: []itemReply{}}
	first := a.w.Start().Add(-a.w.Profile().History - 1) // what appears at the first moment counts
	for _, item := range a.w.Items(h, first, reply.At) {
		reply.Items = append(reply.Items, itemReply{a.w.URL(item.Ref, port), item.At})
	}
	a.reply(rw, reply, nil)
}
