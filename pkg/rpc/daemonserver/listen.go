package daemonserver

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Listen opens the socket in a folder that only this user can enter. The caller must hold the daemon's lock: a socket
// file that exists is removed, because its daemon is gone.
func Listen(socket string) (net.Listener, error) {
	if err := private.Make(filepath.Dir(socket)); err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listen: remove the old socket: %w", err)
	}
	address, release, err := daemonapi.Address(socket)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	defer release()
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: address, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", socket, err)
	}
	if err := os.Chmod(socket, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("listen on %s: %w", socket, err), listener.Close())
	}
	listener.SetUnlinkOnClose(false) // at Close the path may be another daemon's; see ownListener
	file, err := os.Lstat(socket)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen on %s: %w", socket, err), listener.Close())
	}
	return &ownListener{listener, socket, file}, nil
}

// ownListener removes its socket file when it is closed, unless another daemon has replaced the file.
type ownListener struct {
	net.Listener
	socket string
	file   fs.FileInfo
}

func (l *ownListener) Close() error {
	err := l.Listener.Close()
	if now, statErr := os.Lstat(l.socket); err == nil && statErr == nil && os.SameFile(now, l.file) {
		_ = os.Remove(l.socket) // if this fails, the next daemon removes it
	}
	return err
}
