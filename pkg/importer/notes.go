package importer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// notesFormat is the format in the header of a note file.
const notesFormat = "surrealdb-memory-notes"

// NoteFile is a Markdown file, meant for people to read, of the memories of one kind in a project or of the user.
type NoteFile struct {
	Project  memory.Project // project of the memories; without a key they are the user's
	Kind     memory.Kind
	Memories []memory.Memory
}

// Name returns the name of the file in its project's folder.
func (f NoteFile) Name() string { return string(f.Kind) + ".md" }

// Redact removes private and secret parts again, and memories that become empty. It returns the number of memories that it changed.
func (f *NoteFile) Redact() int {
	changed := 0
	for i := range f.Memories {
		m := &f.Memories[i]
		if !scrubMemory(m) {
			continue
		}
		changed++
		if m.ID == "" {
			m.ID = memory.NewID(m.Scope, m.Project, m.Content)
		}
	}
	f.Memories = slices.DeleteFunc(f.Memories, func(m memory.Memory) bool { return m.Content == "" })
	return changed
}

// Encode returns the file, the newest memory first. The same memories always give the same file.
func (f NoteFile) Encode() []byte {
	memories := slices.Clone(f.Memories)
	slices.SortFunc(memories, func(a, b memory.Memory) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	var body bytes.Buffer
	body.WriteString("A change here changes nothing in the memory: `memory edit ID --content TEXT` does.\n\n")
	for _, m := range memories {
		fmt.Fprintf(&body, "- %s ^%s\n    - %s\n", memory.OneLine(m.Content), memory.ShortID(m.ID), aboutNote(m))
	}
	return noteFile(f.Project, string(f.Kind), body.Bytes())
}

// aboutNote returns the line below a memory.
func aboutNote(m memory.Memory) string {
	parts := []string{m.LastSeenAt.UTC().Format(time.DateOnly), fmt.Sprintf("importance %.2g", m.Importance)}
	if m.Pinned {
		parts = append(parts, "pinned")
	}
	if m.Source != "" {
		parts = append(parts, "source "+string(m.Source))
	}
	if m.Session != "" {
		parts = append(parts, "[[session#^"+sessionBlock(m.Session)+"|session]]")
	}
	for _, file := range m.Files {
		parts = append(parts, "[["+link(file)+"]]")
	}
	for _, tag := range m.Tags {
		parts = append(parts, "#"+notInTag.ReplaceAllString(tag, "-"))
	}
	return strings.Join(parts, ", ")
}

var (
	notInTag   = regexp.MustCompile(`[^\p{L}\p{N}_/-]+`)
	notInBlock = regexp.MustCompile(`[^A-Za-z0-9-]+`)
)

// link returns a path without the characters that a link cannot have.
func link(file string) string {
	return strings.NewReplacer("[", "(", "]", ")", "|", "-", "#", "-", "^", "-").Replace(file)
}

// sessionBlock returns the name of a session's line in the file of sessions.
func sessionBlock(id string) string { return "s-" + notInBlock.ReplaceAllString(id, "-") }

// SessionNotes returns the file of a project's sessions, the newest first, and the number of redacted sessions. The
// other files link to it.
func SessionNotes(where memory.Project, sessions []memory.Session) (content []byte, redacted int) {
	sessions = slices.Clone(sessions)
	slices.SortFunc(sessions, func(a, b memory.Session) int {
		return cmp.Or(b.StartedAt.Compare(a.StartedAt), strings.Compare(a.ID, b.ID))
	})
	var body bytes.Buffer
	body.WriteString("The result of each session. A change here changes nothing in the memory.\n\n")
	for _, s := range sessions {
		if scrubSession(&s) {
			redacted++
		}
		text := memory.OneLine(s.Summary.Text)
		if text == "" {
			text = s.StartedAt.UTC().Format("2006-01-02 15:04 UTC")
		}
		fmt.Fprintf(&body, "- %s ^%s\n", text, sessionBlock(s.ID))
	}
	return noteFile(where, sessionNotes, body.Bytes()), redacted
}

// sessionNotes is the kind of the file of sessions.
const sessionNotes = "session"

// SessionFile is the name of the file of sessions.
const SessionFile = sessionNotes + ".md"

// noteFile returns a body with a title and a header.
func noteFile(where memory.Project, kind string, body []byte) []byte {
	of := where.Name
	if where.Key == "" {
		of = "user"
	}
	title := fmt.Appendf(nil, "# %s: %s\n\n", memory.OneLine(of), kind)
	body = append(title, body...)
	return append(fmt.Appendf(nil, "---\nformat: %s\nversion: 1\nproject: %s\nname: %s\nkind: %s\n---\n",
		notesFormat, quotedText(where.Key), quotedText(where.Name), kind), body...)
}

// quotedText quotes a text for YAML and JSON.
func quotedText(text string) string {
	quoted, _ := json.Marshal(text) // a string can always be encoded
	return string(quoted)
}

// NoteFolder returns the name of a project's folder. number, from 1, distinguishes projects of the same name.
func NoteFolder(where memory.Project, number int) string {
	if where.Key == "" {
		return "user"
	}
	name := strings.Trim(notInTag.ReplaceAllString(path.Base(strings.ReplaceAll(where.Name, `\`, "/")), "-"), "-./")
	if name == "" || name == "user" {
		name = "project-" + name
	}
	if number > 1 {
		name += "-" + strconv.Itoa(number)
	}
	return strings.ToLower(name)
}
