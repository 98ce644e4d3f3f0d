package embedded

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// reader is one connection through a Door.
type reader struct {
	door    *Door
	conn    net.Conn
	from    net.Conn // the connection below TLS
	behind  net.Conn // the connection to the broker; nil before the first request that is passed on
	host    string   // the address that answers name as the broker's
	port    int32
	private bool // TLS or loopback: the login cannot be read on the network

	login login // the login under way
	raw   bool  // login messages come without a request header, as after a SASL handshake of version 0
	in    bool  // the reader has logged in
}

// call is one request.
type call struct {
	kmsg.Request
	corr   int32
	client *string
}

func (r *reader) close() {
	if r.behind != nil {
		_ = r.behind.Close()
	}
}

// run answers requests, one after the other, until the connection ends or a request must not be
// answered.
func (r *reader) run() error {
	late := time.Now().Add(loginWithin)
	for {
		if r.in {
			late = time.Now().Add(idleWithin)
		}
		if err := r.conn.SetDeadline(late); err != nil {
			return err
		}
		most := maxLogin
		if r.in {
			most = maxRequest
		}
		n, err := readSize(r.conn, most)
		if err != nil {
			return err
		}
		if r.in { // who has begun to send a request does not hold a reader's place as long as one who waits
			err = r.conn.SetReadDeadline(time.Now().Add(writeWithin))
		}
		frame := make([]byte, n)
		if _, read := io.ReadFull(r.conn, frame); read != nil || err != nil {
			return errors.Join(err, read)
		}
		if err := r.answer(frame); err != nil {
			return err
		}
	}
}

// readFrame reads a size of four bytes and then as many bytes. A size above most is an error.
func readFrame(from io.Reader, most int) ([]byte, error) {
	n, err := readSize(from, most)
	if err != nil {
		return nil, err
	}
	frame := make([]byte, n)
	_, err = io.ReadFull(from, frame)
	return frame, err
}

func readSize(from io.Reader, most int) (int, error) {
	var size [4]byte
	if _, err := io.ReadFull(from, size[:]); err != nil {
		return 0, err
	}
	n := int32(binary.BigEndian.Uint32(size[:]))
	if n < 0 || int(n) > most {
		return 0, fmt.Errorf("a message of %d bytes, above %d", uint32(n), most)
	}
	return int(n), nil
}

func (r *reader) answer(frame []byte) error {
	if r.raw {
		return r.rawLogin(frame)
	}
	c, err := parse(frame)
	var old *versionError
	if errors.As(err, &old) && old.key == apiVersions { // the client tries again with a lower version (KIP-511)
		resp := &kmsg.ApiVersionsResponse{ErrorCode: kerr.UnsupportedVersion.Code, ApiKeys: served()}
		return r.send(old.corr, resp)
	}
	if err != nil {
		return err
	}
	switch req := c.Request.(type) {
	case *kmsg.ApiVersionsRequest:
		resp := req.ResponseKind().(*kmsg.ApiVersionsResponse)
		resp.ApiKeys = served()
		return r.send(c.corr, resp)
	case *kmsg.SASLHandshakeRequest:
		return r.handshake(c.corr, req)
	case *kmsg.SASLAuthenticateRequest:
		return r.authenticate(c.corr, req)
	}
	if !r.in {
		return errors.New("a request before the login")
	}
	if p, ok := c.Request.(*kmsg.ProduceRequest); ok && p.Acks == 0 {
		return errors.New("an append, which no answer can refuse")
	}
	if resp := r.door.refusal(c.Request); resp != nil {
		return r.send(c.corr, resp)
	}
	return r.pass(c)
}

func (r *reader) send(corr int32, resp kmsg.Response) error {
	buf := make([]byte, 8, 256)
	if resp.IsFlexible() && resp.Key() != apiVersions {
		buf = append(buf, 0)
	}
	buf = resp.AppendTo(buf)
	binary.BigEndian.PutUint32(buf, uint32(len(buf)-4))
	binary.BigEndian.PutUint32(buf[4:], uint32(corr))
	return r.write(buf)
}

func (r *reader) write(buf []byte) error {
	if err := r.conn.SetWriteDeadline(time.Now().Add(writeWithin)); err != nil {
		return err
	}
	_, err := r.conn.Write(buf)
	return err
}

func (r *reader) handshake(corr int32, req *kmsg.SASLHandshakeRequest) error {
	resp := req.ResponseKind().(*kmsg.SASLHandshakeResponse)
	resp.SupportedMechanisms = r.door.logins.mechanisms(r.private)
	if r.login = r.door.logins.begin(req.Mechanism, r.private); r.login == nil {
		resp.ErrorCode = kerr.UnsupportedSaslMechanism.Code
	}
	r.raw = r.login != nil && req.GetVersion() == 0
	return r.send(corr, resp)
}

func (r *reader) authenticate(corr int32, req *kmsg.SASLAuthenticateRequest) error {
	resp := req.ResponseKind().(*kmsg.SASLAuthenticateResponse)
	if r.login == nil {
		resp.ErrorCode = kerr.IllegalSaslState.Code
		return errors.Join(r.send(corr, resp), errors.New("a login without its handshake"))
	}
	out, done, err := r.login.step(req.SASLAuthBytes)
	if err != nil {
		resp.ErrorCode, resp.ErrorMessage = kerr.SaslAuthenticationFailed.Code, kmsg.StringPtr(err.Error())
		return errors.Join(r.send(corr, resp), err)
	}
	if err := r.loggedIn(done); err != nil {
		return err
	}
	resp.SASLAuthBytes = out
	return r.send(corr, resp)
}

// rawLogin handles a login message without a request header. A login that fails ends the
// connection.
func (r *reader) rawLogin(message []byte) error {
	if r.login == nil {
		return errLogin
	}
	out, done, err := r.login.step(message)
	if err != nil {
		return err
	}
	if err := r.loggedIn(done); err != nil {
		return err
	}
	return r.write(append(binary.BigEndian.AppendUint32(nil, uint32(len(out))), out...))
}

// loggedIn notes the end of a login, if done. It fails if there are too many readers.
func (r *reader) loggedIn(done bool) error {
	if !done {
		return nil
	}
	r.in, r.raw, r.login = true, false, nil
	if !r.door.guests.login(r.from) {
		return errors.New("too many readers")
	}
	return nil
}

// pass sends a request to the broker and passes the answer on. In answers with broker addresses it
// puts the door's address.
func (r *reader) pass(c call) (err error) {
	bound(c.Request, r.door.guests.fetch())
	if r.behind == nil {
		if r.behind, err = r.door.dial(); err != nil {
			return err
		}
	}
	if err := r.behind.SetDeadline(time.Now().Add(idleWithin)); err != nil {
		return err
	}
	var opts []kmsg.RequestFormatterOpt
	if c.client != nil {
		opts = append(opts, kmsg.FormatterClientID(*c.client))
	}
	if _, err := r.behind.Write(kmsg.NewRequestFormatter(opts...).AppendRequest(nil, c.Request, c.corr)); err != nil {
		return err
	}
	frame, err := readFrame(r.behind, maxAnswer)
	if err != nil {
		return err
	}
	if resp := c.ResponseKind(); hasAddresses(resp) {
		body := kbin.Reader{Src: frame}
		body.Int32()
		if resp.IsFlexible() {
			kmsg.SkipTags(&body)
		}
		if err := resp.ReadFrom(body.Src); err != nil {
			return err
		}
		r.redirect(resp)
		return r.send(c.corr, resp)
	}
	return r.write(append(binary.BigEndian.AppendUint32(make([]byte, 0, len(frame)+4), uint32(len(frame))), frame...))
}

func hasAddresses(resp kmsg.Response) bool {
	switch resp.(type) {
	case *kmsg.MetadataResponse, *kmsg.FindCoordinatorResponse, *kmsg.DescribeClusterResponse:
		return true
	}
	return false
}

// redirect replaces the broker's addresses in an answer by the door's.
func (r *reader) redirect(resp kmsg.Response) {
	switch resp := resp.(type) {
	case *kmsg.MetadataResponse:
		for i := range resp.Brokers {
			resp.Brokers[i].Host, resp.Brokers[i].Port = r.host, r.port
		}
	case *kmsg.FindCoordinatorResponse:
		if resp.Host != "" {
			resp.Host, resp.Port = r.host, r.port
		}
		for i := range resp.Coordinators {
			if resp.Coordinators[i].Host != "" {
				resp.Coordinators[i].Host, resp.Coordinators[i].Port = r.host, r.port
			}
		}
	case *kmsg.DescribeClusterResponse:
		for i := range resp.Brokers {
			resp.Brokers[i].Host, resp.Brokers[i].Port = r.host, r.port
		}
	}
}
