//go:build !linux && !darwin

package daemonclient

import (
	"context"
	"net"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// connect connects to the socket. It refuses a socket that another user could have created.
func connect(ctx context.Context, socket string) (net.Conn, error) {
	if err := private.Check(filepath.Dir(socket)); err != nil {
		return nil, err
	}
	address, release, err := daemonapi.Address(socket)
	if err != nil {
		return nil, err
	}
	defer release()
	return (&net.Dialer{}).DialContext(ctx, "unix", address)
}
