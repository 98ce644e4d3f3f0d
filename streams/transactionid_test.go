package streams

import (
	"testing"
	"testing/synctest"

	"millrace/topics"
)

// TestMembersThatStartTogetherHaveTransactionsOfTheirOwn: members in two processes that start at
// the same moment must not abort each other's transactions, as those with one transactional ID do.
func TestMembersThatStartTogetherHaveTransactionsOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := topics.Group{Name: "dedupe"}
		if a, b := transactionalID(Config{}, g), transactionalID(Config{}, g); a == b {
			t.Errorf("two members have the transactional ID %s", a)
		}
	})
}
