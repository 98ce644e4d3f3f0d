package origin

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

// arrivals is a listener whose connections know when the kernel received what was
// last read from them. That is the time at which a request reached this machine,
// however late the goroutine that reads it gets a processor.
type arrivals struct{ *net.TCPListener }

// withArrivals asks the kernel for the times; other listeners stay as they are.
// Accepted connections inherit the setting, so the first request has a time too.
func withArrivals(l net.Listener) (net.Listener, error) {
	tcp, ok := l.(*net.TCPListener)
	if !ok {
		return l, nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil, err
	}
	var set error
	err = raw.Control(func(fd uintptr) {
		set = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1)
	})
	if err = errors.Join(err, set); err != nil {
		return nil, err
	}
	stamped, err := untilStamped(arrivals{tcp})
	if err != nil || !stamped {
		return l, err
	}
	return arrivals{tcp}, nil
}

// stampedWithin is how long the kernel may take to begin with the times.
const stampedWithin = 5 * time.Second

// untilStamped returns when the kernel notes times: it begins some milliseconds after the first
// socket asked for them. It is false for a kernel that notes none. The listener must not serve yet.
func untilStamped(l arrivals) (bool, error) {
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return false, err
	}
	defer client.Close()
	server, err := l.Accept()
	if err != nil {
		return false, err
	}
	defer server.Close()
	for late := time.Now().Add(stampedWithin); arrived(server) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(late) {
			return false, nil
		}
		if _, err := client.Write([]byte{0}); err != nil {
			return false, err
		}
		if _, err := server.Read(make([]byte, 1)); err != nil {
			return false, err
		}
	}
	return true, nil
}

// Accept returns the next connection.
func (l arrivals) Accept() (net.Conn, error) {
	c, err := l.AcceptTCP()
	if err != nil {
		return nil, err
	}
	raw, err := c.SyscallConn()
	if err != nil {
		c.Close()
		return nil, err
	}
	return &arriving{TCPConn: c, raw: raw}, nil
}

// arriving is a connection that keeps the time of what was last read.
type arriving struct {
	*net.TCPConn
	raw  syscall.RawConn
	last atomic.Int64 // ns since 1970; 0: unknown
}

// Read reads bytes and the time at which the last of them was received.
func (c *arriving) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	var control [64]byte
	n, oob, failed := 0, 0, error(nil)
	err := c.raw.Read(func(fd uintptr) bool {
		for {
			n, oob, _, _, failed = syscall.Recvmsg(int(fd), b, control[:], 0)
			if failed != syscall.EINTR {
				return failed != syscall.EAGAIN
			}
		}
	})
	switch {
	case err != nil:
		return 0, err
	case failed != nil:
		return 0, failed
	case n == 0:
		return 0, io.EOF
	}
	c.last.Store(timeOf(control[:oob]))
	return n, nil
}

// timeOf finds the time in control messages; 0 if there is none.
func timeOf(control []byte) int64 {
	messages, err := syscall.ParseSocketControlMessage(control)
	if err != nil {
		return 0
	}
	for _, m := range messages {
		if m.Header.Level == syscall.SOL_SOCKET && m.Header.Type == syscall.SCM_TIMESTAMPNS && len(m.Data) >= 16 {
			seconds := binary.NativeEndian.Uint64(m.Data)
			return int64(seconds)*int64(time.Second) + int64(binary.NativeEndian.Uint64(m.Data[8:]))
		}
	}
	return 0
}

// arrived is when what was last read from a connection was received; 0: unknown.
func arrived(c net.Conn) int64 {
	if a, ok := bare(c).(*arriving); ok {
		return a.last.Load()
	}
	return 0
}

// tcpOf is the connection of the machine below c, if there is one.
func tcpOf(c net.Conn) *net.TCPConn {
	switch t := bare(c).(type) {
	case *arriving:
		return t.TCPConn
	case *net.TCPConn:
		return t
	}
	return nil
}
