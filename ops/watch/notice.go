package watch

import "strings"

// Notice is a message for users, in one line, with advice.
type Notice struct {
	Kind NoticeKind `json:"kind"`
	Text string     `json:"text"`
}

// NoticeKind is the subject of a notice.
type NoticeKind string

// The kinds.
const (
	LogChanged NoticeKind = "log_changed" // cut, damaged, created anew or restored
	LogFull    NoticeKind = "log_full"    // of records that a group has not read
	UniqueFull NoticeKind = "unique_full" // docs.unique has as many documents as allowed
	DiskFull   NoticeKind = "disk_full"   // less space is free than is to be kept
	Offline    NoticeKind = "offline"     // fetch reaches no host
	Paused     NoticeKind = "paused"      // an operator stopped fetches
	BadControl NoticeKind = "bad_control" // records of the topic control that are no decisions
	StoreSync  NoticeKind = "store_sync"  // the store's only copy acknowledges rows before they are on its disk
	TapFails   NoticeKind = "tap_fails"   // a tap of this process cannot write
)

// NoticeKinds lists all kinds.
func NoticeKinds() []NoticeKind {
	return []NoticeKind{LogChanged, LogFull, UniqueFull, DiskFull, Offline, Paused, BadControl, StoreSync, TapFails}
}

// offline adds a notice if fetch reaches no host.
func (r *Report) offline() {
	if r.Requests != nil && r.Requests.OfflineSince != "" {
		r.Notices = append(r.Notices, Notice{Offline, "no host can be reached since " + r.Requests.OfflineSince +
			": nothing is lost, and fetching goes on by itself when the network is back; check the network of this machine"})
	}
}

// foldErrors replaces all errors about a slow broker by one.
func (r *Report) foldErrors() {
	var out []string
	slow := false
	for _, e := range r.Errors {
		if strings.Contains(e, "deadline exceeded") || strings.Contains(e, "brokers answer slowly") {
			slow = true
			continue
		}
		out = append(out, e)
	}
	if slow {
		out = append(out, "Kafka did not answer in time; what is shown may lack parts")
	}
	r.Errors = out
}
