package dedupe

import (
	"fmt"
	"strings"

	"millrace/schema"
)

// Rows of cluster_member are ordered by rank:
//
//	"0" + order   a member that a member names as canonical, be it itself
//	"1" + order   any other member
//	"9" + target + NUL + member   a member names target as canonical
const (
	rankNamed  = "0"
	rankPlain  = "1"
	rankNaming = "9"
)

// order is the total order of pages: https first, then the shorter URL, then
// byte order. It is a function of the row key alone.
func order(key string) string {
	plain := 1
	if strings.HasPrefix(schema.RowKey(key).Path(), ":https") {
		plain = 0
	}
	return fmt.Sprintf("%d%05d%s", plain, len(schema.RowKey(key).URL()), key)
}

// naming is the rank of the row that says: member names target.
func naming(target, member string) string { return rankNaming + target + "\x00" + member }
