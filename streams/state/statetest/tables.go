package statetest

import "millrace/schema"

// Tables returns the tables that the suite writes, the tests' own and real ones.
// A store that needs provisioning creates them before Run.
func Tables() []*schema.Table {
	return append(schema.Tables(), wide(), ints(), chunks(), bare())
}

// wide has every kind of clustering value and of cell.
func wide() *schema.Table {
	return &schema.Table{Name: "test_wide", Rewritten: true, Comment: "tests",
		Partition:  []schema.Column{{Name: "p", Type: schema.Text}, {Name: "q", Type: schema.Blob}},
		Clustering: []schema.Column{{Name: "txt", Type: schema.Text}, {Name: "bin", Type: schema.Blob}},
		Cells: []schema.Column{{Name: "a", Type: schema.Text}, {Name: "b", Type: schema.Blob},
			{Name: "c", Type: schema.SmallInt}}}
}

// ints has integers of every width.
func ints() *schema.Table {
	return &schema.Table{Name: "test_ints", Comment: "tests",
		Partition:  []schema.Column{{Name: "p", Type: schema.Text}, {Name: "tiny", Type: schema.TinyInt}},
		Clustering: []schema.Column{{Name: "small", Type: schema.SmallInt}, {Name: "big", Type: schema.BigInt}},
		Cells: []schema.Column{{Name: "v1", Type: schema.TinyInt}, {Name: "v2", Type: schema.SmallInt},
			{Name: "v4", Type: schema.Int}, {Name: "v8", Type: schema.BigInt}}}
}

// chunks has partitions that may be dropped.
func chunks() *schema.Table {
	return &schema.Table{Name: "test_chunks", Dropped: true, Comment: "tests",
		Partition:  []schema.Column{{Name: "p", Type: schema.Text}},
		Clustering: []schema.Column{{Name: "seq", Type: schema.Int}},
		Cells:      []schema.Column{{Name: "a", Type: schema.Text}, {Name: "b", Type: schema.Int}}}
}

// bare has no cells: a row is its key.
func bare() *schema.Table {
	return &schema.Table{Name: "test_bare", Comment: "tests",
		Partition:  []schema.Column{{Name: "p", Type: schema.Text}},
		Clustering: []schema.Column{{Name: "k", Type: schema.Text}}}
}
