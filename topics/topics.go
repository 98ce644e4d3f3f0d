package topics

import (
	"fmt"
	"strconv"
	"time"

	"millrace/schema"
)

const (
	day = 24 * time.Hour
	mib = 1 << 20
)

// MaxRecordBytes bounds a record, uncompressed; topics and producers are set to it. The largest
// record is a page, whose body has a lower cap.
const MaxRecordBytes = 12 * mib

// MaxFileBytes bounds a record of files.fetched, uncompressed: a PDF or Office file of 32 MiB with
// its headers.
const MaxFileBytes = 33 * mib

// Discovered carries everything that schedule must learn. It is one topic, so that a host has one
// owner.
func Discovered() Topic[*schema.Discovered] {
	return Topic[*schema.Discovered]{
		Spec: Spec{
			Name: "urls.discovered", Message: "millrace.v1.Discovered",
			Key: "host, reversed", Route: "host", Count: PerHost,
			Retention: 7 * day, Embedded: 768 * mib, Bound: Bound{Within: 5 * time.Second, Floor: 500, Records: 50_000, Bytes: 64 * mib},
			About: "links, added URLs, outcomes, digests, rechecks: all that schedule must learn of a host",
		},
		New: func() *schema.Discovered { return new(schema.Discovered) },
		Place: func(m *schema.Discovered) Place {
			return Place{Key: m.Host, Route: m.Host, ID: discoveredID(m), Urgent: bringsNews(m.GetAdd())}
		},
	}
}

// discoveredID is the id of the attempt that a message is about; messages of one attempt have the
// same id, and so the same trace.
func discoveredID(m *schema.Discovered) string {
	switch b := m.Body.(type) {
	case *schema.Discovered_Links:
		return id(b.Links.SourceRowKey, b.Links.SourceRev)
	case *schema.Discovered_Outcome:
		return id(b.Outcome.RowKey, b.Outcome.Rev)
	case *schema.Discovered_Digest:
		return id(b.Digest.RowKey, b.Digest.Rev)
	}
	return id(m.Host, m.DiscoveredAt)
}

// Scheduled carries the URLs to fetch now.
func Scheduled() Topic[*schema.Scheduled] {
	return Topic[*schema.Scheduled]{
		Spec: Spec{
			Name: "urls.scheduled", Message: "millrace.v1.Scheduled",
			Key: "politeness key", Route: "politeness key", Count: PerHost,
			Retention: day, Embedded: 256 * mib, Bound: Bound{Within: 2 * time.Second, Floor: 1_000, Records: 16_000},
			About: "URLs whose turn has come, at most 5 s before they may start",
		},
		New: func() *schema.Scheduled { return new(schema.Scheduled) },
		Place: func(m *schema.Scheduled) Place {
			return Place{Key: m.PoliteKey, Route: m.PoliteKey, ID: id(m.RowKey, m.Rev)}
		},
	}
}

// Pages carries fetched pages.
func Pages() Topic[*schema.Page] {
	return pages("pages.fetched", 3*day, 2048*mib, Bound{Within: 2 * time.Second, Floor: 64, Records: 20_000, Bytes: 64 * mib},
		"pages as received, for extraction and replay")
}

// Feeds carries bodies of feeds and sitemaps, so that news never waits behind an
// extract backlog.
func Feeds() Topic[*schema.Page] {
	return pages("feeds.fetched", day, 256*mib, Bound{Within: 2 * time.Second, Floor: 32, Records: 5_000, Bytes: 32 * mib},
		"feeds and sitemaps as received")
}

// Files carries bodies of PDF and Office files, which may be large and take seconds to read, so
// that pages never wait for them.
func Files() Topic[*schema.Page] {
	return pages("files.fetched", 3*day, 768*mib, Bound{Within: 60 * time.Second, Floor: 16, Records: 5_000, Bytes: 96 * mib},
		"PDF, Office and EPUB files as received, for extraction and replay")
}

func pages(name string, keep time.Duration, embedded int64, bound Bound, about string) Topic[*schema.Page] {
	return Topic[*schema.Page]{
		Spec: Spec{
			Name: name, Message: "millrace.v1.Page",
			Key: "host, reversed", Route: "host", Count: PerHost,
			Retention: keep, Embedded: embedded, Bound: bound, About: about,
		},
		New: func() *schema.Page { return new(schema.Page) },
		Place: func(m *schema.Page) Place {
			host := string(schema.RowKey(m.RowKey).Host())
			return Place{Key: host, Route: host, ID: id(m.RowKey, m.Rev), Urgent: m.ListedAt > 0}
		},
	}
}

// Extracted carries exactly one Doc or Gone for every page, and a Gone for URLs that ended without
// a page.
func Extracted() Topic[*schema.Extracted] {
	return Topic[*schema.Extracted]{
		Spec: Spec{
			Name: "docs.extracted", Message: "millrace.v1.Extracted",
			Key: "row key", Route: "site", Count: PerSite,
			Retention: 7 * day, Embedded: 1024 * mib, Bound: Bound{Within: 2 * time.Second, Floor: 256, Records: 20_000, Bytes: 64 * mib},
			About: "the document of every page, or why there is none",
		},
		New: func() *schema.Extracted { return new(schema.Extracted) },
		Place: func(m *schema.Extracted) Place {
			if d := m.GetDoc(); d != nil {
				return Place{Key: d.RowKey, Route: d.Site, ID: id(d.RowKey, d.Rev)}
			}
			g := m.GetGone()
			return Place{Key: g.GetRowKey(), Route: g.GetSite(), ID: id(g.GetRowKey(), g.GetRev())}
		},
	}
}

// Unique carries the published documents: a table (per key the last record counts, no value means
// deleted). Its only writer, dedupe, writes partition p from partition p of docs.extracted.
func Unique() Topic[*schema.Unique] {
	return Topic[*schema.Unique]{
		Spec: Spec{
			Name: "docs.unique", Message: "millrace.v1.Unique",
			Key: "row key of the page that stands for the document", Route: "", Count: PerSite,
			Embedded: 5120 * mib, Committed: true,
			About: "one document per text and site; compacted; read with read_committed",
		},
		New: func() *schema.Unique { return new(schema.Unique) },
		Place: func(m *schema.Unique) Place {
			d := m.GetDoc()
			return Place{Key: d.GetRowKey(), ID: id(d.GetRowKey(), d.GetRev()), Urgent: d.GetListedAt() > 0}
		},
	}
}

// Control carries operators' decisions: rules, pauses, removals. Every process reads all of it. A
// record is deleted only after a later one of its key.
func Control() Topic[*schema.Control] {
	return Topic[*schema.Control]{
		Spec: Spec{
			Name: "control", Message: "millrace.v1.Control", Key: "id of the decision", Count: One,
			Embedded: 256 * mib,
			About:    "what operators decide: rules, pauses, what was removed; compacted; every process reads all of it",
		},
		New:   func() *schema.Control { return new(schema.Control) },
		Place: func(m *schema.Control) Place { return Place{Key: m.Id, Route: m.Id, ID: m.Id} },
	}
}

// DeadLetters describes the topic of dead letters: original key and value, and headers with the
// reason.
func DeadLetters() Spec {
	return Spec{
		Name: "dead.letters", Message: "bytes", Key: "as in the original topic", Count: One,
		Retention: 30 * day, Embedded: 128 * mib,
		About: "records that could not be handled, with the reason in their headers",
	}
}

// MaxBytes bounds a record of the topic, uncompressed. A dead letter must hold a record of any
// other topic, and the reason.
func (s Spec) MaxBytes() int {
	switch s.Name {
	case DeadLetters().Name:
		return MaxFileBytes + 64<<10
	case "files.fetched":
		return MaxFileBytes
	}
	return MaxRecordBytes
}

// typed is a topic whose records are messages.
type typed struct {
	Spec
	decode func([]byte) (Message, error)
}

func of[M Message](t Topic[M]) typed {
	return typed{t.Spec, func(value []byte) (Message, error) {
		m := t.New()
		return m, m.UnmarshalVT(value)
	}}
}

// list has all topics but dead.letters, in the order of the pipeline.
func list() []typed {
	return []typed{
		of(Discovered()), of(Scheduled()), of(Pages()), of(Feeds()), of(Files()), of(Extracted()), of(Unique()),
		of(Found()), of(Links()), of(Graph()), of(Ranks()), of(NearFound()), of(Near()), of(Control()),
	}
}

// All lists the specs of all topics, in the order of the pipeline.
func All() []Spec {
	var all []Spec
	for _, t := range list() {
		all = append(all, t.Spec)
	}
	return append(all, DeadLetters())
}

// Decode returns the message in a record's value, by topic.
func Decode(topic string, value []byte) (Message, error) {
	for _, t := range list() {
		if t.Name == topic {
			return t.decode(value)
		}
	}
	return nil, fmt.Errorf("topic %s holds no messages", topic)
}

func id(rowKey string, rev int64) string {
	b := make([]byte, 0, len(rowKey)+16)
	b = append(append(b, rowKey...), '@')
	return string(strconv.AppendInt(b, rev, 10))
}
