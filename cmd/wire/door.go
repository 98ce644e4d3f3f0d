package wire

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"

	streamsembedded "millrace/streams/embedded"
	"millrace/topics"
)

// readerUser is the user name of all readers of the built-in broker.
const readerUser = "reader"

// validateDoor returns an error for wrong settings of --kafka-listen.
func (c Config) validateDoor() error {
	switch {
	case c.KafkaListen == "" && c.KafkaAdvertise+c.KafkaDoorCert+c.KafkaDoorKey != "":
		return errors.New("kafka-advertise, kafka-listen-cert and kafka-listen-key need --kafka-listen")
	case c.KafkaListen == "":
		return nil
	case !c.Embedded():
		return errors.New("kafka-listen opens the built-in broker: on a cluster readers go to Kafka itself")
	case (c.KafkaDoorCert == "") != (c.KafkaDoorKey == ""):
		return errors.New("kafka-listen-cert and kafka-listen-key go together")
	}
	if err := checkAddress("kafka-listen", c.KafkaListen); err != nil || c.KafkaAdvertise == "" {
		return err
	}
	return checkAddress("kafka-advertise", c.KafkaAdvertise)
}

// openDoor begins to listen for readers outside the process, if kafka-listen is set, and writes
// kcat.conf.
func (s *opened) openDoor() error {
	if s.Config.KafkaListen == "" {
		return nil
	}
	if err := s.Dir.makeOnce("kafka-secret"); err != nil {
		return err
	}
	password, err := readLine(s.Dir.file("kafka-secret"))
	if err != nil {
		return err
	}
	o := streamsembedded.DoorOptions{
		Listen: s.Config.KafkaListen, Advertise: s.Config.KafkaAdvertise, User: readerUser, Password: password,
		Own: isOwnGroup, Logger: s.Log,
	}
	if s.Config.KafkaDoorCert != "" {
		pair, err := tls.LoadX509KeyPair(s.Config.KafkaDoorCert, s.Config.KafkaDoorKey)
		if err != nil {
			return fmt.Errorf("kafka-listen-cert: %w", err)
		}
		o.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}
	}
	if s.door, err = streamsembedded.OpenDoor(s.broker, o); err != nil {
		return fmt.Errorf("kafka-listen: %w", err)
	}
	s.onClose(s.door.Close)
	if !s.door.Addr().(*net.TCPAddr).IP.IsLoopback() && o.TLS == nil {
		s.Log.Warn("other machines read the topics without TLS: set --kafka-listen-cert and --kafka-listen-key", "address", s.door.Addr())
	}
	return writeFile(s.Dir.file("kcat.conf"), s.Door().config(password))
}

// isOwnGroup reports whether a group belongs to this program: readers can look at it, and not
// change it.
func isOwnGroup(name string) bool {
	return name == topics.PutBackGroup || slices.Contains(topics.GroupNames(), name) || strings.HasPrefix(name, "millrace-")
}

// Door describes how readers outside the process reach its topics.
type Door struct {
	Address string
	User    string
	TLS     bool
	Secret  string // file with the password
	Kcat    string // file for kcat -F
}

// Door returns how readers reach the topics; the zero value if kafka-listen is not set.
func (s *opened) Door() Door {
	if s.door == nil {
		return Door{}
	}
	address := s.Config.KafkaAdvertise
	if address == "" {
		address = s.door.Addr().String()
		if host, port, err := net.SplitHostPort(address); err == nil && net.ParseIP(host).IsUnspecified() {
			address = net.JoinHostPort("127.0.0.1", port)
		}
	}
	file := func(name string) string {
		path := s.Dir.file(name)
		if abs, err := filepath.Abs(path); err == nil {
			return abs
		}
		return path
	}
	return Door{address, readerUser, s.Config.KafkaDoorCert != "", file("kafka-secret"), file("kcat.conf")}
}

// Protocol returns the value of security.protocol for readers.
func (d Door) Protocol() string {
	if d.TLS {
		return "SASL_SSL"
	}
	return "SASL_PLAINTEXT"
}

// config returns the settings for kcat and other clients on librdkafka.
func (d Door) config(password string) string {
	return fmt.Sprintf("bootstrap.servers=%s\nsecurity.protocol=%s\nsasl.mechanism=SCRAM-SHA-512\nsasl.username=%s\nsasl.password=%s\n",
		d.Address, d.Protocol(), d.User, password)
}
