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
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/defuse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// print writes a value as JSON, or as text in columns.
func (p *program) print(c *cli.Context, value any, text func(io.Writer)) error {
	if c.Bool("json") {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetIndent("", "  ")
		if rows := reflect.ValueOf(value); rows.Kind() == reflect.Slice && rows.IsNil() {
			value = []any{} // no rows are an empty list to whoever reads it
		}
		if err := encoder.Encode(value); err != nil {
			return err
		}
		_, err := p.out.Write(harmlessJSON(text.Bytes()))
		return err
	}
	var page bytes.Buffer
	text(&page)
	return p.show(c, p.finished(p.columns(page.String())))
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

// printable keeps a stored text from steering the terminal, and from being taken
// for more than text by a model that reads the output: on one line, without escape
// sequences and what cannot be seen, and without what imitates turns and tags.
func printable(text string) string { return defuse.Line(text) }

// harmlessLines keeps a page from steering the terminal, and leaves its lines and
// columns.
func harmlessLines(text string) string { return defuse.Visible(text) }

// harmlessJSON writes what a terminal would obey or not show as JSON's own escapes,
// so that nothing is lost.
func harmlessJSON(text []byte) []byte {
	var out []byte
	for _, r := range string(text) {
		switch {
		case r == '\n' || !defuse.Steers(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
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

// ago is how long ago something was; after two weeks it is the date.
func (p *program) ago(at time.Time) string {
	since := p.now().Sub(at)
	switch {
	case at.IsZero():
		return "-"
	case since < -time.Minute || since >= 14*24*time.Hour:
		return p.time(at)[:len(time.DateOnly)]
	case since < time.Minute:
		return "now"
	case since < time.Hour:
		return fmt.Sprintf("%dm ago", since/time.Minute)
	case since < 24*time.Hour:
		return fmt.Sprintf("%dh ago", since/time.Hour)
	}
	return fmt.Sprintf("%dd ago", since/(24*time.Hour))
}

// when is an instant with how long ago it was.
func (p *program) when(at time.Time) string {
	if ago := p.ago(at); ago != "-" && !strings.HasPrefix(p.time(at), ago) {
		return p.time(at) + " (" + ago + ")"
	}
	return p.time(at)
}

// counted is a number with what it counts: 1 session, 2 sessions, 3 memories.
func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	if stem, isY := strings.CutSuffix(one, "y"); isY && !strings.HasSuffix(stem, "a") {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// held is what a project or the store holds.
func held(h memory.Holding) string {
	return counted(h.Memories, "memory") + ", " + counted(h.Sessions, "session") + ", " + counted(h.Prompts, "prompt")
}

// a puts the article before a word: a note, an edit.
func a(word string) string {
	if strings.ContainsRune("aeio", rune((word + " ")[0])) { // of our words none with u sounds like a vowel
		return "an " + word
	}
	return "a " + word
}

// header is the first line of a table.
func (p *program) header(names ...string) string {
	for i, name := range names {
		names[i] = p.paint(dim, name)
	}
	return strings.Join(names, "\t") + "\n"
}

// gap is between two columns.
const gap = 2

// columns puts the cells of each line, which end in tabs, below each other: cells
// of lines that follow each other are a column. The last cell of a line is broken
// between words where the terminal ends, or, in a line that ends with cutHere, cut.
func (p *program) columns(page string) string {
	lines := strings.Split(page, "\n")
	cells := make([][]string, len(lines))
	for i, line := range lines {
		cells[i] = strings.Split(line, "\t")
	}
	var out strings.Builder
	for i := range cells {
		last := len(cells[i]) - 1
		start := 0
		for c, cell := range cells[i][:last] {
			width := p.columnWidth(cells, i, c) + gap
			out.WriteString(cell)
			out.WriteString(strings.Repeat(" ", width-p.visible(cell)))
			start += width
		}
		out.WriteString(p.lastCell(cells[i][last], start))
		if i < len(cells)-1 {
			out.WriteString("\n")
		}
	}
	return out.String()
}

// columnWidth is the width of the widest cell of a column around a line.
func (p *program) columnWidth(cells [][]string, line, column int) int {
	widest := 0
	has := func(i int) bool { return i >= 0 && i < len(cells) && len(cells[i])-1 > column }
	for i := line; has(i); i-- {
		widest = max(widest, p.visible(cells[i][column]))
	}
	for i := line + 1; has(i); i++ {
		widest = max(widest, p.visible(cells[i][column]))
	}
	return widest
}

// cutHere at the end of a cell has it cut where the terminal ends. printable
// keeps it out of stored texts.
const cutHere = "\x01"

// leastRoom is the room that a last cell has even on a narrow terminal, in columns.
const leastRoom = 20

// lastCell is the last cell of a line as it fits behind so many columns.
func (p *program) lastCell(cell string, start int) string {
	cell, isCut := strings.CutSuffix(cell, cutHere)
	room := max(p.width-start, leastRoom)
	switch {
	case p.width == 0 || p.visible(cell) <= room:
		return cell
	case isCut:
		return cut(cell, room)
	case start == 0:
		return cell // the terminal breaks it, and it can be copied as one
	}
	return strings.Join(wrapped(cell, room, p.visible), "\n"+strings.Repeat(" ", start))
}

// broken is a message for standard error, broken between words if that is a
// terminal.
func (p *program) broken(message string) string {
	if !p.progress || p.width == 0 {
		return message
	}
	return strings.Join(wrapped(message, p.width, p.visible), "\n")
}

// cut is the beginning of a text that fills so many columns, with an ellipsis.
func cut(text string, room int) string {
	var out strings.Builder
	clusters := uniseg.NewGraphemes(text)
	for used := 0; clusters.Next(); {
		if used += clusters.Width(); used > room-1 {
			break
		}
		out.WriteString(clusters.Str())
	}
	return strings.TrimRight(out.String(), " ") + "…"
}

// visible is how many columns of a terminal a text fills; the marks of colours
// fill none.
func (p *program) visible(text string) int {
	parts := strings.Split(text, p.mark)
	width := uniseg.StringWidth(parts[0])
	for _, part := range parts[1:] {
		_, rest, _ := strings.Cut(part, "m")
		width += uniseg.StringWidth(rest)
	}
	return width
}

// title is a text as the last cell of a line, cut where the terminal ends.
func title(text string) string { return printable(memory.OneLine(text)) + cutHere }

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
