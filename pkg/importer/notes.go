package importer

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// notesFormat is the format that a note file names in its header.
const notesFormat = "surrealdb-memory-notes"

// ErrNoNotes: a file was not written by memory export --markdown.
var ErrNoNotes = errors.New("memory export --markdown FOLDER did not write it")

// NoteFile holds the memories of one kind of a project, or of the user, as a Markdown
// file that people read and edit, in Obsidian or any editor.
type NoteFile struct {
	Project  memory.Project // without a key: the user's own
	Kind     memory.Kind
	Memories []memory.Memory
}

// Name is the name of the file, in the folder of its project.
func (f NoteFile) Name() string { return string(f.Kind) + ".md" }

// Redact removes private and secret parts once more, and memories that are empty then. It
// returns the number of memories that it changed.
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

// Encode is the file, the newest memory first. The same memories make the same file.
func (f NoteFile) Encode() []byte {
	memories := slices.Clone(f.Memories)
	slices.SortFunc(memories, func(a, b memory.Memory) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	var body bytes.Buffer
	body.WriteString("After a change, `memory import markdown FOLDER` takes another text as a correction and a new bullet as a new memory.\n\n")
	for _, m := range memories {
		fmt.Fprintf(&body, "- %s ^%s\n    - %s\n", memory.OneLine(m.Content), memory.ShortID(m.ID), aboutNote(m))
	}
	return noteFile(f.Project, string(f.Kind), body.Bytes())
}

// aboutNote is the line below a memory. An import ignores it.
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

// link is a path as a link may have it.
func link(file string) string {
	return strings.NewReplacer("[", "(", "]", ")", "|", "-", "#", "-", "^", "-").Replace(file)
}

// sessionBlock is the name of a session's line in the file of sessions.
func sessionBlock(id string) string { return "s-" + notInBlock.ReplaceAllString(id, "-") }

// SessionNotes is the file of a project's sessions, the newest first. An import ignores
// it; the other files link to it.
func SessionNotes(where memory.Project, sessions []memory.Session) (content []byte, redacted int) {
	sessions = slices.Clone(sessions)
	slices.SortFunc(sessions, func(a, b memory.Session) int {
		return cmp.Or(b.StartedAt.Compare(a.StartedAt), strings.Compare(a.ID, b.ID))
	})
	var body bytes.Buffer
	body.WriteString("What each session came to. A change here changes nothing in the memory.\n\n")
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

// noteFile puts the header before a body. Its checksum reveals edits.
func noteFile(where memory.Project, kind string, body []byte) []byte {
	of := where.Name
	if where.Key == "" {
		of = "user"
	}
	title := fmt.Appendf(nil, "# %s: %s\n\n", memory.OneLine(of), kind)
	body = append(title, body...)
	return append(fmt.Appendf(nil, "---\nformat: %s\nversion: 1\nproject: %s\nname: %s\nkind: %s\nsum: %s\n---\n",
		notesFormat, quotedText(where.Key), quotedText(where.Name), kind, sumOf(body)), body...)
}

// quotedText is a text as YAML and JSON quote it.
func quotedText(text string) string {
	quoted, _ := json.Marshal(text) // a string always can be
	return string(quoted)
}

func sumOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:8])
}

// Note is a memory as a file has it.
type Note struct {
	ID   string // the shown digits; empty for one that was written into the file
	Text string
	Line int // from 1
}

// Notes is a note file that was read.
type Notes struct {
	Project memory.Project // without its root
	Kind    memory.Kind    // "session" for the file of sessions
	Notes   []Note         // none of the file of sessions
	Edited  bool           // since it was written

	prose []string // the lines that are neither part of a note nor below one
}

// Missing is a note or line that another version of the file does not have; empty if
// there is none.
func (n Notes) Missing(in Notes) string {
	for _, one := range n.Notes {
		if !slices.ContainsFunc(in.Notes, func(other Note) bool { return other.Text == one.Text }) {
			return one.Text
		}
	}
	for _, line := range n.prose {
		if !slices.Contains(in.prose, line) {
			return line
		}
	}
	return ""
}

// ReadNotes reads a note file; ErrNoNotes for another file.
func ReadNotes(content []byte) (Notes, error) {
	text := strings.ReplaceAll(string(decoded(content)), "\r\n", "\n")
	header, body := frontMatter(text)
	if header["format"] != notesFormat {
		return Notes{}, ErrNoNotes
	}
	if version, err := strconv.Atoi(header["version"]); err != nil || version > 1 {
		return Notes{}, fmt.Errorf("it is of version %s, this program reads up to 1: update surrealdb-memory: %w",
			header["version"], memory.ErrInvalid)
	}
	n := Notes{
		Project: memory.Project{Key: headerText(text, "project"), Name: headerText(text, "name")}, Kind: memory.Kind(header["kind"]),
		Edited: header["sum"] != sumOf([]byte(body)),
	}
	before := strings.Count(text, "\n") - strings.Count(body, "\n")
	if n.Kind == sessionNotes {
		_, n.prose = notesIn(body, before)
		return n, nil
	}
	if !slices.Contains(memory.SearchableKinds(), n.Kind) {
		return n, fmt.Errorf("there is no kind %q: %w", n.Kind, memory.ErrInvalid)
	}
	n.Notes, n.prose = notesIn(body, before)
	return n, nil
}

// headerText is a text of the header. An editor may have removed its quotes.
func headerText(file, key string) string {
	_, rest, _ := strings.Cut(file, "\n"+key+": ")
	line, _, _ := strings.Cut(rest, "\n")
	text := strings.TrimSpace(line)
	if json.Unmarshal([]byte(text), &text) != nil {
		return strings.Trim(text, `'`)
	}
	return text
}

// noteID ends the line of a memory that has one.
var noteID = regexp.MustCompile(`\s+\^([0-9a-f]{12})$`)

// whole is the text as it stands there, for a file whose bullets have no ids.
func (n Note) whole() string {
	if n.ID != "" {
		n.Text += " ^" + n.ID
	}
	return memory.OneLine(n.Text)
}

// notesIn reads the bullets at the margin, each with the lines that continue it, and the
// other lines. before is the number of lines before the body.
func notesIn(body string, before int) (notes []Note, prose []string) {
	goesOn := false // the next line may belong to the last note
	for line := range strings.Lines(body) {
		before++
		line = strings.TrimRight(line, " \t\n")
		text := strings.TrimSpace(line)
		item, isItem := strings.CutPrefix(text, "- ")
		if !isItem {
			item, isItem = strings.CutPrefix(text, "* ")
		}
		switch {
		case isItem && text == line:
			notes, goesOn = append(notes, Note{Text: strings.TrimSpace(item), Line: before}), true
		case text == "" || isItem:
			goesOn = false
		case text == line:
			goesOn, prose = false, append(prose, text)
		case goesOn:
			notes[len(notes)-1].Text += " " + text
		}
	}
	for i := range notes {
		if found := noteID.FindStringSubmatch(notes[i].Text); found != nil {
			notes[i].ID = found[1]
			notes[i].Text = strings.TrimSuffix(notes[i].Text, found[0])
		}
	}
	return slices.DeleteFunc(notes, func(n Note) bool { return n.ID == "" && n.Text == "" }), prose
}

// NewNotes returns the events of notes that were written into a file. mine: the user wrote
// them.
func NewNotes(where memory.Project, kind memory.Kind, texts []string, mine bool, at time.Time) []memory.Event {
	var memories []memory.Memory
	for _, text := range texts {
		m := memory.Memory{Kind: kind, Content: text}
		if mine {
			m.Source = memory.SourceUser
		}
		if where.Key == "" {
			m.Scope = memory.ScopeUser
		}
		memories = append(memories, m)
	}
	return fileEvents("markdown", where, memories, at)
}

// NoteFolder returns the name of a project's folder; number distinguishes projects with the
// same name, from 1.
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
