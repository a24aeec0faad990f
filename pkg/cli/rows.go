package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// memoryTable writes a header and one line for each memory.
func memoryTable(t *terminal.Terminal, w io.Writer, memories []daemonapi.Listed) {
	_, _ = io.WriteString(w, "ID\tSEEN\tKIND\tSOURCE\tTEXT\n")
	for _, m := range memories {
		memoryRow(t, w, m)
	}
}

func memoryRow(t *terminal.Terminal, w io.Writer, m daemonapi.Listed) {
	id, kind := memory.ShortID(terminal.Printable(m.ID)), string(m.Kind)
	if m.Pinned {
		kind += "*"
	}
	text := terminal.Title(m.Content)
	if len(m.Cues) > 0 {
		text += "  for: " + terminal.Title(strings.Join(m.Cues, "; "))
	}
	if m.SupersededBy != "" {
		text += "  replaced by " + memory.ShortID(terminal.Printable(m.SupersededBy))
	}
	_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", id, t.Ago(m.LastSeenAt),
		terminal.Printable(kind), sourceOf(m.Memory), text)
}

// propertyTable writes a line for each name with a value.
func propertyTable(w io.Writer, rows [][2]string) {
	for _, row := range rows {
		if row[1] != "" {
			_, _ = fmt.Fprintf(w, "%s\t%s\n", row[0], row[1])
		}
	}
}

func sourceOf(m memory.Memory) string {
	return strings.ReplaceAll(terminal.Printable(m.Attribution()), "_", " ")
}

// cut returns at most limit rows of a list, and whether there are more.
func cut[T any](rows []T, limit int) ([]T, bool) {
	return rows[:min(limit, len(rows))], len(rows) > limit
}

func moreLine(w io.Writer, isCut bool) {
	if isCut {
		_, _ = fmt.Fprintln(w, "there are more; --limit N shows N")
	}
}

func distillationState(s daemonapi.DistillStatus) string {
	asked := ""
	if r := s.Running; r != nil {
		asked = fmt.Sprintf("; distilling session %s since %s (at most %d tokens)", terminal.Printable(shortSession(r.Session)), r.Since.Local().Format(time.TimeOnly), r.Tokens)
	}
	if !s.Enabled {
		return "distillation is switched off" + asked
	}
	line := fmt.Sprintf("%d of %d tokens today, %s waiting", s.Today, s.DayTokens, memory.Counted(s.Waiting, "session"))
	if s.Receiver != "" {
		line += ", text goes to " + terminal.Printable(s.Receiver)
	}
	if s.Dead > 0 {
		line += fmt.Sprintf(", %s given up", memory.Counted(s.Dead, "session"))
	}
	if s.Stopped != "" {
		line += "; stopped: " + terminal.Printable(s.Stopped)
	}
	return line + asked
}

// sessionDigits is the number of characters shown of a session's id, enough to be unique for one person.
const sessionDigits = 8

// shellSession begins the ids of the sessions of memory remember, one for each project and day.
const shellSession = "cli-"

// shortSession returns the beginning of a session's id, as lists show it.
func shortSession(id string) string {
	length := sessionDigits
	if strings.HasPrefix(id, shellSession) { // keep the day too
		length = len(shellSession + time.DateOnly)
	}
	return terminal.Printable(id[:min(length, len(id))])
}
