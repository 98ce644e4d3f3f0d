//go:build linux

package tables

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"millrace/ops/cluster"
	"millrace/ops/cluster/clustertest"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	root       = "../../.." // of the repository
	partitions = 4
	languages  = "docs.languages" // what the query of Flink writes
	// deadline ends what hangs. It is no measure.
	deadline = 5 * time.Minute
)

// TestFlinkAndConnectSeeTheTableOfDocuments: while documents are published, published again and
// deleted, and while the process that writes docs.json is killed, a standing query of Flink counts
// what stands in each language, and a sink of Kafka Connect writes every change into a file.
func TestFlinkAndConnectSeeTheTableOfDocuments(t *testing.T) {
	clustertest.NeedOwn(t)
	w := newWorld(t)
	w.publish(0, 60)
	first := w.tap()
	w.await("half of them as JSON", topics.JSONTopic, func(seen map[string]string) bool { return len(seen) >= 25 })
	first.kill(t)
	w.tap()

	w.flink()
	w.connect()
	w.languagesAre()
	w.publish(40, 100) // some of them again, with other words
	w.publish(100, 110)
	w.delete("fr", 0, 110)
	w.delete("de", 0, 20)
	w.languagesAre()
	if _, left := w.counts()["fr"]; left {
		t.Fatal("all French documents should be gone: the test is wrong")
	}
	w.publish(3, 4) // a language that was gone comes back
	w.languagesAre()

	w.jsonIsEqual()
	w.linesAre()
}

// world is the topics of one test and what was published.
type world struct {
	*testing.T
	brokers []string
	opts    streams.Options
	dir     string
	bin     string
	stands  map[string]*schema.Doc
	lines   []string // a line for each record, as the sink writes it
	rev     int64
}

func newWorld(t *testing.T) *world {
	brokers := clustertest.KafkaAlone(t)
	w := &world{T: t, brokers: brokers, opts: streams.Options{Brokers: brokers, Transactions: true}, dir: t.TempDir(), stands: map[string]*schema.Doc{}}
	w.clear()
	t.Cleanup(w.clear)
	if err := streams.Provision(t.Context(), w.opts, streams.Layout{PerHost: partitions, PerSite: partitions, Replicas: 1}); err != nil {
		t.Fatal(err)
	}
	w.bin = filepath.Join(w.dir, "millrace")
	if out, err := exec.Command("go", "build", "-o", w.bin, "millrace/cmd/millrace").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return w
}

// clear removes all topics and groups, those of the pipeline and those of this test.
func (w *world) clear() {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	cl, err := kgo.NewClient(kgo.SeedBrokers(w.brokers...))
	if err != nil {
		w.Fatal(err)
	}
	adm := kadm.NewClient(cl)
	defer adm.Close()
	gone, err := adm.DeleteTopics(ctx, topics.JSONTopic, languages)
	for _, g := range gone {
		if err == nil && !errors.Is(g.Err, kerr.UnknownTopicOrPartition) {
			err = g.Err
		}
	}
	if err != nil {
		w.Error(err)
	}
	if err := streamstest.Clear(ctx, w.brokers); err != nil {
		w.Error(err)
	}
}

var langs = []string{"en", "de", "", "fr"}

// publish appends documents from to to-1, each in the language of its number.
func (w *world) publish(from, to int) {
	w.Helper()
	var r streamstest.Recorder
	e := streams.NewEmitter(r.Partition(0, partitions), "dedupe", topics.Unique())
	for i := from; i < to; i++ {
		w.rev++
		d := &schema.Doc{RowKey: key(i), Url: fmt.Sprintf("https://a.test/%d", i), Lang: langs[i%len(langs)], Rev: w.rev,
			Title: fmt.Sprintf("Mill %d", i), Text: strings.Repeat("ä", int(w.rev)), FetchedAt: 1_800_000_000_000}
		w.stands[d.RowKey] = d
		w.lines = append(w.lines, d.RowKey+" "+d.Title)
		e.SendTo(int32(i%partitions), &schema.Unique{Doc: d})
	}
	w.append(r.Take())
}

// delete appends the deletions of a language's documents among from to to-1.
func (w *world) delete(lang string, from, to int) {
	w.Helper()
	var r streamstest.Recorder
	e := streams.NewEmitter(r.Partition(0, partitions), "dedupe", topics.Unique())
	for i := from; i < to; i++ {
		if d := w.stands[key(i)]; d != nil && d.Lang == lang {
			delete(w.stands, d.RowKey)
			w.lines = append(w.lines, "null")
			e.Tombstone(int32(i%partitions), d.RowKey, d.RowKey, streams.Header{Key: "reason", Value: []byte("NOT_FOUND")})
		}
	}
	w.append(r.Take())
}

func (w *world) append(list []streams.Send) {
	w.Helper()
	if err := streams.Append(w.Context(), w.opts, list...); err != nil {
		w.Fatal(err)
	}
}

func key(i int) string { return fmt.Sprintf("test.a:https/%d", i) }

// counts returns the numbers that Flink should print: documents and characters of each language.
func (w *world) counts() map[string][2]int {
	out := map[string][2]int{}
	for _, d := range w.stands {
		lang := d.Lang
		if lang == "" {
			lang = "und"
		}
		c := out[lang]
		out[lang] = [2]int{c[0] + 1, c[1] + len([]rune(d.Text))}
	}
	return out
}

// languagesAre returns when the table that Flink writes is that of what stands.
func (w *world) languagesAre() {
	w.Helper()
	want := w.counts()
	w.await(fmt.Sprintf("Flink counting %v", want), languages, func(seen map[string]string) bool {
		got := map[string][2]int{}
		for lang, value := range seen {
			var row struct{ Documents, Characters int }
			if err := json.Unmarshal([]byte(value), &row); err != nil {
				w.Fatalf("%s: %v", value, err)
			}
			got[lang] = [2]int{row.Documents, row.Characters}
		}
		return maps.Equal(got, want)
	})
}

// await reads a topic from its beginning until enough says that the table in it is the wanted one.
func (w *world) await(what, topic string, enough func(map[string]string) bool) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), deadline)
	defer cancel()
	seen := map[string]string{}
	err := w.read(ctx, topic, func(r *kgo.Record) bool {
		if delete(seen, string(r.Key)); r.Value != nil {
			seen[string(r.Key)] = string(r.Value)
		}
		return enough(seen)
	})
	if err != nil {
		w.Fatalf("waited for %s; %s has %v: %v", what, topic, seen, err)
	}
}

// read calls fn for the committed records of a topic, from its beginning, until it returns true.
func (w *world) read(ctx context.Context, topic string, fn func(*kgo.Record) bool) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(w.brokers...), kgo.ConsumeTopics(topic), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.UnknownTopicRetries(-1), kgo.MetadataMinAge(100*time.Millisecond), kgo.MetadataMaxAge(time.Second))
	if err != nil {
		return err
	}
	defer cl.Close()
	for {
		fetches := cl.PollFetches(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for it := fetches.RecordIter(); !it.Done(); {
			if fn(it.Next()) {
				return nil
			}
		}
	}
}

// jsonIsEqual compares docs.json with docs.unique: partition by partition the same keys in the same
// order, although the process that writes it was killed.
func (w *world) jsonIsEqual() {
	w.Helper()
	all := map[string][]string{}
	for _, topic := range []string{topics.Unique().Name, topics.JSONTopic} {
		list, n := make([]string, partitions), 0
		err := w.read(w.Context(), topic, func(r *kgo.Record) bool {
			list[r.Partition] += fmt.Sprintf("%s %v\n", r.Key, r.Value == nil)
			n++
			return n == len(w.lines)
		})
		if err != nil {
			w.Fatal(err)
		}
		all[topic] = list
	}
	if a, b := all[topics.Unique().Name], all[topics.JSONTopic]; !slices.Equal(a, b) {
		w.Errorf("docs.json has\n%s\ndocs.unique has\n%s", b, a)
	}
}

var titleLine = regexp.MustCompile(`^\{(?:row_key=(\S+), title=(.*)|title=(.*), row_key=(\S+))\}$`)

// linesAre returns when the file of the sink has a line for each record, and each once.
func (w *world) linesAre() {
	w.Helper()
	name := filepath.Join(w.dir, "connect", "titles.txt")
	var got []string
	for end := time.After(deadline); len(got) < len(w.lines); {
		text, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			w.Fatal(err)
		}
		got = strings.Split(string(text), "\n")
		got = got[:len(got)-1] // the rest of a line, or nothing
		select {
		case <-end:
			w.Fatalf("%d of %d lines", len(got), len(w.lines))
		case <-time.After(50 * time.Millisecond): // another process writes it: there is nothing to wait on
		}
	}
	for i, line := range got {
		if m := titleLine.FindStringSubmatch(line); m != nil {
			got[i] = m[1] + m[4] + " " + m[2] + m[3]
		}
	}
	want := slices.Sorted(slices.Values(w.lines))
	if slices.Sort(got); !slices.Equal(got, want) {
		w.Errorf("the sink wrote\n%q\nwant\n%q", got, want)
	}
}

// program is a process of this test.
type program struct {
	cmd  *exec.Cmd
	said bytes.Buffer
	done chan struct{}
}

// start runs a program until the test ends; if it fails its words are shown.
func (w *world) start(dir string, env []string, command ...string) *program {
	w.Helper()
	p := &program{cmd: exec.Command(command[0], command[1:]...), done: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = dir, append(os.Environ(), env...), &p.said, &p.said
	if err := p.cmd.Start(); err != nil {
		w.Fatal(err)
	}
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait() // it is killed
	}()
	w.Cleanup(func() {
		p.kill(w.T)
		if text := p.said.String(); w.Failed() {
			w.Logf("%s said: %s", filepath.Base(command[0]), text[max(0, len(text)-4000):])
		}
	})
	return p
}

func (p *program) kill(t *testing.T) {
	t.Helper()
	_ = p.cmd.Process.Signal(syscall.SIGKILL)
	<-p.done
}

// tap runs millrace consume json. Its name is the same each time, so that the brokers know at once
// that the one before is gone.
func (w *world) tap() *program {
	w.Helper()
	return w.start(w.dir, nil, w.bin, "consume", "json", "--brokers", strings.Join(w.brokers, ","), "--copies", "1", "--member", "json-1")
}

// example writes a file of docs/examples into a folder, with the address of this Kafka in it.
func (w *world) example(dir, name string, more ...string) string {
	w.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs/examples", name))
	if err != nil {
		w.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.Fatal(err)
	}
	to := filepath.Join(dir, name)
	changed := strings.NewReplacer(append(more, "kafka:9092", strings.Join(w.brokers, ","))...).Replace(string(text))
	if err := os.WriteFile(to, []byte(changed), 0o644); err != nil {
		w.Fatal(err)
	}
	return to
}

// flink runs the SQL client of Flink, with a cluster of Flink in its own process.
func (w *world) flink() {
	w.Helper()
	dir := filepath.Join(w.dir, "flink")
	sql := w.example(dir, "languages.sql")
	conf := "execution.target: local\nparallelism.default: 1\n"
	for _, name := range []string{"rest.address", "rest.bind-address", "sql-gateway.endpoint.rest.address", "sql-gateway.endpoint.rest.bind-address"} {
		conf += name + ": 127.0.0.1\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(conf), 0o644); err != nil {
		w.Fatal(err)
	}
	w.topic(languages)
	w.java(dir, "flink", "-Xmx768m", "org.apache.flink.table.client.SqlClient", "-f", sql)
}

// topic makes the topic that the query writes.
func (w *world) topic(name string) {
	w.Helper()
	log, err := streams.NewLog(w.opts)
	if err != nil {
		w.Fatal(err)
	}
	defer log.Close()
	if err := log.Make(w.Context(), topics.Spec{Name: name, Count: topics.One}, streams.Layout{Replicas: 1}); err != nil {
		w.Fatal(err)
	}
}

// connect runs a worker of Kafka Connect with its sink.
func (w *world) connect() {
	w.Helper()
	dir := filepath.Join(w.dir, "connect")
	worker := w.example(dir, "connect-worker.properties", ":8083", ":0")
	sink := w.example(dir, "connect-titles.properties")
	w.java(dir, "connect", "-Xmx256m", "org.apache.kafka.connect.cli.ConnectStandalone", worker, sink)
}

func (w *world) java(dir, name, heap, class string, args ...string) {
	w.Helper()
	command, err := cluster.Program(w.Context(), name, heap, dir, class, args...)
	if err != nil {
		w.Fatal(err)
	}
	w.start(dir, []string{"FLINK_CONF_DIR=" + dir}, command...)
}
