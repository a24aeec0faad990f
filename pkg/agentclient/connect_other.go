//go:build !linux && !darwin

package agentclient

import (
	"context"
	"net"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/private"
)

// connect connects to the socket. It refuses a socket that another user could have put
// there.
func connect(ctx context.Context, socket string) (net.Conn, error) {
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
