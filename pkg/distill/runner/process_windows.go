package runner

import (
	"os/exec"
	"strconv"
	"syscall"
)

const createNoWindow = 0x08000000

// separate keeps a console window from flashing up.
func separate(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: createNoWindow | syscall.CREATE_NEW_PROCESS_GROUP}
}

// killGroup ends a process with its children.
func killGroup(pid int) error {
	kill := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(pid))
	separate(kill)
	_ = kill.Run() // it may have ended
	return nil
}
