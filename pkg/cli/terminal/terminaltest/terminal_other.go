//go:build !linux

package terminaltest

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
)

// Open fails: pseudo terminals are supported on Linux only.
func Open() (mine, theirs *os.File, err error) {
	return nil, nil, errors.New("there is no pseudo terminal on " + runtime.GOOS)
}

// On does nothing; see Open.
func On(*exec.Cmd, *os.File) {}
