package agentclient

import (
	"io"
	"time"
)

// connection is a socket with deadlines.
type connection interface {
	io.ReadWriteCloser
	SetDeadline(time.Time) error
}
