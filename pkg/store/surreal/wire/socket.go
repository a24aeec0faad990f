package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/lxzan/gws"
	"github.com/surrealdb/surrealdb.go/pkg/connection"
	sdkgws "github.com/surrealdb/surrealdb.go/pkg/connection/gws"
	"github.com/surrealdb/surrealdb.go/pkg/connection/rpc"
	"github.com/surrealdb/surrealdb.go/surrealcbor"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
)

// maxMessage is the maximum number of bytes of a message. A full page of an export has more than the default of gws, 16 MiB.
const maxMessage = 64 << 20

var (
	errNotSent    = errors.New("request not sent")
	errSocketGone = errors.New("the connection was lost")
)

// socket is a WebSocket to a SurrealDB server that speaks CBOR. It implements the SDK's interface of a connection. It
// is never reopened: when it is dead, Conn creates another.
//
// The SDK's own transports are not used: if the server goes away, gorillaws panics the process, and gws leaves running
// calls hanging and races on its closing error; http panics on a plain-text answer.
type socket struct {
	// Connection is never connected. It provides GetUnmarshaler, whose result type is internal to the SDK, and methods
	// that nobody calls. The methods that communicate and are called are overridden.
	connection.Connection

	codec *surrealcbor.Codec
	url   *url.URL
	log   *slog.Logger
	limit time.Duration
	tls   *tls.Config // nil: the connection is not encrypted

	conn   *gws.Conn
	outbox chan []byte
	pongs  chan []byte
	loops  sync.WaitGroup

	die   sync.Once
	cause error // written before dead is closed, read afterwards
	dead  chan struct{}

	mu      sync.Mutex
	lastID  uint64
	pending map[string]chan connection.RPCResponse[cbor.RawMessage]
	silent  time.Time // the time since which the server has sent nothing although an answer is pending; zero: no answer is pending
}

// newSocket returns an unconnected socket for the WebSocket URL u. limit is the maximum time for one write, and for the
// server's silence while an answer is pending. After a longer silence the connection counts as dead.
func newSocket(u *url.URL, limit time.Duration, log *slog.Logger) *socket {
	conf := connection.NewConfig(u)
	conf.Logger = nil // the SDK's default writes to stdout, a protocol stream in some of our programs
	return &socket{
		Connection: sdkgws.New(conf),
		codec:      surrealcbor.New(),
		url:        u,
		log:        log,
		limit:      limit,
		outbox:     make(chan []byte),
		pongs:      make(chan []byte, 1),
		dead:       make(chan struct{}),
		pending:    make(map[string]chan connection.RPCResponse[cbor.RawMessage]),
	}
}

// webSocketURL converts the URL of a server (ws, wss, http or https, with or without /rpc) to that of its WebSocket.
func webSocketURL(endpoint string) (*url.URL, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, fmt.Errorf("store.url is not a URL: %w", err)
	}
	if end, isHTTP := strings.CutPrefix(u.Scheme, "http"); isHTTP {
		u.Scheme = "ws" + end
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	if u.Path = strings.TrimRight(u.Path, "/"); !strings.HasSuffix(u.Path, "/rpc") {
		u.Path += "/rpc"
	}
	return u, nil
}

// Connect dials and upgrades the connection. It gives up when ctx ends.
func (s *socket) Connect(ctx context.Context) error {
	raw, err := s.dial(ctx)
	if err != nil {
		return refusedCertificate(err)
	}
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
	option := &gws.ClientOption{
		Addr:                s.url.String(),
		RequestHeader:       http.Header{"Sec-WebSocket-Protocol": []string{"cbor"}},
		ReadMaxPayloadSize:  maxMessage,
		WriteMaxPayloadSize: maxMessage,
	}
	if deadline, ok := ctx.Deadline(); ok {
		option.HandshakeTimeout = max(time.Until(deadline), time.Millisecond)
	}
	conn, _, err := gws.NewClientFromConn(handler{socket: s}, option, raw)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = raw.Close()
		return fmt.Errorf("open a WebSocket: %w", errors.Join(context.Cause(ctx), refusedCertificate(err)))
	}
	s.conn = conn
	s.loops.Go(s.readLoop)
	s.loops.Go(s.writeLoop)
	return nil
}

func (s *socket) dial(ctx context.Context) (net.Conn, error) {
	port := s.url.Port()
	if port == "" {
		port = map[string]string{"ws": "80", "wss": "443"}[s.url.Scheme]
	}
	address := net.JoinHostPort(s.url.Hostname(), port)
	if s.tls != nil {
		return (&tls.Dialer{Config: s.tls}).DialContext(ctx, "tcp", address)
	}
	return new(net.Dialer).DialContext(ctx, "tcp", address)
}

// Close sends a close frame if that is possible at once, ends both loops and waits for them until ctx ends. Pending calls fail.
func (s *socket) Close(ctx context.Context) error {
	if s.conn != nil {
		_ = s.conn.NetConn().SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
		_ = s.conn.WriteClose(1000, nil)
	}
	s.fail(errors.New("closed by this program"))
	ended := make(chan struct{})
	go func() { s.loops.Wait(); close(ended) }()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *socket) alive() bool {
	select {
	case <-s.dead:
		return false
	default:
		return true
	}
}

// fail ends the socket. Callers get the first cause.
func (s *socket) fail(cause error) {
	s.die.Do(func() {
		s.cause = cause
		close(s.dead)
		if s.conn != nil {
			_ = s.conn.NetConn().Close()
		}
	})
}

func (s *socket) readLoop() {
	defer func() {
		if p := recover(); p != nil {
			s.fail(fmt.Errorf("a fault of this program while it read an answer of SurrealDB: %v: please report it", p))
		}
	}()
	s.conn.ReadLoop()
	s.fail(errors.New("SurrealDB has closed the connection"))
}

func (s *socket) writeLoop() {
	for {
		opcode, message := gws.OpcodeBinary, []byte(nil)
		select {
		case message = <-s.outbox:
		case message = <-s.pongs:
			opcode = gws.OpcodePong
		case <-s.dead:
			return
		}
		_ = s.conn.NetConn().SetWriteDeadline(time.Now().Add(s.limit))
		if err := s.conn.WriteMessage(opcode, message); err != nil {
			s.fail(err)
			return
		}
	}
}

// Call sends one request and waits for its answer, for ctx to end, or for the socket to die. The error wraps errNotSent
// if the server cannot have received the request.
func (s *socket) Call(ctx context.Context, req *connection.RPCRequest) (*connection.RPCResponse[cbor.RawMessage], error) {
	request := *req
	id, answer := s.expect()
	defer s.forget(id)
	request.ID = id
	message, err := s.codec.Marshal(&request)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", req.Method, err)
	}
	if len(message) > maxMessage {
		return nil, fmt.Errorf("%s of %d bytes is over the limit of %d: this is a fault of surrealdb-memory, please report it", req.Method, len(message), maxMessage)
	}
	if !s.alive() {
		return nil, fmt.Errorf("%w: %w", errNotSent, s.gone())
	}
	select {
	case s.outbox <- message:
		s.owe()
	case <-s.dead:
		return nil, fmt.Errorf("%w: %w", errNotSent, s.gone())
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", errNotSent, ctx.Err())
	}
	return s.await(ctx, answer)
}

func (s *socket) await(
	ctx context.Context, answer <-chan connection.RPCResponse[cbor.RawMessage],
) (*connection.RPCResponse[cbor.RawMessage], error) {
	var response connection.RPCResponse[cbor.RawMessage]
	select {
	case response = <-answer:
	case <-ctx.Done():
		s.failIfSilent()
		return nil, ctx.Err()
	case <-s.dead:
		select { // the answer may have arrived just before the end
		case response = <-answer:
		default:
			return nil, s.gone()
		}
	}
	if response.Error != nil {
		return nil, response.Error
	}
	return &response, nil
}

func (s *socket) gone() error { return fmt.Errorf("%w: %w", errSocketGone, s.cause) }

func (s *socket) expect() (string, <-chan connection.RPCResponse[cbor.RawMessage]) {
	answer := make(chan connection.RPCResponse[cbor.RawMessage], 1) // buffered, so that the read loop never waits for a caller
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID++
	id := strconv.FormatUint(s.lastID, 36)
	s.pending[id] = answer
	return id, answer
}

func (s *socket) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pending, id)
}

func (s *socket) owe() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.silent.IsZero() && len(s.pending) > 0 {
		s.silent = time.Now()
	}
}

// failIfSilent closes the connection if the server has sent nothing for the whole limit while an answer is pending.
// Nothing else detects that the machine slept or that a network drops packets.
func (s *socket) failIfSilent() {
	s.mu.Lock()
	// The check is a tenth shorter, because the call that triggers it began before its request was sent.
	silent := !s.silent.IsZero() && time.Since(s.silent) >= s.limit-s.limit/10
	s.mu.Unlock()
	if silent {
		s.fail(fmt.Errorf("no answer for %s", s.limit))
	}
}

func (s *socket) receive(data []byte) {
	var response connection.RPCResponse[cbor.RawMessage]
	if err := s.codec.Unmarshal(data, &response); err != nil {
		s.fail(fmt.Errorf("decode an answer: %w", err))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id, _ := response.ID.(string)
	if id == "" && response.Error != nil && len(s.pending) == 1 {
		for id = range s.pending { // the server could not read the request's ID, so there is only one candidate
		}
	}
	answer, known := s.pending[id]
	delete(s.pending, id)
	if s.silent = (time.Time{}); len(s.pending) > 0 {
		s.silent = time.Now()
	}
	if known {
		answer <- response
	} else if response.Error != nil {
		s.log.Warn("SurrealDB sent an error that belongs to no request", "error", response.Error)
	}
}

func (s *socket) Send(ctx context.Context, method string, params ...any) (*connection.RPCResponse[cbor.RawMessage], error) {
	return s.Call(ctx, &connection.RPCRequest{Method: method, Params: params})
}

func (s *socket) Use(ctx context.Context, namespace, database string) error {
	_, err := s.Send(ctx, "use", namespace, database)
	return err
}

func (s *socket) SignIn(ctx context.Context, credentials any) (string, error) {
	return rpc.SignIn(s, ctx, credentials)
}

// handler receives the frames that gws reads. It is a separate type so that its methods are not methods of socket.
type handler struct {
	gws.BuiltinEventHandler
	*socket
}

func (h handler) OnClose(_ *gws.Conn, err error) { h.fail(err) }

func (h handler) OnPing(_ *gws.Conn, payload []byte) {
	select { // the pong is dropped if another is waiting, because the read loop must not wait for the write loop
	case h.pongs <- payload:
	default:
	}
}

func (h handler) OnMessage(_ *gws.Conn, message *gws.Message) {
	defer func() { _ = message.Close() }()
	h.receive(message.Bytes())
}

// certificates returns the TLS settings for a WebSocket URL, or nil if the connection is not encrypted. It reads the
// file of certificates at each connect, because the file may be replaced.
func certificates(e engine.Endpoint, target *url.URL) (*tls.Config, error) {
	if target.Scheme != "wss" {
		if e.CAFile != "" {
			return nil, fmt.Errorf("TLS to the server failed: store.ca_file is set, but the connection is not encrypted: use wss:// or https:// in store.url")
		}
		return nil, nil
	}
	config := &tls.Config{ServerName: target.Hostname(), MinVersion: tls.VersionTLS12}
	if e.CAFile != "" {
		text, err := os.ReadFile(e.CAFile)
		if err != nil {
			return nil, fmt.Errorf("TLS to the server failed: read store.ca_file: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("TLS to the server failed: store.ca_file %s has no PEM certificate (-----BEGIN CERTIFICATE-----)", e.CAFile)
		}
	}
	return config, nil
}

// refusedCertificate adds the remedy to an error of the TLS handshake about a certificate.
func refusedCertificate(err error) error {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &unknown):
		return fmt.Errorf("TLS to the server failed: %w: set store.ca_file to a file with the authority's certificate", err)
	case errors.As(err, &name), errors.As(err, &invalid):
		return fmt.Errorf("TLS to the server failed: %w: the server needs another certificate", err)
	}
	return err
}
