//go:build linux || darwin

package daemonclient

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// connect connects to the socket. It refuses a socket that another user could have created, and another user's
// process. It avoids package net, which would make up a fifth of a hook program.
func connect(ctx context.Context, socket string) (*os.File, error) {
	if err := private.Check(filepath.Dir(socket)); err != nil {
		return nil, err
	}
	address, release, err := daemonapi.Address(socket)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	fd, err := newSocket()
	if err != nil {
		return nil, fmt.Errorf("socket: %w", err)
	}
	err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: address}) // never waits: a daemon with too many callers refuses
	conn := os.NewFile(uintptr(fd), socket)                         // uses the poller, because the descriptor is non-blocking
	if err == nil {
		err = daemonapi.CheckPeer(conn)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}
