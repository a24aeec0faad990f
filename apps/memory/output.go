package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// print writes a value as JSON, or as text in columns.
func (p *program) print(c *cli.Context, value any, text func(io.Writer)) error {
	if c.Bool("json") {
		encoder := json.NewEncoder(p.out)
		encoder.SetIndent("", "  ")
		if rows := reflect.ValueOf(value); rows.Kind() == reflect.Slice && rows.IsNil() {
			value = []any{} // no rows are an empty list to whoever reads it
		}
		return encoder.Encode(value)
	}
	var page bytes.Buffer
	columns := tabwriter.NewWriter(&page, 0, 0, 2, ' ', 0)
	text(columns)
	if err := columns.Flush(); err != nil {
		return err
	}
	return p.show(c, p.finished(page.String()))
}

// show writes a page, by the user's pager if it is longer than the terminal.
func (p *program) show(c *cli.Context, page string) error {
	pager := p.getenv("PAGER")
	if pager == "" || p.height == 0 || strings.Count(page, "\n") < p.height {
		_, err := io.WriteString(p.out, page)
		return err
	}
	cmd := exec.CommandContext(c.Context, "sh", "-c", pager)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(page), p.out, p.err
	cmd.Env = os.Environ()
	if p.getenv("LESS") == "" {
		cmd.Env = append(cmd.Env, "LESS=FRX") // colours as such
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("show the page by PAGER (%s): %w", pager, err)
	}
	return nil
}

// finished is the last gate before the terminal: no control character of a
// stored text passes, and the colours that this program has marked become such.
func (p *program) finished(page string) string {
	parts := strings.Split(page, p.mark)
	var out strings.Builder
	out.WriteString(harmlessLines(parts[0]))
	for _, part := range parts[1:] {
		code, rest, _ := strings.Cut(part, "m")
		if p.colour {
			out.WriteString("\x1b[" + code + "m")
		}
		out.WriteString(harmlessLines(rest))
	}
	return out.String()
}

// The colours in use.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
	dim    = "2"
)

// paint marks a text to be shown in a colour.
func (p *program) paint(colour, text string) string {
	if !p.colour {
		return text
	}
	return p.mark + colour + "m" + text + p.mark + "0m"
}

// printable keeps a stored text from steering the terminal: on one line, without
// control characters and without those that turn the direction of writing.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || steers(r) {
			return ' '
		}
		return r
	}, text)
}

// harmlessLines does the same and leaves lines.
func harmlessLines(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && steers(r) {
			return ' '
		}
		return r
	}, text)
}

func steers(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' ||
		(r >= '\u202a' && r <= '\u202e') || (r >= '\u2066' && r <= '\u2069') || r == '\u200e' || r == '\u200f'
}

// time is an instant in the user's zone.
func (p *program) time(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	zone := p.zone
	if zone == nil {
		zone = time.UTC
	}
	return at.In(zone).Format(time.DateTime)
}

// title is the beginning of a text that fits behind columns of so many
// characters on the terminal; where there is none, it is the whole.
func (p *program) title(text string, columns int) string {
	text = printable(memory.OneLine(text))
	if p.width == 0 {
		return text
	}
	room := max(p.width-columns, 20)
	if runes := []rune(text); len(runes) > room {
		return string(runes[:room-1]) + "…"
	}
	return text
}

// bar shows on standard error how far long work is, if that is a terminal. The
// caller adds to it and closes it.
func (p *program) bar(total int, what string) *progressbar.ProgressBar {
	out := io.Discard
	if p.progress {
		out = p.err
	}
	return progressbar.NewOptions(total,
		progressbar.OptionSetDescription(what), progressbar.OptionSetWriter(out), progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionSetVisibility(p.progress),
	)
}

// isYes asks a question that can be answered by y. Without somebody to answer, it
// is no.
func (p *program) isYes(question string) bool {
	if !p.interactive {
		return false
	}
	_, _ = fmt.Fprintf(p.err, "%s [y/N] ", harmlessLines(question))
	var answer string
	_, _ = fmt.Fscanln(p.in, &answer)
	return strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes")
}
