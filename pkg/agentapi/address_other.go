//go:build !linux

package agentapi

import "fmt"

// Address is the address of a socket's path for the operating system.
func Address(socket string) (address string, release func(), err error) {
	if len(socket) > longestAddress {
		return "", nil, fmt.Errorf("%s has %d bytes, a socket's path at most %d: set MEMORY_HOME to a shorter one", socket, len(socket), longestAddress)
	}
	return socket, func() {}, nil
}
