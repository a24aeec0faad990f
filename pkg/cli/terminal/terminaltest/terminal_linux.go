// Package terminaltest runs a test's program on a terminal, as a person's shell does.
package terminaltest

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"unsafe"
)

// Open opens a pseudo terminal and returns its two sides: the test's and the program's.
func Open() (mine, theirs *os.File, err error) {
	mine, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("open a pseudo terminal: %w", err)
	}
	var locked, number int32
	size := [4]uint16{50, 160, 0, 0} // rows, columns
	for request, argument := range map[uintptr]unsafe.Pointer{
		syscall.TIOCSPTLCK: unsafe.Pointer(&locked),
		syscall.TIOCGPTN:   unsafe.Pointer(&number),
		syscall.TIOCSWINSZ: unsafe.Pointer(&size),
	} {
		if _, _, code := syscall.Syscall(syscall.SYS_IOCTL, mine.Fd(), request, uintptr(argument)); code != 0 {
			_ = mine.Close()
			return nil, nil, fmt.Errorf("set up a pseudo terminal: request %#x: %w", request, code)
		}
	}
	theirs, err = os.OpenFile("/dev/pts/"+strconv.Itoa(int(number)), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		_ = mine.Close()
		return nil, nil, fmt.Errorf("open a pseudo terminal: %w", err)
	}
	return mine, theirs, nil
}

// On makes a program run on a terminal as a shell does.
func On(program *exec.Cmd, terminal *os.File) {
	program.Stdin, program.Stdout, program.Stderr = terminal, terminal, terminal
	program.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
}
