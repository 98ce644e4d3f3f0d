package topics

import (
	"fmt"
	"slices"
)

// Right is a permission that a process needs on a Kafka with an authorizer: an operation on a
// resource.
type Right struct {
	Resource  Resource
	Name      string
	Prefixed  bool // Name is a prefix of resource names
	Operation Operation
}

// Resource is a kind of Kafka resource, as Kafka's tools name it.
type Resource string

// The resources that are used.
const (
	TopicResource       Resource = "topic"
	GroupResource       Resource = "group"
	TransactionResource Resource = "transactional-id"
)

// Operation is an operation on a resource, as Kafka's tools name it. Read and Write each include
// Describe.
type Operation string

// The operations that are used.
const (
	Read            Operation = "Read"
	Write           Operation = "Write"
	Describe        Operation = "Describe"
	Create          Operation = "Create"
	DescribeConfigs Operation = "DescribeConfigs"
	AlterConfigs    Operation = "AlterConfigs"
)

// String returns the right as text: "Write on topic docs.unique".
func (r Right) String() string {
	if r.Prefixed {
		return fmt.Sprintf("%s on %ss that begin with %s", r.Operation, r.Resource, r.Name)
	}
	return fmt.Sprintf("%s on %s %s", r.Operation, r.Resource, r.Name)
}

// Roles beside the groups.
const (
	RoleLook      = "look"      // serve, search, status, lag, why, topics cat: every process does this
	RoleSeeds     = "seeds"     // produce seeds, recheck, --websub, --indexnow
	RoleControl   = "operators" // rules, pause, forget: append to control
	RoleReplay    = "replay"    // replay extract
	RoleTap       = "tap"       // consume parquet, warc, links, jsonl, opensearch; run --tap
	RoleJSON      = "tap-json"  // consume json
	RolePutBack   = "put-back"  // dead-letters put-back
	RoleProvision = "provision" // makes the topics
)

// PutBackGroup is the group whose commits say which dead letters were put back.
const PutBackGroup = "dead-letters"

// ReplayPrefix is the prefix of the groups whose commits say how far a replay is.
const ReplayPrefix = "millrace-replay-extract-"

// TapPrefix is the prefix of the names of the taps' groups.
const TapPrefix = "tap-"

// JSONTopic is the topic that consume json writes unless it is told another.
const JSONTopic = "docs.json"

// TransactionPrefix returns the prefix of a group's transactional ids.
func TransactionPrefix(group string) string { return "millrace-" + group + "-" }

// Roles lists all roles that rights are granted to: the groups, then the other roles.
func Roles() []string {
	return append(GroupNames(), RoleLook, RoleSeeds, RoleControl, RoleReplay, RoleTap, RoleJSON, RolePutBack, RoleProvision)
}

// RightsOf lists the rights that a role needs, with those of RoleLook: every process shows the
// groups' lag in records, and the age of the first record that they have not done.
func RightsOf(role string) ([]Right, error) {
	out := lookRights()
	switch role {
	case RoleLook:
	case RoleSeeds:
		out = append(out, topicRight(Discovered().Name, Write))
	case RoleControl:
		out = append(out, topicRight(Control().Name, Write), topicRight(Discovered().Name, Write))
	case RoleReplay:
		out = append(out, topicRight(Extracted().Name, Write), Right{Resource: GroupResource, Name: ReplayPrefix, Prefixed: true, Operation: Read})
	case RoleTap: // a record that it cannot decode becomes a dead letter
		out = append(out, topicRight(DeadLetters().Name, Write), Right{Resource: GroupResource, Name: TapPrefix, Prefixed: true, Operation: Read})
	case RoleJSON: // AlterConfigs includes DescribeConfigs; with Read it is told which other right is missing
		for _, op := range []Operation{Read, Write, Create, AlterConfigs} {
			out = append(out, topicRight(JSONTopic, op))
		}
		out = append(out, topicRight(DeadLetters().Name, Write), Right{Resource: GroupResource, Name: TapPrefix, Prefixed: true, Operation: Read},
			Right{Resource: TransactionResource, Name: TransactionPrefix(TapPrefix + "json-" + JSONTopic), Prefixed: true, Operation: Write})
	case RolePutBack:
		for _, s := range All() {
			out = append(out, topicRight(s.Name, Write))
		}
		out = append(out, Right{Resource: GroupResource, Name: PutBackGroup, Operation: Read})
	case RoleProvision:
		for _, s := range All() {
			for _, op := range []Operation{Create, AlterConfigs} { // AlterConfigs includes DescribeConfigs
				out = append(out, topicRight(s.Name, op))
			}
		}
	default:
		g, err := GroupNamed(role)
		if err != nil {
			return nil, fmt.Errorf("no role %q (roles: %v)", role, Roles())
		}
		out = append(out, g.rights()...)
	}
	return unique(out), nil
}

// lookRights returns the rights of RoleLook, which every process needs.
func lookRights() []Right {
	var out []Right
	for _, s := range All() {
		out = append(out, topicRight(s.Name, Read))
	}
	for _, name := range append(GroupNames(), PutBackGroup) {
		out = append(out, Right{Resource: GroupResource, Name: name, Operation: Describe})
	}
	return out
}

// rights returns the rights that a member of the group needs beyond lookRights. It also appends to
// the topic that it reads: records that are in the wrong partition, and its own Tick records.
func (g Group) rights() []Right {
	out := []Right{{Resource: GroupResource, Name: g.Name, Operation: Read}}
	for _, t := range append([]string{g.Reads, DeadLetters().Name}, g.Writes...) {
		out = append(out, topicRight(t, Write))
	}
	if g.Delivery == Transactional {
		out = append(out, Right{Resource: TransactionResource, Name: TransactionPrefix(g.Name), Prefixed: true, Operation: Write})
	}
	return out
}

func topicRight(name string, op Operation) Right {
	return Right{Resource: TopicResource, Name: name, Operation: op}
}

// unique removes repeated rights, and Describe where Read or Write on the same resource include it.
func unique(list []Right) []Right {
	var out []Right
	for _, r := range list {
		brought := r.Operation == Describe && slices.ContainsFunc(list, func(o Right) bool {
			return o.Resource == r.Resource && o.Name == r.Name && (o.Operation == Read || o.Operation == Write)
		})
		if !brought && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}
