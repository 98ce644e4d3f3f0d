package embedded

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"time"
)

// DoorOptions configure a Door: its address, TLS, and the one user of all readers.
type DoorOptions struct {
	Listen    string                  // host:port
	Advertise string                  // host:port that clients are told to dial; empty: the address that they dialled
	TLS       *tls.Config             // nil: none
	User      string                  // the user name of all readers
	Password  string                  // its password
	Own       func(group string) bool // reports groups that readers may look at, and not join or move
	Logger    *slog.Logger
}

// The limits of a Door.
const (
	maxLogin      = 16 << 10         // bytes of a request before the login
	maxRequest    = 1 << 20          // bytes of a request
	maxFetch      = 16 << 20         // bytes of records that one request may ask for
	maxWait       = 30 * time.Second // the longest time that a fetch may wait for records
	loginWithin   = 10 * time.Second
	idleWithin    = 10 * time.Minute // between two requests, as Kafka's default
	writeWithin   = time.Minute      // for a reader to take an answer, or to send the rest of a request
	maxAnswer     = 128 << 20        // bytes of the broker's answer
	acceptAgain   = 100 * time.Millisecond
	maxNameLength = 249      // of a group, as of a topic in Kafka
	maxMetadata   = 4096     // bytes beside a committed offset, as Kafka's default
	maxMember     = 64 << 10 // bytes of a request that the broker keeps for a member of a group
)

// Door listens for readers outside the process: they log in, read every topic, and keep groups of
// their own. They cannot append, change topics, or change the groups of this program. The size of
// every request is checked before it is read; the request is decoded and encoded anew, so that the
// broker gets only well-formed, allowed requests.
type Door struct {
	o        DoorOptions
	broker   *Broker
	listener net.Listener
	logins   *logins
	guests   *guests
	wait     sync.WaitGroup
}

// OpenDoor begins to listen.
func OpenDoor(b *Broker, o DoorOptions) (*Door, error) {
	if o.Password == "" || o.User == "" {
		return nil, errors.New("a door needs a user and a password")
	}
	if o.Advertise != "" {
		if _, _, err := hostPort(o.Advertise); err != nil {
			return nil, err
		}
	}
	l, err := newLogins(o.User, o.Password)
	if err != nil {
		return nil, err
	}
	d := &Door{o: o, broker: b, logins: l, guests: newGuests()}
	if d.listener, err = net.Listen("tcp", o.Listen); err != nil {
		return nil, err
	}
	d.wait.Go(d.accept)
	return d, nil
}

// Addr returns the address it listens on.
func (d *Door) Addr() net.Addr { return d.listener.Addr() }

// Close ends all connections and returns when their goroutines have ended.
func (d *Door) Close() {
	_ = d.listener.Close()
	d.guests.close()
	d.wait.Wait()
}

func (d *Door) accept() {
	for {
		conn, err := d.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // too many open files
			time.Sleep(acceptAgain)
			continue
		}
		if !d.guests.come(conn) {
			_ = conn.Close()
			return
		}
		d.wait.Go(func() { d.serve(conn) })
	}
}

// serve handles one connection until it ends. A panic ends this connection and nothing else.
func (d *Door) serve(conn net.Conn) {
	defer func() {
		if p := recover(); p != nil {
			d.o.Logger.Error("a reader's request could not be answered", "reader", conn.RemoteAddr(), "panic", p)
		}
		d.guests.leave(conn)
		_ = conn.Close()
	}()
	host, port, err := d.advertised(conn)
	if err != nil {
		return
	}
	r := &reader{door: d, conn: conn, from: conn, host: host, port: port, private: d.o.TLS != nil || isLoopback(conn.RemoteAddr())}
	if d.o.TLS != nil {
		r.conn = tls.Server(conn, d.o.TLS)
	}
	defer r.close()
	if err := r.run(); err != nil {
		d.o.Logger.Debug("a reader's connection ended", "reader", conn.RemoteAddr(), "error", err)
	}
}

// advertised returns the address that answers name as the broker's.
func (d *Door) advertised(conn net.Conn) (string, int32, error) {
	if d.o.Advertise != "" {
		return hostPort(d.o.Advertise)
	}
	return hostPort(conn.LocalAddr().String())
}

func hostPort(address string) (string, int32, error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 || host == "" {
		return "", 0, fmt.Errorf("%q is not of the form host:port", address)
	}
	return host, int32(port), nil
}

func isLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// dial connects to the broker.
func (d *Door) dial() (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), loginWithin)
	defer cancel()
	return d.broker.Dial(ctx, "tcp", d.broker.Addrs()[0])
}
