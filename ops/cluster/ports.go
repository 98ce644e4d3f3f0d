//go:build linux

package cluster

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// A cluster's ports are PortBase plus these. All nodes listen on the same port,
// each on its own address, as ScyllaDB's and Cassandra's clients expect.
const (
	brokerPort     = 0 // + 1..3
	certPort       = 5 // + 1..3: where brokers of a secured cluster ask for a client's certificate
	controllerPort = 10
	cqlPort        = 20
	storagePort    = 21
	searchPort     = 25 // of OpenSearch, for clients
	searchPeerPort = 26
	portSpan       = 30
)

// Free ports are looked for below Linux's range for outgoing connections
// (32768 and up), where a port that is free now may be taken a moment later.
const (
	lowestBase  = 20000
	highestBase = 32000
)

func (s settings) brokerAddr(n int) string     { return addr("127.0.0.1", s.PortBase+brokerPort+n) }
func (s settings) certAddr(n int) string       { return addr("127.0.0.1", s.PortBase+certPort+n) }
func (s settings) controllerAddr(n int) string { return addr("127.0.0.1", s.PortBase+controllerPort+n) }
func (s settings) cqlAddr(n int) string        { return addr(nodeHost(n), s.PortBase+cqlPort) }
func (s settings) storageAddr(n int) string    { return addr(nodeHost(n), s.PortBase+storagePort) }

func (s settings) searchAddr() string     { return addr("127.0.0.1", s.PortBase+searchPort) }
func (s settings) searchPeerAddr() string { return addr("127.0.0.1", s.PortBase+searchPeerPort) }

func nodeHost(n int) string { return fmt.Sprintf("127.0.0.%d", n) }

func addr(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }

// freePorts returns a base whose whole range nobody listens on. It starts at
// random, so that two clusters made at the same moment hardly ever meet.
func freePorts() (int, error) {
	ranges := (highestBase - lowestBase) / portSpan
	first := rand.IntN(ranges)
	for i := range ranges {
		base := lowestBase + (first+i)%ranges*portSpan
		if rangeFree(base) {
			return base, nil
		}
	}
	return 0, errors.New("cluster: no free range of ports")
}

func rangeFree(base int) bool {
	for port := base; port < base+portSpan; port++ {
		// The empty host is every address, so 127.0.0.2 and .3 are asked too.
		if !portFree(addr("", port)) {
			return false
		}
	}
	return true
}

func portFree(address string) bool {
	l, err := net.Listen("tcp4", address)
	if err != nil {
		return false
	}
	l.Close()
	return true
}
