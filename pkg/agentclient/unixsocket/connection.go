// Package unixsocket connects to the agent without package net, where the system allows it: hooks link it.
package unixsocket

import (
	"io"
	"time"
)

// Conn is a socket with deadlines.
type Conn interface {
	io.ReadWriteCloser
	SetDeadline(time.Time) error
}
