package streams

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"millrace/streams/certs"
	"millrace/topics"
)

// DeniedError lists the rights that the brokers do not grant. An operator must grant them.
type DeniedError struct {
	Rights []topics.Right
}

// Error implements error.
func (e *DeniedError) Error() string {
	var words []string
	for _, r := range e.Rights {
		words = append(words, r.String())
	}
	return "Kafka denies " + strings.Join(words, ", ") + ": grant it (millrace topics acls prints the commands)"
}

// Denied implements Denial.
func (*DeniedError) Denied() bool { return true }

// Denial is an error that says whether a right or the login was refused. Then a fresh client does
// not help; an operator must act.
type Denial interface{ Denied() bool }

// Denied reports whether brokers or store refused this process a right or its login.
func Denied(err error) bool {
	var d Denial
	return errors.As(err, &d) && d.Denied() || refusedLogin(err) || slices.ContainsFunc([]error{
		kerr.TopicAuthorizationFailed, kerr.GroupAuthorizationFailed, kerr.ClusterAuthorizationFailed, kerr.TransactionalIDAuthorizationFailed,
	}, func(e error) bool { return errors.Is(err, e) })
}

// deniedAs turns the error of a refused call into a DeniedError with the right that it needed;
// other errors are returned unchanged.
func deniedAs(err error, op topics.Operation, resource topics.Resource, name string) error {
	if errors.Is(err, kerr.TopicAuthorizationFailed) || errors.Is(err, kerr.GroupAuthorizationFailed) {
		return &DeniedError{[]topics.Right{{Resource: resource, Name: name, Operation: op}}}
	}
	return err
}

func refusedLogin(err error) bool {
	return slices.ContainsFunc([]error{kerr.SaslAuthenticationFailed, kerr.UnsupportedSaslMechanism, kerr.IllegalSaslState},
		func(e error) bool { return errors.Is(err, e) })
}

// reachWithin bounds CheckReach and Brokers.
const reachWithin = 10 * time.Second

// UnreachableError says why the brokers refuse the connection of this process: TLS or the login.
type UnreachableError struct {
	Why string
	Err error
}

// Error implements error.
func (e *UnreachableError) Error() string { return "Kafka: " + e.Why }

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

// Denied implements Denial.
func (*UnreachableError) Denied() bool { return true }

// CheckReach pings the brokers, for at most 10 s, and returns an *UnreachableError if TLS or the
// login is wrong. Brokers that do not answer are no error: clients wait for them.
func CheckReach(ctx context.Context, opts Options) error {
	cl, err := opts.client()
	if err != nil {
		return err
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(ctx, reachWithin)
	defer cancel()
	err = cl.Ping(ctx)
	if why := whyUnreachable(err); why != "" {
		return &UnreachableError{why, err}
	}
	return nil
}

// whyUnreachable explains an error of TLS or of the login to an operator; "" for any other error.
func whyUnreachable(err error) string {
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var first *kgo.ErrFirstReadEOF
	switch {
	case err == nil:
		return ""
	case errors.As(err, &authority):
		return "the brokers' certificate is signed by an authority that is not trusted: name the right one (--kafka-ca): " + authority.Error()
	case errors.As(err, &name):
		return "the brokers' certificate is for another name: set the name it has (--kafka-server-name): " + name.Error()
	case errors.As(err, &invalid):
		return "the brokers' certificate is not valid: " + cmp.Or(certs.WhenValid(invalid.Error()), invalid.Error())
	case errors.As(err, &record):
		return "the brokers do not speak TLS at this address: leave --kafka-tls and its files out, or name another port"
	case errors.As(err, &alert):
		return "the brokers refuse the TLS connection, as they do without the client's certificate they ask for (--kafka-cert, --kafka-key): " + alert.Error()
	case errors.Is(err, kerr.SaslAuthenticationFailed):
		return "the login was refused: user, password or token is wrong: " + err.Error()
	case errors.Is(err, kerr.UnsupportedSaslMechanism):
		return "the brokers do not know this kind of login (--kafka-sasl): " + err.Error()
	case strings.Contains(err.Error(), "unexpected data in oauth response"): // the text of a refused token
		return "the login was refused: user, password or token is wrong: the token has expired or is not one that the brokers take"
	case errors.Is(err, kerr.IllegalSaslState), errors.As(err, &first), strings.Contains(err.Error(), "tls alert record"):
		return "the brokers close the connection: they ask for TLS (--kafka-tls) or for a login (--kafka-sasl)"
	case strings.Contains(err.Error(), "remote error: tls"):
		return "the brokers refuse the TLS connection, as they do without the client's certificate they ask for (--kafka-cert, --kafka-key): " + err.Error()
	}
	return ""
}

// How long CheckRights repeats a question that the brokers cannot answer yet, and the pause between
// two.
const (
	rightsWithin = 30 * time.Second
	rightsAgain  = 200 * time.Millisecond
)

// CheckRights asks the brokers what this user may do, and returns a *DeniedError with all rights
// that are missing. Without an authorizer everything is granted. Rights on a resource that does not
// exist yet, and rights that the brokers do not report, count as granted.
func CheckRights(ctx context.Context, opts Options, need []topics.Right) error {
	versions := kversion.Stable()
	versions.SetMaxKeyVersion(int16(kmsg.DescribeGroups), 5) // version 6 gives no rights for groups that do not exist yet
	cl, err := opts.client(kgo.MaxVersions(versions))
	if err != nil {
		return err
	}
	defer cl.Close()
	var missing []topics.Right
	for _, ask := range []func(context.Context, *kgo.Client, []topics.Right) ([]topics.Right, error){topicRights, groupRights, transactionRights} {
		more, err := ask(ctx, cl, need)
		for late := time.Now().Add(rightsWithin); kerr.IsRetriable(err) && time.Now().Before(late) && sleep(ctx, rightsAgain) == nil; {
			more, err = ask(ctx, cl, need) // a new cluster may still be creating its coordinators
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("ask the brokers for rights: %w", err)
		}
		missing = append(missing, more...)
	}
	if len(missing) > 0 {
		return &DeniedError{missing}
	}
	return nil
}

// bit returns the bit of an operation in Kafka's fields of authorized operations: 1 << the number
// of Kafka's AclOperation.
func bit(op topics.Operation) int32 {
	return map[topics.Operation]int32{
		topics.Read: 1 << 3, topics.Write: 1 << 4, topics.Create: 1 << 5, topics.Describe: 1 << 8,
		topics.DescribeConfigs: 1 << 10, topics.AlterConfigs: 1 << 11,
	}[op]
}

// untold is the bit field of brokers that do not report rights.
const untold = -1 << 31

// lacking returns the rights on a resource that are not in a bit field.
func lacking(need []topics.Right, resource topics.Resource, name string, have int32) (out []topics.Right) {
	for _, r := range need {
		if r.Resource == resource && r.Name == name && have != untold && have&bit(r.Operation) == 0 {
			out = append(out, r)
		}
	}
	return out
}

func namesOf(need []topics.Right, resource topics.Resource) (out []string) {
	for _, r := range need {
		if r.Resource == resource && !slices.Contains(out, r.Name) {
			out = append(out, r.Name)
		}
	}
	return out
}

func topicRights(ctx context.Context, cl *kgo.Client, need []topics.Right) (missing []topics.Right, err error) {
	req := kmsg.NewPtrMetadataRequest()
	req.IncludeTopicAuthorizedOperations = true
	for _, name := range namesOf(need, topics.TopicResource) {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = kmsg.StringPtr(name)
		req.Topics = append(req.Topics, t)
	}
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return nil, err
	}
	for _, t := range resp.Topics {
		if t.Topic == nil {
			continue
		}
		switch err := kerr.ErrorForCode(t.ErrorCode); {
		case errors.Is(err, kerr.TopicAuthorizationFailed):
			missing = append(missing, lacking(need, topics.TopicResource, *t.Topic, 0)...)
		case err == nil:
			missing = append(missing, lacking(need, topics.TopicResource, *t.Topic, t.AuthorizedOperations)...)
		}
	}
	return missing, nil
}

func groupRights(ctx context.Context, cl *kgo.Client, need []topics.Right) (missing []topics.Right, err error) {
	names := namesOf(need, topics.GroupResource)
	if len(names) == 0 {
		return nil, nil
	}
	req := kmsg.NewPtrDescribeGroupsRequest()
	req.Groups, req.IncludeAuthorizedOperations = names, true
	for _, shard := range cl.RequestSharded(ctx, req) {
		if errors.Is(shard.Err, kerr.GroupAuthorizationFailed) { // the lookup of the coordinator was refused
			for _, name := range shard.Req.(*kmsg.DescribeGroupsRequest).Groups {
				missing = append(missing, lacking(need, topics.GroupResource, name, 0)...)
			}
			continue
		}
		if shard.Err != nil {
			return nil, shard.Err
		}
		for _, g := range shard.Resp.(*kmsg.DescribeGroupsResponse).Groups {
			switch err := kerr.ErrorForCode(g.ErrorCode); {
			case errors.Is(err, kerr.GroupAuthorizationFailed):
				missing = append(missing, lacking(need, topics.GroupResource, g.Group, 0)...)
			case err == nil:
				missing = append(missing, lacking(need, topics.GroupResource, g.Group, g.AuthorizedOperations)...)
			}
		}
	}
	return missing, nil
}

// transactionRights asks for the coordinator of each transactional id. Brokers refuse that to a
// user without Describe on the id, and Write implies Describe.
func transactionRights(ctx context.Context, cl *kgo.Client, need []topics.Right) (missing []topics.Right, err error) {
	for _, r := range need {
		if r.Resource != topics.TransactionResource {
			continue
		}
		req := kmsg.NewPtrFindCoordinatorRequest()
		req.CoordinatorType, req.CoordinatorKey = 1, r.Name
		req.CoordinatorKeys = []string{r.Name}
		resp, err := req.RequestWith(ctx, cl)
		if err != nil {
			return nil, err
		}
		code := resp.ErrorCode
		if len(resp.Coordinators) > 0 {
			code = resp.Coordinators[0].ErrorCode
		}
		if errors.Is(kerr.ErrorForCode(code), kerr.TransactionalIDAuthorizationFailed) {
			missing = append(missing, r)
		}
	}
	return missing, nil
}
