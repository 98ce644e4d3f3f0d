package wire

import (
	"os"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"millrace/topics"
)

// A Kafka client reads the crawl with the password in the data directory, and its group is listed
// with its lag.
func TestAnotherProgramFollowsTheCrawl(t *testing.T) {
	cfg := DefaultConfig()
	cfg.KafkaListen = "127.0.0.1:0"
	w := start(t, cfg, newOrigin(t))
	w.seed(home)
	door := w.Door()
	info, err := os.Stat(door.Secret)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the password's file: %v, %v", info.Mode(), err)
	}
	password, err := os.ReadFile(door.Secret)
	if err != nil {
		t.Fatal(err)
	}
	kcat, err := os.ReadFile(door.Kcat)
	if err != nil || !strings.Contains(string(kcat), "bootstrap.servers="+door.Address+"\n") {
		t.Errorf("kcat.conf: %q, %v", kcat, err)
	}
	cl, err := kgo.NewClient(
		kgo.SeedBrokers(door.Address), kgo.SASL(scram.Auth{User: door.User, Pass: strings.TrimSpace(string(password))}.AsSha512Mechanism()),
		kgo.ConsumerGroup("analyst"), kgo.ConsumeTopics(topics.Unique().Name), kgo.DisableAutoCommit(),
	)
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	read := 0
	for read < 2 { // the home page, and the story and its twin as one document
		fetches := cl.PollFetches(t.Context())
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		read += fetches.NumRecords()
	}
	if err := cl.CommitUncommittedOffsets(t.Context()); err != nil {
		t.Fatal(err)
	}
	lag := w.Reader.Lag(t.Context())
	if len(lag.Errors) > 0 || len(lag.Readers) != 1 || lag.Readers[0].Group != "analyst" || lag.Readers[0].Topic != topics.Unique().Name {
		t.Errorf("readers: %+v, %v", lag.Readers, lag.Errors)
	}
	if got := w.Reader.Positions(t.Context()).Readers; got != nil {
		t.Errorf("what decides whether the crawl is idle looks at readers: %+v", got)
	}
}
