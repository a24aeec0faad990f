package engine

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
)

const (
	createNoWindow        = 0x08000000
	errorSharingViolation = syscall.Errno(32)
)

// separate keeps a console window from flashing up.
func separate(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: createNoWindow | syscall.CREATE_NEW_PROCESS_GROUP}
}

// askToEnd ends the process at once: Windows has no signal that asks.
func askToEnd(target *os.Process) error { return target.Kill() }

func killGroup(int) {}

// lookUp knows nothing: a process that may not be ours is left alone.
func lookUp(context.Context, int) (process, bool) { return process{}, false }

// tryLock takes the lock or returns errLocked. The system gives up a file that nobody may share when its process ends.
func tryLock(path string) (unlock func(), err error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	handle, err := syscall.CreateFile(name, syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, errorSharingViolation) {
		return nil, errLocked
	}
	if err != nil {
		return nil, err
	}
	return func() { syscall.CloseHandle(handle) }, nil // closing releases the lock
}
