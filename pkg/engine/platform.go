package engine

import "errors"

// errLocked says that another process holds a lock; see tryLock.
var errLocked = errors.New("locked")

// process is the system's record of a running process.
type process struct {
	parent  int
	command string // program and arguments
}
