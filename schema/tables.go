package schema

// ColumnType is the type of a column.
type ColumnType uint8

// The column types in use, with their names in CQL.
const (
	Text     ColumnType = iota // text
	Blob                       // blob
	TinyInt                    // tinyint
	SmallInt                   // smallint
	Int                        // int
	BigInt                     // bigint
)

// Column is one column of a table.
type Column struct {
	Name string
	Type ColumnType
}

// Table describes a table. Key columns order rows bytewise (text, blob) or by
// value (integers, ascending).
type Table struct {
	Name       string
	Partition  []Column
	Clustering []Column
	Cells      []Column
	Rewritten  bool   // rows are written again and again: levelled compaction
	Dropped    bool   // whole partitions are dropped; Drop is refused elsewhere
	Owner      string // the one group that writes it
	Comment    string
}

// Tables lists every table. One group writes each (DESIGN: one table, one
// writing group); everybody may read.
//
// Host columns hold a Host (reversed, `com.example.www`), path columns a row
// key's path (`:https/about?x=1`); host and path together are a RowKey. `st` is
// the row's mutable state, one Protobuf message of state_*.proto whose name is
// in the comment.
func Tables() []*Table {
	return []*Table{
		Meta, Member,
		HostTable, ShardTable, SiteHost, URLTable, Todo, Later, Pattern,
		Polite,
		DocTable, Cluster, ClusterMember, Alias, Fold,
		LinkPage, LinkTarget, LinkSite, NearPage, NearBand,
		Subscription,
	}
}

// The tables. They are values to be passed on and never change.
var (
	Meta = &Table{Name: "meta", Owner: "provision", Rewritten: true,
		Partition: text("name"), Cells: st(),
		Comment: "MetaRow: era, partition counts, versions of canonicaliser, Public Suffix List and layout"}
	Member = &Table{Name: "member", Owner: "each process its own rows", Rewritten: true,
		Partition: text("kind"), Clustering: text("id"), Cells: st(),
		Comment: "MemberRow: processes and index shards; stale by seen_at"}

	HostTable = &Table{Name: "host", Owner: "schedule", Rewritten: true,
		Partition: cols("shard", SmallInt), Clustering: text("host"), Cells: st(),
		Comment: "HostRow: site, queues, counts, back-off"}
	ShardTable = &Table{Name: "shard", Owner: "schedule", Rewritten: true,
		Partition: cols("shard", SmallInt), Cells: st(),
		Comment: "ShardRow: cursor of the time wheel; from 4096 on CountsRow of a partition"}
	SiteHost = &Table{Name: "site_host", Owner: "schedule",
		Partition: text("site"), Clustering: text("host"),
		Comment: "the hosts of a site"}
	URLTable = &Table{Name: "url", Owner: "schedule", Rewritten: true,
		Partition:  []Column{{"host", Text}, {"tier", TinyInt}, {"bucket", Int}},
		Clustering: text("path"), Cells: st(),
		Comment: "UrlRow: what is known of a URL; tier k has 16^k buckets"}
	Todo = &Table{Name: "todo", Owner: "schedule", Dropped: true,
		Partition:  []Column{{"host", Text}, {"class", TinyInt}, {"chunk", BigInt}},
		Clustering: cols("seq", BigInt), Cells: text("path"),
		Comment: "a host's queue by class, append-only; chunk = seq / 1024"}
	Later = &Table{Name: "later", Owner: "schedule", Dropped: true,
		Partition:  []Column{{"shard", SmallInt}, {"day", Int}},
		Clustering: []Column{{"slot", Int}, {"host", Text}, {"path", Text}},
		Cells:      []Column{{"class", TinyInt}, {"rev", BigInt}},
		Comment:    "time wheel: URLs due in the future; slot = unix seconds / 600"}
	Pattern = &Table{Name: "pattern", Owner: "schedule", Rewritten: true,
		Partition: text("host"), Cells: st(),
		Comment: "PatternsRow: what the host's URLs brought, by shape"}

	Polite = &Table{Name: "polite", Owner: "fetch", Rewritten: true,
		Partition: text("key"), Cells: st(),
		Comment: "PoliteRow by politeness key: back-off, crawl-delay, robots"}

	DocTable = &Table{Name: "doc", Owner: "dedupe", Rewritten: true,
		Partition: text("id"), Cells: st(),
		Comment: "DocRow: version and status of a page that had a document"}
	Cluster = &Table{Name: "cluster", Owner: "dedupe", Rewritten: true,
		Partition: []Column{{"site", Text}, {"hash", Blob}},
		Cells:     []Column{{"st", Blob}, {"body", Blob}},
		Comment:   "ClusterRow and, from the second member on, the compressed text"}
	ClusterMember = &Table{Name: "cluster_member", Owner: "dedupe",
		Partition: []Column{{"site", Text}, {"hash", Blob}}, Clustering: text("rank"), Cells: st(),
		Comment: "one row a member; the first one stands for the cluster"}
	Alias = &Table{Name: "alias", Owner: "dedupe", Rewritten: true,
		Partition: text("target"), Cells: st(),
		Comment: "AliasRow: pages whose canonical names target"}
	Fold = &Table{Name: "fold", Owner: "dedupe", Rewritten: true,
		Partition: cols("partition", SmallInt), Clustering: text("kind"), Cells: st(),
		Comment: "of a partition: FoldRow, kind fold or proof: the digest of docs.unique; JournalEntry, kind entry/slot"}

	LinkPage = &Table{Name: "link_page", Owner: "links", Rewritten: true,
		Partition: cols("shard", SmallInt), Clustering: cols("id", BigInt), Cells: st(),
		Comment: "PageLinksRow: what a page links to; id = XXH64 of its row key, shard = id mod 4096"}
	LinkTarget = &Table{Name: "link_target", Owner: "links", Rewritten: true,
		Partition: cols("id", BigInt), Cells: st(),
		Comment: "TargetRow: who links to a page; id = XXH64 of its row key"}
	LinkSite = &Table{Name: "link_site", Owner: "links", Rewritten: true,
		Partition: []Column{{"site", Text}, {"id", BigInt}}, Cells: st(),
		Comment: "SiteRow: what a site says of a page of another site; id 0 = of itself"}
	NearPage = &Table{Name: "near_page", Owner: "near", Rewritten: true,
		Partition: cols("id", BigInt), Cells: st(),
		Comment: "NearPageRow: a document and its near-duplicates; id = XXH64 of its row key"}
	NearBand = &Table{Name: "near_band", Owner: "near", Rewritten: true,
		Partition: cols("band", BigInt), Cells: st(),
		Comment: "NearBandRow: documents whose sketches have a band in common"}
	Subscription = &Table{Name: "subscription", Owner: "websub", Rewritten: true,
		Partition: cols("shard", SmallInt), Clustering: text("id"), Cells: st(),
		Comment: "SubscriptionRow: feeds that hubs push; one without an id has ended"}
)

func text(name string) []Column               { return cols(name, Text) }
func st() []Column                            { return cols("st", Blob) }
func cols(name string, t ColumnType) []Column { return []Column{{name, t}} }
