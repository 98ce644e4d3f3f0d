package scylla

import (
	"slices"
	"strings"

	"github.com/scylladb/gocqlx/v2/qb"

	"millrace/schema"
	"millrace/streams/state"
)

// The statements of a table. Their texts depend only on the table and on the number of clustering
// values that a slice begins with, so the driver prepares few of them.

// insert returns a statement with the parameters key, cells, timestamp.
func insert(t *schema.Table) string {
	stmt, _ := qb.Insert(t.Name).Columns(names(columns(t))...).TimestampNamed("ts").ToCql()
	return stmt
}

// remove returns a statement with the parameters timestamp and n key values: it deletes a row, or
// with fewer values a partition.
func remove(t *schema.Table, n int) string {
	stmt, _ := qb.Delete(t.Name).Where(equal(columns(t)[:n])...).TimestampNamed("ts").ToCql()
	return stmt
}

// selectCells returns a statement with the whole key as parameters.
func selectCells(t *schema.Table) string {
	read := names(t.Cells)
	if len(read) == 0 {
		read = names(t.Partition)
	}
	stmt, _ := qb.Select(t.Name).Columns(read...).Where(equal(key(t))...).ToCql()
	return stmt
}

// selectAll returns a statement for rows of a table without clustering columns, with the parameters
// partition without its last value, and a list of last values. An answer begins with the last
// value.
func selectAll(t *schema.Table) string {
	last := len(t.Partition) - 1
	stmt, _ := qb.Select(t.Name).Columns(append(names(t.Partition[last:]), names(t.Cells)...)...).
		Where(append(equal(t.Partition[:last]), qb.In(t.Partition[last].Name))...).ToCql()
	return stmt
}

// selectMany returns a statement with the parameters key without its last value, and a list of last
// values.
func selectMany(t *schema.Table) string {
	k := key(t)
	last := len(k) - 1
	stmt, _ := qb.Select(t.Name).Columns(readColumns(t)...).
		Where(append(equal(k[:last]), qb.In(k[last].Name))...).ToCql()
	return stmt
}

// selectSlice returns a statement with the parameters partition, as many clustering values as from
// says, and limit.
func selectSlice(t *schema.Table, from int) string {
	where := equal(t.Partition)
	switch from {
	case 0:
	case 1:
		where = append(where, qb.GtOrEq(t.Clustering[0].Name))
	default:
		where = append(where, qb.GtOrEqTuple("("+strings.Join(names(t.Clustering[:from]), ",")+")", from))
	}
	stmt, _ := qb.Select(t.Name).Columns(readColumns(t)...).Where(where...).LimitNamed("limit").ToCql()
	return stmt
}

// selectSlices returns a statement for the first rows of several partitions, with the parameters
// partition without its last value, a list of last values, and limit. An answer begins with the
// last
// value.
func selectSlices(t *schema.Table) string {
	last := len(t.Partition) - 1
	stmt, _ := qb.Select(t.Name).Columns(append(names(t.Partition[last:]), readColumns(t)...)...).
		Where(append(equal(t.Partition[:last]), qb.In(t.Partition[last].Name))...).LimitPerPartitionNamed("limit").ToCql()
	return stmt
}

// readColumns lists the columns that a scanner scans: clustering values, cells, and the cells'
// timestamps.
func readColumns(t *schema.Table) []string {
	list := names(slices.Concat(t.Clustering, t.Cells))
	for _, c := range t.Cells {
		list = append(list, "WRITETIME("+c.Name+")")
	}
	return list
}

func equal(columns []schema.Column) []qb.Cmp {
	list := make([]qb.Cmp, len(columns))
	for i, c := range columns {
		list[i] = qb.Eq(c.Name)
	}
	return list
}

func key(t *schema.Table) []schema.Column { return slices.Concat(t.Partition, t.Clustering) }
func columns(t *schema.Table) []schema.Column {
	return slices.Concat(t.Partition, t.Clustering, t.Cells)
}

func names(columns []schema.Column) []string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.Name
	}
	return list
}

// arguments binds values to columns.
func arguments(columns []schema.Column, values []state.Value) []any {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = argument(columns[i].Type, v)
	}
	return list
}
