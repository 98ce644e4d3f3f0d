package streams

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"millrace/topics"
)

// sessionSetting is the setting of a group that says after which silence the brokers expel a member
// that speaks the consumer protocol (KIP-848).
const sessionSetting = "consumer.session.timeout.ms"

// protocol returns the client options that say who divides the partitions: the members, or with
// Config.ConsumerProtocol the brokers. The client asks them for an even division (uniform) where it
// would use the sticky balancer itself.
func (m *member) protocol() []kgo.Opt {
	if m.cfg.ConsumerProtocol {
		return []kgo.Opt{kgo.Balancers(kgo.StickyBalancer()), kgo.ServerSideBalancer()}
	}
	return []kgo.Opt{kgo.Balancers(kgo.CooperativeStickyBalancer())}
}

// agreeOnSession makes the member's session as short as the one that the brokers keep for its
// group, if theirs is shorter: else it would count itself a member after they have expelled it.
// With the classic protocol a member names its session; with the consumer protocol the brokers
// choose it.
func (m *member) agreeOnSession(ctx context.Context) error {
	if !m.cfg.ConsumerProtocol {
		return nil
	}
	theirs, err := m.reader.groupSession(ctx, m.spec.Name)
	if err != nil {
		return err
	}
	m.cfg.Session = min(m.cfg.Session, theirs)
	m.guard.session, m.guard.beat.session = m.cfg.Session, m.cfg.Session
	return nil
}

// stepOut tells the brokers that a static member that speaks the consumer protocol is away, so that
// the same name gets its partitions back at once. The client, when it leaves, says the same without
// the name (franz-go 1.22), which Kafka refuses; nobody could have the name then until the session
// has ended.
func (m *member) stepOut(ctx context.Context, id string) error {
	req := kmsg.NewPtrConsumerGroupHeartbeatRequest()
	req.Group, req.MemberID, req.MemberEpoch = m.spec.Name, id, -2
	req.InstanceID = kmsg.StringPtr(m.instance())
	resp, err := req.RequestWith(ctx, m.cl)
	if err == nil {
		err = kerr.ErrorForCode(resp.ErrorCode)
	}
	return err
}

// instance is the name of a static member.
func (m *member) instance() string { return m.cfg.Member + "-" + m.spec.Name }

// groupSession returns the session of a group whose members speak the consumer protocol. It fails
// if a broker does not know that protocol: the client would silently use another.
func (l *Log) groupSession(ctx context.Context, group string) (time.Duration, error) {
	if err := l.knowsConsumerProtocol(ctx); err != nil {
		return 0, err
	}
	req := kmsg.NewPtrDescribeConfigsRequest()
	r := kmsg.NewDescribeConfigsRequestResource()
	r.ResourceType, r.ResourceName, r.ConfigNames = kmsg.ConfigResourceTypeGroupConfig, group, []string{sessionSetting}
	req.Resources = append(req.Resources, r)
	resp, err := req.RequestWith(ctx, l.cl)
	if err != nil {
		return 0, fmt.Errorf("session of group %s: %w", group, err)
	}
	for _, r := range resp.Resources {
		if err := kerr.ErrorForCode(r.ErrorCode); err != nil {
			return 0, fmt.Errorf("session of group %s: %w", group, deniedAs(err, topics.DescribeConfigs, topics.GroupResource, group))
		}
		for _, c := range r.Configs {
			if c.Name != sessionSetting || c.Value == nil {
				continue
			}
			ms, err := strconv.Atoi(*c.Value)
			if err != nil || ms <= 0 {
				return 0, fmt.Errorf("session of group %s: the brokers say %s=%q", group, sessionSetting, *c.Value)
			}
			return time.Duration(ms) * time.Millisecond, nil
		}
	}
	return 0, fmt.Errorf("session of group %s: the brokers do not say %s; choose --group-protocol classic", group, sessionSetting)
}

// protocolError says that a member cannot speak the protocol that it was told to. An operator must
// act, as if the brokers denied a right.
type protocolError struct{}

// Error implements error.
func (protocolError) Error() string {
	return "these brokers do not know the consumer protocol (KIP-848): it came with Kafka 4.0; choose --group-protocol classic"
}

// Denied implements Denial.
func (protocolError) Denied() bool { return true }

// knowsConsumerProtocol asks every broker for its version of ConsumerGroupHeartbeat: 1 is the first
// that the client speaks.
func (l *Log) knowsConsumerProtocol(ctx context.Context) error {
	versions, err := l.adm.ApiVersions(ctx)
	if err != nil {
		return fmt.Errorf("versions of the brokers: %w", err)
	}
	for _, v := range versions {
		if v.Err != nil {
			return fmt.Errorf("version of broker %d: %w", v.NodeID, v.Err)
		}
		if most, ok := v.KeyMaxVersion(int16(kmsg.ConsumerGroupHeartbeat)); !ok || most < 1 {
			return protocolError{}
		}
	}
	return nil
}

// Members returns the number of members that a group has; 0 if the brokers do not answer. The
// answer of one protocol has no members of the other.
func (l *Log) Members(ctx context.Context, group string) int {
	classic, err := l.adm.DescribeGroups(ctx, group)
	if err == nil && len(classic[group].Members) > 0 {
		return len(classic[group].Members)
	}
	consumer, err := l.adm.DescribeConsumerGroups(ctx, group)
	if err != nil {
		return 0
	}
	return len(consumer[group].Members)
}
