//go:build !unix

package spool

import "os"

func own(dir string) error { return os.MkdirAll(dir, 0o700) }
