// Package terminal prints texts for people: aligned columns, local times and questions. It also
// makes stored texts harmless, so that none can control the terminal.
package terminal

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// Terminal has the program's input and output.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	Now      func() time.Time
	Zone     *time.Location // time zone of printed times; nil for UTC

	Width       int  // width in characters; 0 if Out is not a terminal
	Interactive bool // whether a person can answer on In
	JSON        bool // whether Print prints JSON

	// Interrupted is closed when the person interrupts the program; nil for never.
	Interrupted <-chan struct{}
}

// ErrInterrupted means that the person interrupted the program instead of answering.
var ErrInterrupted = errors.New("interrupted")

// Read reads from In. If the program is interrupted it returns ErrInterrupted. The read of In then goes on, because
// it cannot be cancelled.
func (t *Terminal) Read(into []byte) (int, error) {
	own, ended := make([]byte, len(into)), make(chan error, 1)
	var n int
	go func() {
		var err error
		n, err = t.In.Read(own)
		ended <- err
	}()
	select {
	case err := <-ended:
		return copy(into, own[:n]), err
	case <-t.Interrupted:
		return 0, ErrInterrupted
	}
}

func OfProcess() *Terminal {
	t := &Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Now: time.Now, Zone: time.Local}
	if term.IsTerminal(int(os.Stdout.Fd())) {
		t.Width, _, _ = term.GetSize(int(os.Stdout.Fd())) // 0 if unknown: then nothing is cut
	}
	t.Interactive = term.IsTerminal(int(os.Stdin.Fd()))
	return t
}
