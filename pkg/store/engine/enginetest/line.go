package enginetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// Line forwards connections from a program to an engine. It can be cut, held, stopped and slowed, like a network.
type Line struct {
	address string
	target  string
	tls     *tls.Config // nil: not encrypted
	held    atomic.Bool
	pause   atomic.Int64 // nanoseconds to wait before forwarding each piece
	calls   sync.WaitGroup

	mu       sync.Mutex
	listener net.Listener
	conns    map[net.Conn]bool
}

// NewLine returns a line to the engine at a WebSocket URL. It stops when the test ends.
func NewLine(t testing.TB, target string) *Line { return newLine(t, target, nil) }

// NewTLSLine does what NewLine does, with TLS between the program and the line. The authority signs the line's certificate.
func NewTLSLine(t testing.TB, target string, by *Authority) *Line {
	t.Helper()
	server := musttest.Get(tls.LoadX509KeyPair(by.Sign(t, "server", time.Now().Add(time.Hour))))(t)
	return newLine(t, target, &tls.Config{Certificates: []tls.Certificate{server}, MinVersion: tls.VersionTLS12})
}

func newLine(t testing.TB, target string, config *tls.Config) *Line {
	t.Helper()
	l := &Line{address: "127.0.0.1:0", target: strings.TrimPrefix(target, "ws://"), tls: config, conns: map[net.Conn]bool{}}
	l.Start(t)
	t.Cleanup(func() {
		l.Stop()
		l.calls.Wait()
	})
	return l
}

// URL returns the WebSocket URL of the engine through this line.
func (l *Line) URL() string {
	if l.tls != nil {
		return "wss://" + l.address
	}
	return "ws://" + l.address
}

// Start makes a stopped line accept connections again, at the same address.
func (l *Line) Start(t testing.TB) {
	t.Helper()
	listener := musttest.Get(net.Listen("tcp", l.address))(t)
	l.address = listener.Addr().String()
	if l.tls != nil {
		listener = tls.NewListener(listener, l.tls)
	}
	l.mu.Lock()
	l.listener = listener
	l.mu.Unlock()
	l.calls.Go(func() { l.serve(listener) })
}

// Stop refuses new connections and ends all existing connections, like a server that is down.
func (l *Line) Stop() {
	l.mu.Lock()
	_ = l.listener.Close()
	l.mu.Unlock()
	l.Cut()
}

// Cut ends all connections.
func (l *Line) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.conns {
		_ = conn.Close()
	}
	clear(l.conns)
}

// Hold sets whether later connections are accepted but never answered.
func (l *Line) Hold(held bool) { l.held.Store(held) }

// Slow sets the delay of each piece of at most 16 KB.
func (l *Line) Slow(pause time.Duration) { l.pause.Store(int64(pause)) }

func (l *Line) serve(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		l.keep(conn)
		if !l.held.Load() {
			l.calls.Go(func() { l.connect(conn) })
		}
	}
}

func (l *Line) connect(conn net.Conn) {
	engine, err := net.Dial("tcp", l.target)
	if err != nil {
		_ = conn.Close()
		return
	}
	l.keep(engine)
	l.calls.Go(func() { l.pass(engine, conn) })
	l.pass(conn, engine)
}

// pass copies bytes until either side is closed, and then closes both.
func (l *Line) pass(to, from net.Conn) {
	piece := make([]byte, 16<<10)
	for {
		n, err := from.Read(piece)
		if pause := time.Duration(l.pause.Load()); pause > 0 && n > 0 {
			<-time.After(pause)
		}
		if n > 0 && err == nil {
			_, err = to.Write(piece[:n])
		}
		if err != nil {
			_, _ = to.Close(), from.Close()
			return
		}
	}
}

func (l *Line) keep(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[conn] = true
}

// Authority signs certificates for 127.0.0.1. Only tests trust it.
type Authority struct {
	// File is the path of the authority's certificate (PEM).
	File string

	dir         string
	key         *ecdsa.PrivateKey
	certificate *x509.Certificate
}

// NewAuthority returns an authority with its files in a directory of the test.
func NewAuthority(t testing.TB) *Authority {
	t.Helper()
	a := &Authority{dir: t.TempDir()}
	a.File, a.key, a.certificate = filepath.Join(a.dir, "ca.pem"), newKey(t), template("authority", time.Now().Add(time.Hour))
	a.certificate.IsCA, a.certificate.BasicConstraintsValid, a.certificate.KeyUsage = true, true, x509.KeyUsageCertSign
	a.certificate = a.write(t, a.File, a.certificate, a.key)
	return a
}

// Sign creates a certificate that is valid until a time. It returns the files of the certificate and of its key.
func (a *Authority) Sign(t testing.TB, name string, until time.Time) (certificate, key string) {
	t.Helper()
	made := newKey(t)
	certificate, key = filepath.Join(a.dir, name+".pem"), filepath.Join(a.dir, name+".key")
	a.write(t, certificate, template(name, until), made)
	der := musttest.Get(x509.MarshalPKCS8PrivateKey(made))(t)
	writePEM(t, key, "PRIVATE KEY", der)
	return certificate, key
}

func (a *Authority) write(t testing.TB, file string, about *x509.Certificate, key *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	parent := a.certificate
	der := musttest.Get(x509.CreateCertificate(rand.Reader, about, parent, &key.PublicKey, a.key))(t)
	writePEM(t, file, "CERTIFICATE", der)
	signed := musttest.Get(x509.ParseCertificate(der))(t)
	return signed
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key := musttest.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	return key
}

func template(name string, until time.Time) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: until, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
}

func writePEM(t testing.TB, file, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}
