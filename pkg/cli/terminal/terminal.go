// Package terminal writes texts for people: columns that fit, colours where they are
// wanted, times in the reader's zone, a pager, questions. It also escapes stored texts,
// so that none can control the terminal.
package terminal

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// mark precedes this package's own colour codes. It is random, so that stored text
// cannot contain it.
var mark = "\x00" + rand.Text()

// Terminal is where the program reads and writes.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	Now      func() time.Time
	Zone     *time.Location // of the times that are shown; nil is UTC

	Width, Height int  // of the terminal that Out is, in characters; 0 if it is none
	Colour        bool // Out understands colours, and they are wanted
	Progress      bool // Err is a terminal
	Interactive   bool // a person can answer on In
}

// OfProcess is the terminal of this process.
func OfProcess() *Terminal {
	t := &Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Now: time.Now, Zone: time.Local}
	if term.IsTerminal(int(os.Stdout.Fd())) {
		t.Width, t.Height, _ = term.GetSize(int(os.Stdout.Fd())) // 0 means unknown, and then nothing is cut or paged
		t.Colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	t.Progress = term.IsTerminal(int(os.Stderr.Fd()))
	t.Interactive = term.IsTerminal(int(os.Stdin.Fd()))
	return t
}

// Print writes a value as JSON, or as text in columns.
func (t *Terminal) Print(ctx context.Context, asJSON bool, value any, text func(io.Writer)) error {
	if asJSON {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetIndent("", "  ")
		if rows := reflect.ValueOf(value); rows.Kind() == reflect.Slice && rows.IsNil() {
			value = []any{} // no rows are an empty list to whoever reads it
		}
		if err := encoder.Encode(value); err != nil {
			return err
		}
		_, err := t.Out.Write(harmlessJSON(text.Bytes()))
		return err
	}
	var page bytes.Buffer
	text(&page)
	return t.show(ctx, t.finished(t.columns(page.String())))
}

// show writes a page, by the user's pager if it is longer than the terminal.
func (t *Terminal) show(ctx context.Context, page string) error {
	pager := t.Getenv("PAGER")
	if pager == "" || t.Height == 0 || strings.Count(page, "\n") < t.Height {
		_, err := io.WriteString(t.Out, page)
		return err
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", pager)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(page), t.Out, t.Err
	cmd.Env = os.Environ()
	if t.Getenv("LESS") == "" {
		cmd.Env = append(cmd.Env, "LESS=FRX") // colours as such
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("show the page by PAGER (%s): %w", pager, err)
	}
	return nil
}

// finished removes the control characters of stored texts, and turns this program's own
// marks into colours.
func (t *Terminal) finished(page string) string {
	parts := strings.Split(page, mark)
	var out strings.Builder
	out.WriteString(Lines(parts[0]))
	for _, part := range parts[1:] {
		code, rest, _ := strings.Cut(part, "m")
		if t.Colour {
			out.WriteString("\x1b[" + code + "m")
		}
		out.WriteString(Lines(rest))
	}
	return out.String()
}

// The colours in use.
const (
	Red    = "31"
	Green  = "32"
	Yellow = "33"
	Cyan   = "36"
	Dim    = "2"
)

// Paint marks a text to be shown in a colour.
func (t *Terminal) Paint(colour, text string) string {
	if !t.Colour {
		return text
	}
	return mark + colour + "m" + text + mark + "0m"
}

// Bar shows the progress of long work on standard error, if that is a terminal. The
// caller adds to it and closes it.
func (t *Terminal) Bar(total int, what string) *progressbar.ProgressBar {
	out := io.Discard
	if t.Progress {
		out = t.Err
	}
	return progressbar.NewOptions(total,
		progressbar.OptionSetDescription(what), progressbar.OptionSetWriter(out), progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionSetVisibility(t.Progress),
	)
}

// IsYes asks a question. Only y means yes; without a terminal the answer is no.
func (t *Terminal) IsYes(question string) bool {
	if !t.Interactive {
		return false
	}
	_, _ = fmt.Fprintf(t.Err, "%s [y/N] ", Lines(question))
	var answer string
	_, _ = fmt.Fscanln(t.In, &answer)
	return strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes")
}

// Broken is a message for standard error, with line breaks between words if that is a
// terminal.
func (t *Terminal) Broken(message string) string {
	if !t.Progress || t.Width == 0 {
		return message
	}
	return strings.Join(Wrapped(message, t.Width, t.visible), "\n")
}
