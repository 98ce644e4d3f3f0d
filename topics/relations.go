package topics

import "millrace/schema"

// The topics in this file say what pages are to each other: links, ranks, near-duplicates. Nobody
// needs them to follow a URL to its search result.

// Found carries links: all links of one page, and, for pages of other sites, the links of all pages
// of a site together.
func Found() Topic[*schema.Found] {
	return Topic[*schema.Found]{
		Spec: Spec{
			Name: "links.found", Message: "millrace.v1.Found",
			Key: "row key of the page; or site and row key", Route: "site", Count: PerSite,
			Retention: 3 * day, Embedded: 512 * mib,
			About: "links of each page, and of each site to a page of another one",
		},
		New: func() *schema.Found { return new(schema.Found) },
		Place: func(m *schema.Found) Place {
			if s := m.GetSite(); s != nil {
				return Place{Key: s.Site + " " + s.RowKey, Route: s.TargetSite, ID: s.RowKey}
			}
			p := m.GetPage()
			return Place{Key: p.GetRowKey(), Route: p.GetSite(), ID: id(p.GetRowKey(), p.GetRev())}
		},
	}
}

// Links carries in-links: a table by the page that is linked to; no value means that nobody links
// to it any more.
func Links() Topic[*schema.InLinks] {
	return Topic[*schema.InLinks]{
		Spec: Spec{
			Name: "links", Message: "millrace.v1.InLinks",
			Key: "row key of the page that is linked to", Route: "site", Count: PerSite,
			Embedded: 256 * mib,
			About:    "who links to a page, with the texts of the links; compacted",
		},
		New: func() *schema.InLinks { return new(schema.InLinks) },
		Place: func(m *schema.InLinks) Place {
			return Place{Key: m.RowKey, Route: m.Site, ID: id(m.RowKey, m.Stamp)}
		},
	}
}

// Graph carries every page's out-links, without texts, for the one process that computes ranks.
func Graph() Topic[*schema.OutLinks] {
	return Topic[*schema.OutLinks]{
		Spec: Spec{
			Name: "graph", Message: "millrace.v1.OutLinks",
			Key: "row key of the page that links", Route: "", Count: One,
			Retention: day, Embedded: 128 * mib,
			About: "which pages a page links to, when that changes",
		},
		New: func() *schema.OutLinks { return new(schema.OutLinks) },
		Place: func(m *schema.OutLinks) Place {
			return Place{Key: m.RowKey, ID: id(m.RowKey, m.Rev)}
		},
	}
}

// Ranks carries PageRank of pages and hosts: a table by page or host.
func Ranks() Topic[*schema.Rank] {
	return Topic[*schema.Rank]{
		Spec: Spec{
			Name: "ranks", Message: "millrace.v1.Rank",
			Key: "row key, or host", Route: "site", Count: PerSite,
			Embedded: 128 * mib,
			About:    "PageRank of pages and hosts; compacted",
		},
		New: func() *schema.Rank { return new(schema.Rank) },
		Place: func(m *schema.Rank) Place {
			key := m.RowKey
			if key == "" {
				key = m.Host
			}
			return Place{Key: key, Route: m.Site, ID: id(key, m.At)}
		},
	}
}

// NearFound carries what the group near has to learn: sketches of documents, and what its
// partitions tell each other.
func NearFound() Topic[*schema.Near] {
	return Topic[*schema.Near]{
		Spec: Spec{
			Name: "near.found", Message: "millrace.v1.Near",
			Key: "row key", Route: "", Count: PerSite,
			Retention: 3 * day, Embedded: 256 * mib, Committed: true,
			About: "sketches of documents, by site; the bands that they join, by band; what is near them, by site",
		},
		New: func() *schema.Near { return new(schema.Near) },
		Place: func(m *schema.Near) Place {
			switch b := m.GetBody().(type) {
			case *schema.Near_Page:
				return Place{Key: b.Page.GetRowKey(), Route: b.Page.GetSite(), ID: id(b.Page.GetRowKey(), b.Page.GetRev())}
			case *schema.Near_Bands: // the sender sets the partition
				return Place{Key: b.Bands.GetRowKey(), ID: id(b.Bands.GetRowKey(), b.Bands.GetVersion())}
			}
			match := m.GetMatch()
			return Place{Key: match.GetRowKey(), Route: match.GetSite(), ID: id(match.GetRowKey(), match.GetVersion())}
		},
	}
}

// Near carries near-duplicates: a table by document; no value means that it has none any more.
func Near() Topic[*schema.NearPages] {
	return Topic[*schema.NearPages]{
		Spec: Spec{
			Name: "near", Message: "millrace.v1.NearPages",
			Key: "row key of the document", Route: "site", Count: PerSite,
			Embedded: 256 * mib,
			About:    "the documents of docs.unique with nearly the same text, on any site; compacted",
		},
		New: func() *schema.NearPages { return new(schema.NearPages) },
		Place: func(m *schema.NearPages) Place {
			return Place{Key: m.RowKey, Route: m.Site, ID: id(m.RowKey, m.At)}
		},
	}
}
