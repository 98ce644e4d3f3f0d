package origin

import (
	"net"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// A request starts when the kernel has received it, however late the server reads it: what already
// waits in the socket's buffer was received before now. A kernel may hand loopback bytes over after
// the writer's call has returned, so nothing is said about that call.
func TestARequestStartsWhenItIsReceivedNotWhenItIsRead(t *testing.T) {
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	l, err := withArrivals(plain)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := l.(arrivals); !ok {
		t.Skip("this kernel notes no times of arrival: requests start when they are read")
	}
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for range 20 {
		before := time.Now().UnixNano()
		if _, err := client.Write([]byte("a request")); err != nil {
			t.Fatal(err)
		}
		untilReceived(t, server.(*arriving), len("a request"))
		waiting := time.Now().UnixNano()
		if _, err := server.Read(make([]byte, 64)); err != nil {
			t.Fatal(err)
		}
		if at := arrived(server); at < before || at > waiting {
			t.Fatalf("written after %d, waits at %d, received at %d", before, waiting, at)
		}
	}
}

// untilReceived returns once n bytes wait to be read from c.
func untilReceived(t *testing.T, c *arriving, n int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; {
		var waiting int32
		var errno syscall.Errno
		err := c.raw.Control(func(fd uintptr) {
			_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCINQ, uintptr(unsafe.Pointer(&waiting)))
		})
		if err != nil || errno != 0 {
			t.Fatal(err, errno)
		}
		if int(waiting) >= n {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d bytes received", waiting, n)
		}
	}
}
