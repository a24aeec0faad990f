//go:build !linux && !darwin

// Package unixsocket connects to the agent without package net, where the system allows it: hooks link it.
package unixsocket

import (
	"context"
	"net"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/private"
)

// Connect connects to the socket. It refuses a socket that another user could have put
// there.
func Connect(ctx context.Context, socket string) (net.Conn, error) {
	if err := private.Check(filepath.Dir(socket)); err != nil {
		return nil, err
	}
	address, release, err := agentapi.Address(socket)
	if err != nil {
		return nil, err
	}
	defer release()
	return (&net.Dialer{}).DialContext(ctx, "unix", address)
}
