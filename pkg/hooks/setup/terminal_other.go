//go:build !linux

package setup

import "io"

// silentClient finds no client's terminal here: the system does not lend another
// process's standard error.
func silentClient() io.WriteCloser { return nil }
