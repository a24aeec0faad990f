package dashboard

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
)

// userInTables reads the kernel's tables of connections.
func userInTables(client, server netip.AddrPort) (int, error) {
	// The tables change while they are read, so a look may miss a line.
	const looks = 3
	for range looks {
		user, err := userInFile("/proc/self/net/tcp", client, server)
		if errors.Is(err, errNobody) { // a program may speak IPv4 through a socket of IPv6
			user, err = userInFile("/proc/self/net/tcp6", client, server)
			if errors.Is(err, ErrNotTold) { // this system has no IPv6
				err = errNobody
			}
		}
		if !errors.Is(err, errNobody) {
			return user, err
		}
	}
	return 0, errNobody
}

func userInFile(path string, client, server netip.AddrPort) (int, error) {
	table, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return 0, ErrNotTold
	}
	if err != nil {
		return 0, fmt.Errorf("look whose process connects: %w", err)
	}
	defer func() { _ = table.Close() }()
	return userIn(table, client, server)
}
