//go:build linux

package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// kafkaID is the cluster id of all clusters: 16 bytes, as Kafka writes them.
const kafkaID = "bWlsbHJhY2UtdGVzdGluZw"

// broker is one Kafka server.
type broker struct {
	c    *Cluster
	n    int
	home string
}

func (b broker) String() string { return fmt.Sprintf("broker %d", b.n) }
func (b broker) listens() []string {
	addrs := []string{b.c.brokerAddr(b.n), b.c.controllerAddr(b.n)}
	if b.c.Secured {
		addrs = append(addrs, b.c.certAddr(b.n))
	}
	return addrs
}

func (b broker) command(ctx context.Context) ([]string, error) {
	classpath, err := jarsOf(ctx, "kafka", b.c.log)
	if err != nil {
		return nil, err
	}
	if err := b.configure(); err != nil {
		return nil, err
	}
	if err := b.format(ctx, classpath); err != nil {
		return nil, fmt.Errorf("format: %w", err)
	}
	return append(b.java("-Xmx512m", classpath, "kafka.Kafka"), b.properties()), nil
}

func (b broker) java(heap, classpath, class string) []string {
	logging := "-Dlog4j2.configurationFile=" + filepath.Join(b.home, "log4j2.xml")
	return java(heap, b.home, classpath, []string{logging}, class)
}

func (b broker) properties() string { return filepath.Join(b.home, "server.properties") }

func (b broker) configure() error {
	var voters []string
	for n := 1; n <= b.c.Brokers; n++ {
		voters = append(voters, fmt.Sprintf("%d@%s", n, b.c.controllerAddr(n)))
	}
	if err := render(b.home, "log4j2.xml", nil); err != nil {
		return err
	}
	return render(b.home, "server.properties", map[string]any{
		"ID":             b.n,
		"Voters":         strings.Join(voters, ","),
		"Addr":           b.c.brokerAddr(b.n),
		"ControllerAddr": b.c.controllerAddr(b.n),
		"CertAddr":       b.c.certAddr(b.n),
		"Secured":        b.c.Secured,
		"ServerName":     serverName,
		"Access":         b.c.Access(),
		"Data":           b.data(),
		"Replication":    b.c.Brokers,
		"InSync":         (b.c.Brokers + 1) / 2, // 1 of 1, 2 of 3
	})
}

func (b broker) data() string { return filepath.Join(b.home, "data") }

// format makes the data folder a Kafka one, once: meta.properties is the last
// file that the tool writes.
func (b broker) format(ctx context.Context, classpath string) error {
	if _, err := os.Stat(filepath.Join(b.data(), "meta.properties")); err == nil {
		return nil
	}
	tool := append(b.java("-Xmx128m", classpath, "kafka.tools.StorageTool"),
		"format", "--cluster-id", kafkaID, "--config", b.properties())
	if b.c.Secured {
		a := b.c.Access()
		tool = append(tool, "--add-scram", fmt.Sprintf("SCRAM-SHA-512=[name=%s,password=%s]", a.Admin, a.Password))
	}
	out, err := exec.CommandContext(ctx, tool[0], tool[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// ready asks this broker, and no other, for the brokers it knows. A broker lists
// itself when the controllers have let it in.
func (b broker) ready(ctx context.Context) error {
	opts, err := b.c.Access().KafkaAdmin()
	if err != nil {
		return err
	}
	client, err := kgo.NewClient(append(opts, kgo.SeedBrokers(b.c.brokerAddr(b.n)))...)
	if err != nil {
		return err
	}
	defer client.Close()
	m, err := kadm.NewClient(client).BrokerMetadata(ctx)
	if err != nil {
		return err
	}
	// More than run is fine: one that was killed is listed until its session ends.
	if want := b.c.countRunning(b.c.brokers()); len(m.Brokers) < want {
		return fmt.Errorf("lists %d of %d brokers", len(m.Brokers), want)
	}
	return nil
}
