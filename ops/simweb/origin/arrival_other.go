//go:build !linux

package origin

import "net"

// withArrivals changes nothing: requests start when they are read.
func withArrivals(l net.Listener) (net.Listener, error) { return l, nil }

func arrived(net.Conn) int64 { return 0 }

// tcpOf is the connection of the machine below c, if there is one.
func tcpOf(c net.Conn) *net.TCPConn {
	tcp, _ := bare(c).(*net.TCPConn)
	return tcp
}
