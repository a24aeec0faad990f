//go:build !linux && !darwin

package agentapi

import "os"

// peerOf trusts the check of the socket's folder.
func peerOf(uintptr) (int, error) { return os.Geteuid(), nil }
