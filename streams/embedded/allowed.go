package embedded

import (
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const apiVersions = int16(kmsg.ApiVersions)

// versions are the least and the highest version of a request that is served.
type versions struct{ least, most int16 }

// allowed lists the requests that readers may send. Produce and InitProducerID are on it so that
// they can be refused with a Kafka error code. The versions of Fetch end before those whose answers
// contain broker addresses.
func allowed() map[kmsg.Key]versions {
	return map[kmsg.Key]versions{
		kmsg.Produce: {3, 9}, kmsg.InitProducerID: {0, 4},
		kmsg.Fetch: {4, 15}, kmsg.ListOffsets: {0, 8}, kmsg.Metadata: {0, 12}, kmsg.OffsetForLeaderEpoch: {3, 4},
		kmsg.OffsetCommit: {0, 9}, kmsg.OffsetFetch: {0, 9}, kmsg.FindCoordinator: {0, 4},
		kmsg.JoinGroup: {0, 9}, kmsg.Heartbeat: {0, 4}, kmsg.LeaveGroup: {0, 5}, kmsg.SyncGroup: {0, 5},
		kmsg.ConsumerGroupHeartbeat: {0, 1}, kmsg.ConsumerGroupDescribe: {0, 1},
		kmsg.DescribeGroups: {0, 5}, kmsg.ListGroups: {0, 5}, kmsg.DeleteGroups: {0, 2}, kmsg.OffsetDelete: {0, 0},
		kmsg.SASLHandshake: {0, 1}, kmsg.SASLAuthenticate: {0, 2}, kmsg.ApiVersions: {0, 3},
		kmsg.DescribeConfigs: {0, 4}, kmsg.DescribeCluster: {0, 1},
	}
}

// served returns allowed in the form of an ApiVersions answer.
func served() []kmsg.ApiVersionsResponseApiKey {
	var out []kmsg.ApiVersionsResponseApiKey
	for key, v := range allowed() {
		k := kmsg.NewApiVersionsResponseApiKey()
		k.ApiKey, k.MinVersion, k.MaxVersion = int16(key), v.least, v.most
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b kmsg.ApiVersionsResponseApiKey) int { return int(a.ApiKey - b.ApiKey) })
	return out
}

// versionError says that a request is not served in this version, or at all.
type versionError struct {
	key, version int16
	corr         int32
}

// Error implements error.
func (e *versionError) Error() string {
	return fmt.Sprintf("request %d of version %d is not for readers", e.key, e.version)
}

// parse decodes a request. A request or version that is not in allowed is a versionError; one that
// is malformed is another error.
func parse(frame []byte) (call, error) {
	in := kbin.Reader{Src: frame}
	key, version, corr := in.Int16(), in.Int16(), in.Int32()
	client := in.NullableString()
	v, ok := allowed()[kmsg.Key(key)]
	if !in.Ok() {
		return call{}, fmt.Errorf("request %d: its head is not whole", key)
	}
	if !ok || version < v.least || version > v.most {
		return call{}, &versionError{key, version, corr}
	}
	req := kmsg.RequestForKey(key)
	req.SetVersion(version)
	if req.IsFlexible() {
		kmsg.SkipTags(&in)
	}
	if err := req.ReadFrom(in.Src); err != nil || !in.Ok() {
		return call{}, fmt.Errorf("request %d of version %d: %w", key, version, err)
	}
	return call{req, corr, client}, nil
}

// bound limits the bytes and the waiting time that a fetch asks for.
func bound(req kmsg.Request, most int32) {
	f, ok := req.(*kmsg.FetchRequest)
	if !ok {
		return
	}
	f.ReplicaID = -1
	f.MaxBytes = min(max(f.MaxBytes, 1), most)
	f.MaxWaitMillis = min(f.MaxWaitMillis, int32(maxWait.Milliseconds()))
	f.MinBytes = min(f.MinBytes, f.MaxBytes)
	f.SessionID, f.SessionEpoch, f.ForgottenTopics = 0, -1, nil // the broker would keep a session's partitions (KIP-227)
	for i := range f.Topics {
		for j := range f.Topics[i].Partitions {
			p := &f.Topics[i].Partitions[j]
			p.PartitionMaxBytes = min(max(p.PartitionMaxBytes, 1), most)
		}
	}
}

// refusal is the answer to a request that appends, or that would change a group of this program;
// nil for all others.
func (d *Door) refusal(req kmsg.Request) kmsg.Response {
	switch req := req.(type) {
	case *kmsg.ProduceRequest:
		return refuseProduce(req)
	case *kmsg.InitProducerIDRequest:
		resp := req.ResponseKind().(*kmsg.InitProducerIDResponse)
		resp.ErrorCode = kerr.ClusterAuthorizationFailed.Code
		return resp
	case *kmsg.DeleteGroupsRequest:
		if !slices.ContainsFunc(req.Groups, d.mayNot) {
			return nil
		}
		resp := req.ResponseKind().(*kmsg.DeleteGroupsResponse)
		for _, g := range req.Groups {
			one := kmsg.NewDeleteGroupsResponseGroup()
			one.Group, one.ErrorCode = g, kerr.GroupAuthorizationFailed.Code
			resp.Groups = append(resp.Groups, one)
		}
		return resp
	case *kmsg.OffsetCommitRequest:
		switch {
		case d.mayNot(req.Group) || !d.guests.mayKeep(req.Group):
			return refuseCommit(req, kerr.GroupAuthorizationFailed.Code)
		case longMetadata(req):
			return refuseCommit(req, kerr.OffsetMetadataTooLarge.Code)
		}
		return nil
	}
	return d.refuseMember(req)
}

func (d *Door) mayNot(group string) bool { return len(group) > maxNameLength || d.o.Own(group) }

// refuseMember returns the refusal of a request of a group's member, if readers may not use the
// group, or if the broker would have to keep more than maxMember bytes for it; else nil.
func (d *Door) refuseMember(req kmsg.Request) kmsg.Response {
	denied := kerr.GroupAuthorizationFailed.Code
	switch req := req.(type) {
	case *kmsg.JoinGroupRequest:
		if resp := req.ResponseKind().(*kmsg.JoinGroupResponse); d.mayNot(req.Group) || !d.guests.mayKeep(req.Group) {
			resp.ErrorCode = denied
			return resp
		} else if large(req) {
			resp.ErrorCode = kerr.InvalidRequest.Code
			return resp
		}
	case *kmsg.SyncGroupRequest:
		if resp := req.ResponseKind().(*kmsg.SyncGroupResponse); d.mayNot(req.Group) {
			resp.ErrorCode = denied
			return resp
		} else if large(req) {
			resp.ErrorCode = kerr.InvalidRequest.Code
			return resp
		}
	case *kmsg.HeartbeatRequest:
		if resp := req.ResponseKind().(*kmsg.HeartbeatResponse); d.mayNot(req.Group) {
			resp.ErrorCode = denied
			return resp
		}
	case *kmsg.LeaveGroupRequest:
		if resp := req.ResponseKind().(*kmsg.LeaveGroupResponse); d.mayNot(req.Group) {
			resp.ErrorCode = denied
			return resp
		}
	case *kmsg.ConsumerGroupHeartbeatRequest:
		if resp := req.ResponseKind().(*kmsg.ConsumerGroupHeartbeatResponse); d.mayNot(req.Group) || !d.guests.mayKeep(req.Group) {
			resp.ErrorCode = denied
			return resp
		} else if large(req) {
			resp.ErrorCode = kerr.InvalidRequest.Code
			return resp
		}
	case *kmsg.OffsetDeleteRequest:
		if resp := req.ResponseKind().(*kmsg.OffsetDeleteResponse); d.mayNot(req.Group) {
			resp.ErrorCode = denied
			return resp
		}
	}
	return nil
}

// large reports whether a request has more than maxMember bytes.
func large(req kmsg.Request) bool { return len(req.AppendTo(nil)) > maxMember }

// longMetadata reports whether a partition's commit has more metadata than the broker keeps.
func longMetadata(req *kmsg.OffsetCommitRequest) bool {
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			if p.Metadata != nil && len(*p.Metadata) > maxMetadata {
				return true
			}
		}
	}
	return false
}

func refuseCommit(req *kmsg.OffsetCommitRequest, code int16) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.OffsetCommitResponse)
	for _, t := range req.Topics {
		one := kmsg.NewOffsetCommitResponseTopic()
		one.Topic = t.Topic
		for _, p := range t.Partitions {
			part := kmsg.NewOffsetCommitResponseTopicPartition()
			part.Partition, part.ErrorCode = p.Partition, code
			one.Partitions = append(one.Partitions, part)
		}
		resp.Topics = append(resp.Topics, one)
	}
	return resp
}

// refuseProduce returns an answer that refuses every partition of an append.
func refuseProduce(req *kmsg.ProduceRequest) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.ProduceResponse)
	for _, t := range req.Topics {
		one := kmsg.NewProduceResponseTopic()
		one.Topic = t.Topic
		for _, p := range t.Partitions {
			part := kmsg.NewProduceResponseTopicPartition()
			part.Partition, part.ErrorCode, part.BaseOffset = p.Partition, kerr.TopicAuthorizationFailed.Code, -1
			one.Partitions = append(one.Partitions, part)
		}
		resp.Topics = append(resp.Topics, one)
	}
	return resp
}
