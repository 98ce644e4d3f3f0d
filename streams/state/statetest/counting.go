package statetest

import (
	"context"

	"millrace/schema"
	"millrace/streams/state"
)

// Counting counts the reads of a store, as requests to one behind a network: GetAll is one request.
type Counting struct {
	state.Store
	Gets, Alls int
}

// Get implements state.Store.
func (c *Counting) Get(ctx context.Context, t *schema.Table, key state.Key) (state.Cells, error) {
	c.Gets++
	return c.Store.Get(ctx, t, key)
}

// GetAll implements what state.GetAll looks for.
func (c *Counting) GetAll(ctx context.Context, list []state.Wanted) ([]state.Cells, error) {
	c.Alls++
	return state.GetAll(ctx, c.Store, list)
}
