package process

import (
	"os/exec"
	"strconv"
	"syscall"
)

const createNoWindow = 0x08000000

// Separate gives a command its own process group without a console window.
func Separate(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: createNoWindow | syscall.CREATE_NEW_PROCESS_GROUP}
}

// KillGroup kills a process and its children. It ignores errors: usually all have ended already.
func KillGroup(pid int) {
	kill := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(pid))
	Separate(kill)
	_ = kill.Run()
}
