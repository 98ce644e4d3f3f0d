package state

import (
	"context"
	"errors"

	"millrace/schema"
)

// Wanted is a row to be read.
type Wanted struct {
	Table *schema.Table
	Key   Key
}

// GetAll returns the cells of rows of any tables and partitions, in the order of list; nil where
// there is no row. If the store has a method GetAll, as one behind a network has, it takes few
// requests; else the rows are read one after the other.
func GetAll(ctx context.Context, s Store, list []Wanted) ([]Cells, error) {
	if all, ok := s.(interface {
		GetAll(context.Context, []Wanted) ([]Cells, error)
	}); ok {
		return all.GetAll(ctx, list)
	}
	found := make([]Cells, len(list))
	for i, w := range list {
		cells, err := s.Get(ctx, w.Table, w.Key)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		found[i] = cells
	}
	return found, nil
}
