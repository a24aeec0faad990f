package dashboard

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"sync"
)

// mostConnections bounds the connections that are open at once, and so the descriptors
// that strangers can take from the agent: browsers open six to a host.
const mostConnections = 64

// root may read everything of the user's anyway; some systems forward connections by it
// (the one that runs Linux inside Windows does).
const root = 0

// door is a listener that lets processes of this user in, as far as the system tells
// whose they are, and a limited number of connections at once.
type door struct {
	net.Listener
	userOf UserOf
	log    *slog.Logger

	slots    chan struct{}
	closed   chan struct{}
	closing  sync.Once
	reported sync.Once
}

// newDoor makes a listener of another's connections. userOf is the system's if it is nil.
func newDoor(inner net.Listener, userOf UserOf, log *slog.Logger) net.Listener {
	if userOf == nil {
		userOf = systemUser
	}
	return &door{
		Listener: inner, userOf: userOf, log: log, slots: make(chan struct{}, mostConnections),
		closed: make(chan struct{}),
	}
}

func (d *door) Accept() (net.Conn, error) {
	select {
	case d.slots <- struct{}{}:
	case <-d.closed:
		return nil, net.ErrClosed
	}
	for {
		conn, err := d.Listener.Accept()
		if err != nil {
			<-d.slots
			return nil, err
		}
		if err := d.check(conn); err != nil {
			_ = conn.Close()
			d.reported.Do(func() { d.log.Warn("a process is not let in to the dashboard; this is said once", "error", err) })
			continue
		}
		return &guest{Conn: conn, leave: sync.OnceFunc(func() { <-d.slots })}, nil
	}
}

// check refuses another user's process.
func (d *door) check(conn net.Conn) error {
	client, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return fmt.Errorf("read the client's address: %w", err)
	}
	server, err := netip.ParseAddrPort(conn.LocalAddr().String())
	if err != nil {
		return fmt.Errorf("read the server's address: %w", err)
	}
	user, err := d.userOf(client, server)
	if errors.Is(err, ErrUnknownUser) {
		return nil
	}
	if err != nil {
		return err
	}
	if me := os.Geteuid(); user != me && user != root {
		return fmt.Errorf("it is user %d's, and this is user %d", user, me)
	}
	return nil
}

func (d *door) Close() error {
	d.closing.Do(func() { close(d.closed) })
	return d.Listener.Close()
}

// guest is a connection that gives its place back when it is closed.
type guest struct {
	net.Conn
	leave func()
}

func (c *guest) Close() error {
	err := c.Conn.Close()
	c.leave()
	return err
}
