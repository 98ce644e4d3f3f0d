package topics

import (
	"time"

	"millrace/schema"
)

// Ahead is what a group handles first of what somebody waits for (Place.Urgent).
type Ahead uint8

const (
	// InTurn: nothing. All partitions have the same share of a round.
	InTurn Ahead = iota
	// Partitions: a partition with an urgent record comes before others. Within a partition the
	// order stays.
	Partitions
	// Records: an urgent record comes before others of its partition, whose order is any.
	Records
)

// bringsNews reports whether an Add is of a feed or a push: people wait for what it brings.
func bringsNews(m *schema.Add) bool {
	switch m.GetProducer() {
	case "feeds", "websub", "indexnow":
		return true
	}
	return false
}

// EaseBound is how much the group that Group.Eases names may have unread.
func EaseBound() Bound {
	return Bound{Within: time.Second, Floor: 64, Records: 20_000, Bytes: 64 * mib}
}
