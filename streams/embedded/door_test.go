package embedded

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"millrace/ops/cluster/clustertest"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

const secret = "a-secret-of-this-test"

// openDoor is a broker with three records on the topic docs, and a door to it.
func openDoor(t *testing.T) (*Broker, *Door) {
	t.Helper()
	b, err := Open("", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	owner := client(t, kgo.SeedBrokers(b.Addrs()...), kgo.Dialer(b.Dial))
	if _, err := kadm.NewClient(owner).CreateTopic(t.Context(), 2, 1, nil, "docs"); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := owner.ProduceSync(t.Context(), &kgo.Record{Topic: "docs", Value: fmt.Append(nil, "record ", i)}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	d, err := OpenDoor(b, DoorOptions{
		Listen: "127.0.0.1:0", User: "reader", Password: secret, Logger: slog.New(slog.DiscardHandler),
		Own: func(group string) bool { return group == "extract" },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return b, d
}

func client(t *testing.T, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return cl
}

func through(d *Door, m sasl.Mechanism, more ...kgo.Opt) []kgo.Opt {
	return append([]kgo.Opt{kgo.SeedBrokers(d.Addr().String()), kgo.SASL(m)}, more...)
}

func right() scram.Auth { return scram.Auth{User: "reader", Pass: secret} }

func TestReadersReadEverythingAndKeepTheirOwnGroups(t *testing.T) {
	_, d := openDoor(t)
	for name, m := range map[string]sasl.Mechanism{
		"SCRAM-SHA-256": right().AsSha256Mechanism(), "SCRAM-SHA-512": right().AsSha512Mechanism(),
		"PLAIN": plain.Auth{User: "reader", Pass: secret}.AsMechanism(),
	} {
		for _, more := range [][]kgo.Opt{nil, {kgo.ServerSideBalancer()}} {
			group := fmt.Sprintf("%s-%d", name, len(more))
			opts := append(through(d, m), kgo.ConsumerGroup(group), kgo.ConsumeTopics("docs"), kgo.DisableAutoCommit())
			cl := client(t, append(opts, more...)...)
			for n := 0; n < 3; {
				fetches := cl.PollFetches(t.Context())
				if err := fetches.Err(); err != nil {
					t.Fatalf("%s: %v", group, err)
				}
				n += fetches.NumRecords()
			}
			if err := cl.CommitUncommittedOffsets(t.Context()); err != nil {
				t.Fatalf("%s: %v", group, err)
			}
			lag, err := kadm.NewClient(cl).FetchOffsets(t.Context(), group)
			if sum := lag.Offsets(); err != nil || sum["docs"][0].At+sum["docs"][1].At != 3 {
				t.Errorf("%s: committed %+v, %v", group, sum, err)
			}
			cl.Close()
		}
	}
}

func TestReadersChangeNothing(t *testing.T) {
	b, d := openDoor(t)
	cl := client(t, through(d, right().AsSha512Mechanism(), kgo.DisableIdempotentWrite(), kgo.RecordRetries(0))...)
	adm := kadm.NewClient(cl)
	err := cl.ProduceSync(t.Context(), &kgo.Record{Topic: "docs", Value: []byte("forged")}).FirstErr()
	if !errors.Is(err, kerr.TopicAuthorizationFailed) {
		t.Errorf("append: %v", err)
	}
	var forged kadm.Offsets
	forged.AddOffset("docs", 0, 0, -1)
	if err := adm.CommitAllOffsets(t.Context(), "extract", forged); !errors.Is(err, kerr.GroupAuthorizationFailed) {
		t.Errorf("commit for a group of ours: %v", err)
	}
	if _, err := adm.DeleteGroup(t.Context(), "extract"); !errors.Is(err, kerr.GroupAuthorizationFailed) {
		t.Errorf("delete a group of ours: %v", err)
	}
	for name, err := range map[string]error{
		"create topic": second(adm.CreateTopic(t.Context(), 1, 1, nil, "x")), "delete topic": second(adm.DeleteTopic(t.Context(), "docs")),
		"delete records": second(adm.DeleteRecords(t.Context(), forged)), "alter": second(adm.AlterTopicConfigs(t.Context(), nil, "docs")),
	} {
		if err == nil {
			t.Errorf("%s: done", name)
		}
	}
	member := client(t, through(d, right().AsSha512Mechanism(), kgo.ConsumerGroup("extract"), kgo.ConsumeTopics("docs"))...)
	if err := member.PollFetches(t.Context()).Err(); !errors.Is(err, kerr.GroupAuthorizationFailed) {
		t.Errorf("join a group of ours: %v", err)
	}
	owner := kadm.NewClient(client(t, kgo.SeedBrokers(b.Addrs()...), kgo.Dialer(b.Dial)))
	ends, err := owner.ListEndOffsets(t.Context(), "docs")
	zero, _ := ends.Lookup("docs", 0)
	one, _ := ends.Lookup("docs", 1)
	if err != nil || zero.Offset+one.Offset != 3 {
		t.Errorf("docs ends at %d and %d, %v", zero.Offset, one.Offset, err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestAWrongPasswordIsRefused(t *testing.T) {
	_, d := openDoor(t)
	for name, m := range map[string]sasl.Mechanism{
		"password of SCRAM": scram.Auth{User: "reader", Pass: "wrong"}.AsSha512Mechanism(),
		"user of SCRAM":     scram.Auth{User: "root", Pass: secret}.AsSha256Mechanism(),
		"password of PLAIN": plain.Auth{User: "reader", Pass: "wrong"}.AsMechanism(),
		"user of PLAIN":     plain.Auth{User: "root", Pass: secret}.AsMechanism(),
	} {
		if err := client(t, through(d, m)...).Ping(t.Context()); !errors.Is(err, kerr.SaslAuthenticationFailed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := client(t, kgo.SeedBrokers(d.Addr().String())).Ping(t.Context()); err == nil {
		t.Error("without a login it answers")
	}
}

// Sizes and keys that no client sends, which broke the broker when it had a port.
func TestBytesThatAreNoRequestEndTheirConnectionAlone(t *testing.T) {
	_, d := openDoor(t)
	frame := func(body ...byte) []byte {
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
	}
	for name, in := range map[string][]byte{
		"HTTP":              []byte("GET / HTTP/1.1\r\n\r\n"),
		"2 GB":              {0x7f, 0xff, 0xff, 0xff},
		"negative":          {0xff, 0xff, 0xff, 0xff},
		"above the login's": binary.BigEndian.AppendUint32(nil, maxLogin+1),
		"unknown key":       frame(0x27, 0x0f, 0, 0, 0, 0, 0, 1, 0xff, 0xff),
		"negative version":  frame(0, 3, 0xff, 0xff, 0, 0, 0, 1, 0xff, 0xff),
		"no head":           frame(0, 3),
		"no body":           frame(0, 17, 0, 1, 0, 0, 0, 1, 0xff, 0xff),
		"no login":          kmsg.NewRequestFormatter().AppendRequest(nil, &kmsg.MetadataRequest{Version: 1}, 1),
	} {
		conn, err := net.Dial("tcp", d.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write(in); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(conn)
		if len(got) > 0 {
			t.Errorf("%s: answered %q, %v", name, got, err)
		}
		_ = conn.Close()
	}
	if err := client(t, through(d, right().AsSha512Mechanism())...).Ping(t.Context()); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// loggedIn is a connection through a door after its login.
func loggedIn(t *testing.T, d *Door) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", d.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	for i, req := range []kmsg.Request{
		&kmsg.SASLHandshakeRequest{Version: 1, Mechanism: "PLAIN"},
		&kmsg.SASLAuthenticateRequest{Version: 1, SASLAuthBytes: []byte("\x00reader\x00" + secret)},
	} {
		_, err := conn.Write(kmsg.NewRequestFormatter().AppendRequest(nil, req, int32(i)))
		if err == nil {
			_, err = readFrame(conn, maxRequest)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return conn
}

// Readers with the password who send sizes that lie, what is no request, or half of one and then
// nothing: the first end their own connections, and while the last hang all others read.
func TestReadersWhoLieAfterTheirLoginHoldUpNobody(t *testing.T) {
	_, d := openDoor(t)
	for name, in := range map[string][]byte{
		"2 GB":             {0x7f, 0xff, 0xff, 0xff},
		"negative":         {0xff, 0xff, 0xff, 0xff},
		"above the most":   binary.BigEndian.AppendUint32(nil, maxRequest+1),
		"HTTP":             []byte("GET / HTTP/1.1\r\n\r\n"),
		"unknown key":      {0, 0, 0, 10, 0x27, 0x0f, 0, 0, 0, 0, 0, 1, 0xff, 0xff},
		"no head":          {0, 0, 0, 2, 0, 3},
		"a list too long":  {0, 0, 0, 14, 0, 3, 0, 1, 0, 0, 0, 1, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff},
		"a second login's": append([]byte{0, 0, 4, 0}, make([]byte, 1024)...),
	} {
		conn := loggedIn(t, d)
		if _, err := conn.Write(in); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(conn); len(got) > 0 {
			t.Errorf("%s: answered %q, %v", name, got, err)
		}
	}
	for range maxReaders / 2 {
		conn := loggedIn(t, d)
		if _, err := conn.Write(append(binary.BigEndian.AppendUint32(nil, maxRequest), make([]byte, maxRequest/2)...)); err != nil {
			t.Fatal(err)
		}
	}
	cl := client(t, through(d, right().AsSha512Mechanism(), kgo.ConsumeTopics("docs"), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))...)
	for n := 0; n < 3; {
		fetches := cl.PollFetches(t.Context())
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		n += fetches.NumRecords()
	}
}

// A reader who begins a request and does not send the rest gives up its place after a minute, one
// who sends nothing after ten.
func TestHalfARequestDoesNotHoldAPlace(t *testing.T) {
	for sent, wants := range map[string]time.Duration{"": idleWithin, "\x00\x10\x00\x00half": writeWithin} {
		synctest.Test(t, func(t *testing.T) {
			conn, other := net.Pipe()
			defer other.Close()
			ended := make(chan error, 1)
			began := time.Now()
			go func() { ended <- (&reader{conn: conn, in: true}).run() }()
			if _, err := io.WriteString(other, sent); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != wants {
				t.Errorf("%q: ended after %s: %v", sent, time.Since(began), err)
			}
		})
	}
}

// A fetch that asks for gigabytes gets at most the Door's limit.
func TestFetchesAreBounded(t *testing.T) {
	f := &kmsg.FetchRequest{MaxBytes: 1 << 30, MaxWaitMillis: 1 << 30, MinBytes: 1 << 30, Topics: []kmsg.FetchRequestTopic{{
		Partitions: []kmsg.FetchRequestTopicPartition{{PartitionMaxBytes: 1 << 30}},
	}}}
	bound(f, maxFetch)
	if p := f.Topics[0].Partitions[0].PartitionMaxBytes; f.MaxBytes != maxFetch || f.MinBytes > maxFetch || p != maxFetch || f.MaxWaitMillis > 30_000 {
		t.Errorf("%d bytes, %d of a partition, %d ms", f.MaxBytes, p, f.MaxWaitMillis)
	}
}

// However many connections clients without a password open, a reader with one can log in.
func TestStrangersKeepNoReaderOut(t *testing.T) {
	_, d := openDoor(t)
	for range 4 * maxReaders {
		conn, err := net.Dial("tcp", d.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	ctx, cancel := context.WithTimeout(t.Context(), loginWithin/2)
	defer cancel()
	if err := client(t, through(d, right().AsSha512Mechanism())...).Ping(ctx); err != nil {
		t.Error(err)
	}
	d.guests.mu.Lock()
	defer d.guests.mu.Unlock()
	if n := len(d.guests.strangers); n > maxStrangers {
		t.Errorf("%d connections wait for a login", n)
	}
}

// A reader that makes more and more groups is refused at a limit, because the broker keeps every
// group. Existing groups still work. With many readers each may fetch fewer bytes at once.
func TestReadersTakeABoundedPartOfTheBroker(t *testing.T) {
	g := newGuests()
	for i := range 2 * maxGroups {
		g.mayKeep(fmt.Sprint("group-", i))
	}
	if len(g.groups) != maxGroups || !g.mayKeep("group-0") || g.mayKeep("another") {
		t.Errorf("%d groups", len(g.groups))
	}
	sum := int64(0)
	for range maxReaders {
		conn, other := net.Pipe()
		defer conn.Close()
		defer other.Close()
		if !g.come(conn) || !g.login(conn) {
			t.Fatal("refused")
		}
		sum += int64(g.fetch())
	}
	if most := int64(512 << 20); sum > most {
		t.Errorf("%d MiB of records at once", sum>>20)
	}
	conn, other := net.Pipe()
	defer conn.Close()
	defer other.Close()
	if g.come(conn); g.login(conn) {
		t.Error("one reader too many")
	}
}

// A reader with the password sends what the broker would have to keep: members with large requests,
// more and more members, commits with long metadata, fetch sessions. All is bounded.
func TestWhatReadersLetTheBrokerKeepIsBounded(t *testing.T) {
	_, d := openDoor(t)
	cl := client(t, through(d, right().AsSha512Mechanism())...)
	join := func(bytes int) int16 {
		t.Helper()
		req := kmsg.NewPtrJoinGroupRequest()
		req.Group, req.SessionTimeoutMillis, req.RebalanceTimeoutMillis, req.ProtocolType = "flood", 10_000, 10_000, "consumer"
		p := kmsg.NewJoinGroupRequestProtocol()
		p.Name, p.Metadata = "range", make([]byte, bytes)
		req.Protocols = append(req.Protocols, p)
		resp, err := req.RequestWith(t.Context(), cl)
		if err != nil {
			t.Fatal(err)
		}
		return resp.ErrorCode
	}
	if got := join(maxMember + 1); got != kerr.InvalidRequest.Code {
		t.Errorf("a member with too much beside it: %v", kerr.ErrorForCode(got))
	}
	last := int16(0)
	for range 65 { // each is given an id and never comes back with it
		last = join(100)
	}
	if last != kerr.GroupMaxSizeReached.Code {
		t.Errorf("member 65: %v", kerr.ErrorForCode(last))
	}

	var long kadm.Offsets
	long.Add(kadm.Offset{Topic: "docs", At: 1, LeaderEpoch: -1, Metadata: strings.Repeat("x", maxMetadata+1)})
	if err := kadm.NewClient(cl).CommitAllOffsets(t.Context(), "analyst", long); !errors.Is(err, kerr.OffsetMetadataTooLarge) {
		t.Errorf("a commit with long metadata: %v", err)
	}

	fetch := kmsg.NewPtrFetchRequest()
	fetch.MaxBytes, fetch.SessionEpoch = 1<<20, 0
	resp, err := fetch.RequestWith(t.Context(), cl)
	if err != nil || resp.SessionID != 0 || resp.ErrorCode != 0 {
		t.Errorf("a fetch session: %+v, %v", resp, err)
	}
}

func FuzzRequestsOfReaders(f *testing.F) {
	for key := range allowed() {
		req := kmsg.RequestForKey(int16(key))
		req.SetVersion(allowed()[key].most)
		f.Add(kmsg.NewRequestFormatter(kmsg.FormatterClientID("x")).AppendRequest(nil, req, 1)[4:])
	}
	d := &Door{o: DoorOptions{Own: func(g string) bool { return g == "extract" }}, guests: newGuests()}
	f.Fuzz(func(t *testing.T, frame []byte) {
		c, err := parse(frame)
		if err != nil {
			return
		}
		bound(c.Request, maxFetch)
		if resp := d.refusal(c.Request); resp != nil {
			resp.AppendTo(nil)
		}
		again, err := parse(kmsg.NewRequestFormatter().AppendRequest(nil, c.Request, c.corr)[4:])
		if err != nil || again.Key() != c.Key() {
			t.Fatalf("what is passed on does not parse: %v", err)
		}
	})
}

func FuzzLoginsOfReaders(f *testing.F) {
	f.Add("n,,n=reader,r=abc", "c=biws,r=abc,p=AAAA")
	f.Add("y,a=b,n=,r=", ",p=")
	l, err := newLogins("reader", secret)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, first, last string) {
		for _, m := range l.mechanisms(true) {
			a := l.begin(m, true)
			if _, done, _ := a.step([]byte(first)); done && m != "PLAIN" {
				t.Fatal("in after one message")
			}
			if _, done, _ := a.step([]byte(last)); done && m != "PLAIN" {
				t.Fatal("in without the password")
			}
		}
	})
}

// Clients written in other languages: librdkafka (confluent-kafka) and kafka-python.
// clustertest.PythonVar names a Python that has both.
func TestOtherClientsReadThroughTheDoor(t *testing.T) {
	python := clustertest.Python(t)
	_, d := openDoor(t)
	script := filepath.Join("testdata", "readers.py")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, script, d.Addr().String(), "reader")
	cmd.Stdin = strings.NewReader(secret)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.Bytes())
	}
	want := "confluent record 0,record 1,record 2\nconfluent append: TOPIC_AUTHORIZATION_FAILED\nkafka-python record 0,record 1,record 2\n"
	if string(out) != want {
		t.Errorf("got\n%s\nwant\n%s\n%s", out, want, errs.Bytes())
	}
}
