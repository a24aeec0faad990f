//go:build !linux

package hooks

import "io"

// silentClient returns nil: this system gives no access to another process's standard error.
func silentClient() io.WriteCloser { return nil }
