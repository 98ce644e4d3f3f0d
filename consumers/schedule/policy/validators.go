package policy

import "millrace/schema"

// Bounds of what is learnt of a host's validators.
const (
	checkEvery  = 16  // one request in so many is without validators
	liesFrom    = 3   // changes behind the same validators, from which none are sent,
	liesShare   = 10  // if at least one change in so many was of that kind
	proofMemory = 200 // changes after which the counts are halved, so that a repair is noticed
)

// TrustValidators reports whether ETag and Last-Modified may be sent with the request rev. For a
// page they may only if the document was made from the answer that had them: otherwise a 304 would
// leave the page without a document for ever. They may not once a page is over (see over): a 304
// would leave its document. Feeds make no documents. Some requests are sent
// without them all the same, because a server that says "unchanged" of everything would hide each
// change; and all requests to a host whose validators stayed while texts changed.
func TrustValidators(row *schema.UrlRow, host *schema.HostRow, key schema.RowKey, rev, now int64) bool {
	switch {
	case over(row, now):
		return false
	case !FeedLike(row.Kind) && (row.EtagRev == 0 || row.EtagRev != row.DocRev):
		return false
	case host.ValidatorsFalse >= liesFrom && host.ValidatorsFalse*liesShare >= host.ValidatorsTrue:
		return false
	}
	return (int64(schema.Murmur2([]byte(key)))^rev*0x9e3779b1)>>8%checkEvery != 0
}

// noteValidators takes over the validators of an answer with a body.
func noteValidators(row *schema.UrlRow, m *schema.Outcome) {
	row.SameValidators = 0
	switch {
	case row.EtagRev == 0 || row.Etag == "" && row.LastModified == "" || m.Etag == "" && m.LastModified == "":
	case sameVersion(row, m):
		row.SameValidators = m.Rev
	default:
		row.SameValidators = -m.Rev
	}
	row.Etag, row.LastModified, row.EtagRev = m.Etag, m.LastModified, m.Rev
}

// sameVersion reports whether an answer claims to be the version that the row has (RFC 9110,
// 13.1.3: where there is an ETag, Last-Modified does not count).
func sameVersion(row *schema.UrlRow, m *schema.Outcome) bool {
	if row.Etag != "" || m.Etag != "" {
		return row.Etag == m.Etag
	}
	return row.LastModified == m.LastModified
}

// confirm counts whether the validators of the body rev told of its change.
func confirm(row *schema.UrlRow, host *schema.HostRow, rev int64, changed bool) {
	switch {
	case !changed:
		return
	case row.SameValidators == rev:
		host.ValidatorsFalse++
	case row.SameValidators == -rev:
		host.ValidatorsTrue++
	default:
		return
	}
	row.SameValidators = 0
	if host.ValidatorsTrue+host.ValidatorsFalse > proofMemory {
		host.ValidatorsTrue, host.ValidatorsFalse = host.ValidatorsTrue/2, host.ValidatorsFalse/2
	}
}
