// Package terminal writes texts for people: columns that fit, colours where they are wanted, times in the reader's zone,
// progress, questions. It also makes stored texts harmless, so that none can control the terminal.
package terminal

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// mark precedes this package's own colour codes. It is random, so that a stored text cannot contain it.
var mark = "\x00" + rand.Text()

// Terminal is where the program reads and writes.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	Now      func() time.Time
	Zone     *time.Location // zone of the times that are shown; nil: UTC

	Width       int  // width of the terminal that Out is, in characters; 0: Out is not a terminal
	Colour      bool // Out understands colours, and they are wanted
	Progress    bool // Err is a terminal
	Interactive bool // a person can answer on In
	JSON        bool // Print prints JSON

	// Interrupted is closed when the person interrupts the program; nil: never.
	Interrupted <-chan struct{}
}

// ErrInterrupted says that the person interrupted the program instead of answering.
var ErrInterrupted = errors.New("interrupted")

// Read reads from In until the program is interrupted, and then returns ErrInterrupted. The system's read cannot be
// cancelled, so it is left behind.
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

// OfProcess returns the terminal of this process.
func OfProcess() *Terminal {
	t := &Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Now: time.Now, Zone: time.Local}
	if term.IsTerminal(int(os.Stdout.Fd())) {
		t.Width, _, _ = term.GetSize(int(os.Stdout.Fd())) // 0 means unknown, and then nothing is cut
		t.Colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	t.Progress = term.IsTerminal(int(os.Stderr.Fd()))
	t.Interactive = term.IsTerminal(int(os.Stdin.Fd()))
	return t
}

// The colours in use, as ANSI codes.
const (
	Red    = "31"
	Green  = "32"
	Yellow = "33"
	Cyan   = "36"
	Dim    = "2"
)

// Paint marks a text for a colour; Print turns the marks into the terminal's codes.
func (t *Terminal) Paint(colour, text string) string {
	if !t.Colour {
		return text
	}
	return mark + colour + "m" + text + mark + "0m"
}

// Notice is a line that is printed at most once, however often it is due.
type Notice struct{ once sync.Once }

// After waits for the pause and then prints the line that text returns, unless the line is empty. end cancels both, and
// waits until text has returned.
func (n *Notice) After(
	ctx context.Context, pause time.Duration, w io.Writer, text func(context.Context) string,
) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		select {
		case <-ctx.Done():
		case <-time.After(pause):
			if line := text(ctx); line != "" {
				n.once.Do(func() { _, _ = fmt.Fprintln(w, line) })
			}
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}
