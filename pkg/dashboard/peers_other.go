//go:build !linux

package dashboard

import "net/netip"

// systemUser knows nothing: this system has no table of connections that is read without
// further libraries.
func systemUser(netip.AddrPort, netip.AddrPort) (int, error) { return 0, ErrUnknownUser }
