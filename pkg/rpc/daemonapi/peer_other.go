//go:build !linux && !darwin

package daemonapi

import "os"

// peerOf trusts the check of the socket's folder.
func peerOf(uintptr) (int, error) { return os.Geteuid(), nil }
