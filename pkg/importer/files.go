package importer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// maxFileBytes bounds a Markdown file: handwritten ones are far smaller.
const maxFileBytes = 4 << 20

// readText reads a Markdown file and tells when it was written.
func readText(file string) (text string, at time.Time, err error) {
	data, at, err := ReadFile(file, maxFileBytes)
	if err != nil {
		return "", at, err
	}
	data = bytes.ToValidUTF8(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\ufffd"))
	return string(data), at, nil
}

// ReadFile reads a regular file of at most so many bytes, and tells when it was written.
// Anything else, such as a pipe or a larger file, is memory.ErrInvalid and not waited for.
func ReadFile(file string, most int64) (data []byte, at time.Time, err error) {
	f, info, err := Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, at, fmt.Errorf("there is no file %s: %w", file, memory.ErrNotFound)
	}
	if err != nil {
		return nil, at, err
	}
	defer func() { _ = f.Close() }()
	refused := fmt.Errorf("read %s: it is no text file of at most %d bytes: %w", file, most, memory.ErrInvalid)
	if info.Size() > most {
		return nil, at, refused
	}
	data, err = io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, at, fmt.Errorf("read %s: %w", file, err)
	case int64(len(data)) > most: // it grows
		return nil, at, refused
	}
	return data, info.ModTime().UTC(), nil
}

// Open opens a regular file. Anything else, such as a pipe, is memory.ErrInvalid and not
// waited for.
func Open(file string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("read %s: it is no regular file: %w", file, memory.ErrInvalid)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// fileSession is the session of the memories that are read from files: one for each
// source and project.
func fileSession(source string, where memory.Project) string {
	return memory.NewImportID(source, where.Key)
}

// fileEvents makes an event of each memory that a file holds, and one of the
// session that they belong to.
func fileEvents(source string, where memory.Project, memories []memory.Memory, at time.Time) []memory.Event {
	if len(memories) == 0 {
		return nil
	}
	session := fileSession(source, where)
	events := []memory.Event{{
		ID: memory.NewImportID(source, where.Key, "session"), At: at, Kind: memory.EventImported, Session: session, Project: where,
		Import: &memory.Import{Session: &memory.Session{
			ID: session, Dir: where.Root, Source: source, SourceAt: at, State: memory.SessionSummarising, StateAt: at,
			StartedAt: at, LastEventAt: at, EndedAt: at, EndReason: "imported",
		}},
	}}
	for i := range memories {
		m := &memories[i]
		m.CreatedAt, m.LastSeenAt, m.Session = at, at, session
		id := memory.NewImportID(source, where.Key, memory.Normalise(m.Content))
		events = append(events, memory.Event{
			ID: id, At: at, Kind: memory.EventImported, Session: session, Project: where,
			Import: &memory.Import{Memory: m, Sighting: &memory.Sighting{ID: id, At: at}},
		})
	}
	return events
}

// ClaudeMD makes a pinned convention of each entry of a CLAUDE.md. The user's entries for
// all projects become pinned preferences: every session is given these.
func ClaudeMD(file string, where memory.Project, isUsers bool) ([]memory.Event, error) {
	text, at, err := readText(file)
	if err != nil {
		return nil, err
	}
	var memories []memory.Memory
	for _, entry := range entries(clean(text)) {
		m := memory.Memory{
			Kind: memory.KindConvention, Pinned: true, Content: memory.Cut(entry, memory.MaxContent), Tags: []string{"claude-md"},
		}
		if isUsers {
			m.Kind, m.Scope, m.Source = memory.KindPreference, memory.ScopeUser, memory.SourceUser
		}
		memories = append(memories, m)
	}
	return fileEvents("claude-md", where, memories, at), nil
}

// indexFile is the file of an auto-memory folder that lists the others.
const indexFile = "MEMORY.md"

// MemoryFile is the path, below the client's directory, of the auto-memory that the client
// loads where it works on a directory.
func MemoryFile(dir string) string {
	return filepath.Join("projects", client.Slug(dir), "memory", indexFile)
}

// longEntry is from how many bytes on an auto-memory is told by its description.
const longEntry = 600

// AutoMemory makes a note of each entry of one of Claude Code's own auto-memory
// folders: of a file with a header, or else of each bullet and paragraph. The
// index is left out where it only names other files.
func AutoMemory(folder string, where memory.Project) ([]memory.Event, error) {
	files, err := filepath.Glob(filepath.Join(globEscape(folder), "*.md"))
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", folder, err)
	}
	var events []memory.Event
	for _, file := range files {
		text, at, err := readText(file)
		if err != nil {
			return nil, err
		}
		memories := autoMemories(file, clean(text))
		events = append(events, fileEvents("auto-memory", where, memories, at)...)
	}
	return events, nil
}

// Entries are the thoughts of a Markdown file, each alone, and the header of the file;
// nil if it has none.
func Entries(text string) (header map[string]string, said []string) {
	header, body := frontMatter(text)
	return header, entries(body)
}

func autoMemories(file, text string) []memory.Memory {
	header, body := frontMatter(text)
	if header != nil && memory.OneLine(body) != "" {
		return []memory.Memory{headed(header, body)}
	}
	var memories []memory.Memory
	for _, entry := range entries(body) {
		if filepath.Base(file) == indexFile && namesFile(filepath.Dir(file), entry) {
			continue
		}
		memories = append(memories, memory.Memory{
			Kind: memory.KindNote, Content: memory.Cut(entry, memory.MaxContent), Tags: []string{"auto-memory"},
		})
	}
	return memories
}

func headed(header map[string]string, body string) memory.Memory {
	m := memory.Memory{
		Kind: memory.KindNote, Content: memory.OneLine(body), Detail: memory.Lines(body), Tags: []string{"auto-memory"},
	}
	if description := memory.OneLine(header["description"]); len(m.Content) > longEntry && description != "" {
		m.Content, m.Detail = description, strings.TrimSpace(body)
	}
	m.Content, m.Detail = memory.Cut(m.Content, memory.MaxContent), memory.Cut(m.Detail, memory.MaxContent)
	if kind := memory.OneLine(header["type"]); kind != "" {
		m.Tags = append(m.Tags, memory.Cut(kind, 40))
	}
	return m
}

// frontMatter parts a file from the header between two lines of dashes, which is
// flat but for the keys below "metadata:". Without one the header is nil.
func frontMatter(text string) (header map[string]string, body string) {
	rest, found := strings.CutPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "---\n")
	if !found {
		return nil, text
	}
	head, body, found := strings.Cut(rest, "\n---")
	if !found {
		return nil, text
	}
	header = map[string]string{}
	last := ""
	for line := range strings.Lines(head) {
		key, value, isPair := strings.Cut(strings.TrimSpace(line), ":")
		switch {
		case isPair && !strings.Contains(key, " "):
			last = key
			if value = strings.Trim(strings.TrimSpace(value), `"'`); strings.Trim(value, "|>+-") == "" {
				value = "" // a block of lines follows
			}
			header[key] = value
		case last != "":
			header[last] += " " + strings.TrimSpace(line)
		}
	}
	_, body, _ = strings.Cut(body, "\n") // the rest of the line of dashes
	return header, body
}

// namesFile tells an entry of an index that links to a file of the folder.
func namesFile(folder, entry string) bool {
	_, link, found := strings.Cut(entry, "](")
	if !found {
		return false
	}
	name, _, _ := strings.Cut(link, ")")
	if !filepath.IsLocal(name) {
		return false
	}
	_, err := os.Stat(filepath.Join(folder, name))
	return err == nil
}

// globEscape makes a pattern that matches a path and nothing else.
func globEscape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
