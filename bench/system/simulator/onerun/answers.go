package onerun

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
)

// errLost is the error of a read whose answer was lost with its connection.
var errLost = errors.New("simulated: the connection broke before the answer came")

// losses are the answers of the brokers that a process will not get, though they did what they
// were asked. It knows requests and answers by their frames: a length of 4 bytes; then a request's
// kind (2 bytes), version (2) and number (4), or an answer's number (4).
type losses struct {
	mu     sync.Mutex
	broken map[int16]int // by kind: how many answers are lost with their connection
	silent map[int16]int // and how many connections fall silent in place of one
}

// lose adds n lost answers to requests of a kind.
func (l *losses) lose(kind int16, n int, silent bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken == nil {
		l.broken, l.silent = map[int16]int{}, map[int16]int{}
	}
	if silent {
		l.silent[kind] += n
	} else {
		l.broken[kind] += n
	}
}

// draw takes the loss of one answer.
func (l *losses) draw(kind int16) (lost, silent bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.broken[kind] > 0:
		l.broken[kind]--
		return true, false
	case l.silent[kind] > 0:
		l.silent[kind]--
		return true, true
	}
	return false, false
}

// forget takes back what was not lost yet.
func (l *losses) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.broken)
	clear(l.silent)
}

// exchange follows the requests and answers on one connection to a broker.
type exchange struct {
	losses *losses
	mu     sync.Mutex
	asked  map[uint32]int16 // kinds of requests without an answer, by number
	head   []byte           // of the request that is being written, up to its number
	rest   int              // bytes of it that are still to come
	left   []byte           // of an answer that is being read
}

func newExchange(l *losses) *exchange { return &exchange{losses: l, asked: map[uint32]int16{}} }

// wrote takes notice of bytes on their way to the broker.
func (x *exchange) wrote(b []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	const head = 12
	for len(b) > 0 {
		if x.rest > 0 {
			n := min(x.rest, len(b))
			x.rest, b = x.rest-n, b[n:]
			continue
		}
		n := min(head-len(x.head), len(b))
		if x.head, b = append(x.head, b[:n]...), b[n:]; len(x.head) == head {
			x.asked[binary.BigEndian.Uint32(x.head[8:])] = int16(binary.BigEndian.Uint16(x.head[4:]))
			x.rest = int(binary.BigEndian.Uint32(x.head)) - (head - 4)
			x.head = x.head[:0]
		}
	}
}

// read gives the next bytes of answers, whole answers at a time from r, but for those that are
// lost.
func (x *exchange) read(r io.Reader, b []byte) (int, error) {
	if len(x.left) == 0 {
		answer, err := frame(r)
		if err != nil {
			return 0, err
		}
		lost, silent := x.judge(answer)
		switch {
		case silent:
			_, err := io.Copy(io.Discard, r) // until whoever waits gives up
			return 0, errors.Join(errLost, err)
		case lost:
			return 0, errLost
		}
		x.left = answer
	}
	n := copy(b, x.left)
	x.left = x.left[n:]
	return n, nil
}

// judge reports whether an answer is lost.
func (x *exchange) judge(answer []byte) (lost, silent bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	number := binary.BigEndian.Uint32(answer[4:])
	kind, ok := x.asked[number]
	if delete(x.asked, number); !ok {
		return false, false
	}
	return x.losses.draw(kind)
}

// frame reads a whole answer, with its length.
func frame(r io.Reader) ([]byte, error) {
	b := make([]byte, 8)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	body := make([]byte, 4+int(binary.BigEndian.Uint32(b)))
	copy(body, b)
	_, err := io.ReadFull(r, body[8:])
	return body, err
}
