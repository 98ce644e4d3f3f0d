package scylla

import (
	"testing"

	"millrace/streams/state/statetest"
)

// Every statement of this package counts for its table, and as what it is.
func TestARequestCountsForItsTable(t *testing.T) {
	for _, table := range statetest.Tables() {
		for stmt, write := range map[string]bool{
			insert(table): true, remove(table, len(table.Partition)): true, selectCells(table): false, selectMany(table): false,
			selectSlice(table, 0): false, selectSlice(table, len(table.Clustering)): false,
		} {
			if got := described(stmt); got != (Request{Table: table.Name, Write: write}) {
				t.Errorf("%s: %+v", stmt, got)
			}
		}
	}
}
