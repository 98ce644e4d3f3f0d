package dedupe

import (
	"context"
	"slices"

	"millrace/schema"
)

// The representative of a cluster is the member that had the text first, or the page that this
// member names as canonical. So only a page itself can give its place away: a copy comes later, and
// its canonical is not asked. Who was first is kept in the rows (since). So it is a function of the
// log, and does not change when pages come and go. A page that represents the cluster because the
// first member names it gets the first member's since.

// membership is a page's place in a cluster, as its row says; zero if it is in none.
type membership struct {
	site, hash, names string
	since             int64
}

func memberOf(key string, row *schema.DocRow) membership {
	if row.Status != schema.DocRow_LIVE {
		return membership{}
	}
	return membership{row.Own.Site, string(row.TextHash), canonicalOf(key, row), row.Since}
}

// in reports whether the page is a member of a cluster.
func (m membership) in(e *clusterEntry) bool {
	return m.hash != "" && m.hash == e.hash && m.site == e.site
}

func (m membership) row(key string) *schema.MemberOf {
	return &schema.MemberOf{RowKey: key, Names: m.names, Since: m.since}
}

// standing returns the row key of a cluster's representative, or "" if it has no members or its
// text was taken down. The page that the first member names is the representative if it is a member
// too and names no other page.
func (c *change) standing(ctx context.Context, e *clusterEntry) (string, error) {
	first := e.row.First
	if first == nil || e.row.TakenDown != 0 {
		return "", nil
	}
	if first.Names == "" || e.row.Count == 1 {
		return first.RowKey, nil
	}
	named, err := c.doc(ctx, first.Names)
	if err != nil {
		return "", err
	}
	m := memberOf(named.key, named.row)
	if !m.in(e) || canonicalOf(named.key, named.row) != "" {
		return first.RowKey, nil
	}
	c.inherit(e, named, m)
	return first.Names, nil
}

// inherit gives a page the since of the first member, which names it as canonical. So when the
// first member goes, this page stays the representative, and not a copy that came between the two.
func (c *change) inherit(e *clusterEntry, page *docEntry, m membership) {
	first := e.row.First
	if m.since <= first.Since {
		return
	}
	e.members[memberRank(m.row(page.key))] = nil
	m.since = first.Since
	page.row.Since, page.dirty = m.since, true
	if now := m.row(page.key); memberRank(now) < memberRank(first) {
		e.members[memberRank(first)], e.row.First = first, now
	} else {
		e.members[memberRank(now)] = now
	}
	e.dirty = true
}

// maxTurnedAway is how many of the pages that a full cluster turned away it remembers, to ask for
// them again.
const maxTurnedAway = 16

// admit gives a page the status SURPLUS, and does not publish it, if its cluster is full:
// MaxMembers pages of its site have the same text (a soft 404, or invented parameters). The members
// stay. The page that the first member names is always let in.
func (c *change) admit(ctx context.Context, page *docEntry, old *schema.DocRow) error {
	m := memberOf(page.key, page.row)
	if m.hash == "" {
		return nil
	}
	e, err := c.cluster(ctx, m.site, m.hash)
	if err != nil || e.row.Count < c.opts.MaxMembers || memberOf(page.key, old).in(e) || e.row.First.GetNames() == page.key {
		return err
	}
	c.drop("cluster_full", 1)
	page.row.Status = schema.DocRow_SURPLUS
	if len(e.row.TurnedAway) < maxTurnedAway && !slices.Contains(e.row.TurnedAway, page.key) {
		e.row.TurnedAway, e.dirty = append(e.row.TurnedAway, page.key), true
	}
	return nil
}

// move takes a page out of the cluster that its old row names and puts it into the one that its new
// row names.
func (c *change) move(ctx context.Context, page *docEntry, old *schema.DocRow) error {
	from, to := memberOf(page.key, old), memberOf(page.key, page.row)
	c.touchKey(page.key)
	if from.hash != "" {
		e, err := c.cluster(ctx, from.site, from.hash)
		if err == nil && !to.in(e) {
			err = c.exit(ctx, e, page.key, from)
		}
		if err != nil {
			return err
		}
		c.touchCluster(e)
	}
	if to.hash == "" {
		return nil
	}
	e, err := c.cluster(ctx, to.site, to.hash)
	if err != nil {
		return err
	}
	c.touchCluster(e)
	if from.in(e) {
		c.rename(e, page.key, from, to)
		return nil
	}
	return c.enter(e, page.key, to)
}

// exit takes a page out of a cluster, and asks for a page that was turned away if there is room
// now.
func (c *change) exit(ctx context.Context, e *clusterEntry, key string, from membership) error {
	e.dirty = true
	if e.row.Count--; e.row.First.GetRowKey() != key {
		e.members[memberRank(from.row(key))] = nil
	} else if err := c.replaceFirst(ctx, e); err != nil {
		return err
	}
	if n := len(e.row.TurnedAway); n > 0 && e.row.Count < c.opts.MaxMembers {
		c.recheck = append(c.recheck, asked{e.row.TurnedAway[n-1], "cluster_has_room"})
		e.row.TurnedAway = e.row.TurnedAway[:n-1]
	}
	return nil
}

// replaceFirst makes the next oldest member the first. A cluster that has none left is buried.
func (c *change) replaceFirst(ctx context.Context, e *clusterEntry) error {
	e.row.First = nil
	if e.row.Count == 0 {
		if e.body != nil {
			c.fold.bury(e, c.ts)
		}
		return nil
	}
	next, err := c.nextMember(ctx, e)
	if err == nil {
		e.row.First, e.members[memberRank(next)] = next, nil
	}
	return err
}

// rename notes which canonical a member names now; nothing else of it changes.
func (c *change) rename(e *clusterEntry, key string, from, to membership) {
	if from == to {
		return
	}
	e.dirty = true
	if e.row.First.RowKey == key {
		e.row.First = to.row(key)
		return
	}
	e.members[memberRank(to.row(key))] = to.row(key)
}

// enter makes a page a member of a cluster. When the second member comes the cluster gets the text,
// which is that of the record at work.
func (c *change) enter(e *clusterEntry, key string, to membership) error {
	e.dirty = true
	e.row.Count++
	switch first := e.row.First; {
	case first == nil:
		e.row.First = to.row(key)
	case memberRank(to.row(key)) < memberRank(first): // it had the text before, and was gone
		e.members[memberRank(first)], e.row.First = first, to.row(key)
	default:
		e.members[memberRank(to.row(key))] = to.row(key)
	}
	if e.body != nil || e.row.Count < 2 {
		return nil
	}
	body, err := pack(bodyPart(c.in.doc))
	e.body, e.newBody = body, true
	return err
}
