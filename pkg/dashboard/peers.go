package dashboard

import (
	"errors"
	"net/netip"
)

// A UserOf finds out whose processes connect: the number of the user whose process holds the
// client's end of a TCP connection. The error is ErrUnknownUser where the system does not say,
// and any other where nobody holds that end.
type UserOf func(client, server netip.AddrPort) (int, error)

// ErrUnknownUser is returned where the system does not report whose process is at the other end of
// a TCP connection.
var ErrUnknownUser = errors.New("the system does not say whose process it is")

// errNobody says that no process holds the client's end any more: it may have sent a
// request and left, and then its user is not told.
var errNobody = errors.New("no process holds the other end")
