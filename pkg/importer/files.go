package importer

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/ruleblock"
)

// ErrEncoding means that a text has an unsupported encoding.
var ErrEncoding = fmt.Errorf("it is neither UTF-8 nor UTF-16: save it as UTF-8: %w", memory.ErrInvalid)

// Text returns a text from a file or pipe as UTF-8, without byte order marks and with \n as newline. It fails with ErrEncoding.
func Text(data []byte) (string, error) {
	data, _ = io.ReadAll(hookio.UTF8(bytes.NewReader(data))) // reading from memory cannot fail
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return "", ErrEncoding
	}
	return newlines.Replace(string(data)), nil
}

// maxFileBytes is the size limit of a Markdown file; handwritten files are far smaller.
const maxFileBytes = 4 << 20

// ReadFile returns the content of a regular file that has no more than most bytes, and its modification time. It fails with
// memory.ErrInvalid for a larger file or anything else, such as a pipe, on which it does not block.
func ReadFile(file string, most int64) (data []byte, at time.Time, err error) {
	f, info, err := Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, at, fmt.Errorf("there is no file %s: %w", file, memory.ErrNotFound)
	}
	if err != nil {
		return nil, at, err
	}
	defer func() { _ = f.Close() }()
	data, err = io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, at, fmt.Errorf("read %s: %w", file, err)
	case int64(len(data)) > most:
		return nil, at, fmt.Errorf("read %s: it is not a text file of at most %d bytes: %w", file, most, memory.ErrInvalid)
	}
	return data, info.ModTime().UTC(), nil
}

// Open opens a regular file. It fails with memory.ErrInvalid for anything else, such as a pipe, on which it does not block.
func Open(file string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file: %w", file, memory.ErrInvalid)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// fileEvents returns an event for each memory in a file, after an event for the session that they belong to.
func fileEvents(source string, where memory.Project, memories []memory.Memory, at time.Time) []memory.Event {
	if len(memories) == 0 {
		return nil
	}
	session := memory.NewImportID(source, where.Key)
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

// ClaudeMD returns the events of a CLAUDE.md file, without the lines that the command `memory rule` wrote. Each entry becomes a pinned
// convention. In the user's own file (isUsers) each entry becomes a pinned preference of user scope instead.
func ClaudeMD(file string, where memory.Project, isUsers bool) ([]memory.Event, error) {
	data, at, err := ReadFile(file, maxFileBytes)
	if err != nil {
		return nil, err
	}
	text, err := Text(data)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	var memories []memory.Memory
	_, thoughts := Entries(clean(ruleblock.Without(text)))
	for _, entry := range thoughts {
		m := memory.Memory{
			Kind: memory.KindConvention, Pinned: true, Content: memory.Cut(entry, memory.MaxContent), Tags: []string{memory.TagClaudeMD},
		}
		if isUsers {
			m.Kind, m.Scope, m.Source = memory.KindPreference, memory.ScopeUser, memory.SourceUser
		}
		memories = append(memories, m)
	}
	return fileEvents(memory.TagClaudeMD, where, memories, at), nil
}

// indexFile is the file of an auto-memory folder that lists the other files.
const indexFile = "MEMORY.md"

// MemoryFile returns the path of the auto-memory that the client loads for a working directory, below the client's directory.
func MemoryFile(dir string) string {
	return filepath.Join("projects", client.Slug(dir), "memory", indexFile)
}

// longEntry is the number of bytes above which the text of an auto-memory becomes the detail, and its description the content.
const longEntry = 600

// AutoMemory returns the events of Claude Code's auto-memory in a folder and its subfolders, see AutoMemoryFile. unread
// lists the files that could not be read, with the reasons.
func AutoMemory(folder string, where memory.Project) (events []memory.Event, unread []string, err error) {
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(folder, filepath.FromSlash(name)))
		return err == nil
	}
	err = walk(folder, func(file string, err error) {
		if errors.Is(err, fs.ErrNotExist) || err == nil && !isMarkdown(file) || isHidden(folder, file) {
			return
		}
		var data []byte
		var at time.Time
		if err == nil {
			data, at, err = ReadFile(file, maxFileBytes)
		}
		var facts []memory.Memory
		if err == nil {
			name, _ := filepath.Rel(folder, file) // file lies below folder, so this cannot fail
			facts, err = AutoMemoryFile(filepath.ToSlash(name), data, has)
		}
		if err != nil {
			unread = append(unread, file+": "+memory.ErrorText(err))
			return
		}
		events = append(events, fileEvents("auto-memory", where, facts, at)...)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("list %s: %w", folder, err)
	}
	return events, unread, nil
}

func isMarkdown(file string) bool { return strings.EqualFold(filepath.Ext(file), ".md") }

// isHidden reports whether a file, or a folder above it, has a name that begins with a dot (such as .git, which belongs to a program).
func isHidden(folder, file string) bool {
	return strings.Contains(filepath.ToSlash(strings.TrimPrefix(file, folder)), "/.")
}

// Entries returns the header of a Markdown file, or nil, and the entries of its body.
func Entries(text string) (header map[string]string, all []string) {
	header, body := headerIn(text)
	return header, entries(body)
}

// AutoMemoryFile returns the facts in a file of an auto-memory folder: one for a file with a header, otherwise one for
// each bullet and paragraph. It skips entries of the index whose first link leads to another file of the folder. name is the
// path below the folder, with slashes. has reports whether the folder has a file. It fails with ErrEncoding.
func AutoMemoryFile(name string, data []byte, has func(name string) bool) ([]memory.Memory, error) {
	text, err := Text(data)
	if err != nil {
		return nil, err
	}
	header, body := headerIn(clean(text))
	folder := path.Dir(name)
	var memories []memory.Memory
	if header != nil && memory.OneLine(body) != "" {
		memories = []memory.Memory{headed(header, body)}
	} else {
		for _, entry := range entries(body) {
			if path.Base(name) == indexFile && namesFile(entry, func(link string) bool { return has(path.Join(folder, link)) }) {
				continue
			}
			m := memory.Memory{Kind: memory.KindNote, Content: memory.Cut(entry, memory.MaxContent), Tags: []string{memory.TagAutoMemory}}
			m.Title = memory.TitleOf(m.Content)
			memories = append(memories, m)
		}
	}
	memories = slices.DeleteFunc(memories, func(m memory.Memory) bool { return memory.Normalise(m.Content) == "" || m.Title == "" })
	for i := range memories {
		m := &memories[i]
		if m.Importance = memory.FactImportance(0); folder != "." {
			m.Area = memory.AreaOf(path.Base(folder))
		}
	}
	return memories, nil
}

// kindsOfTypes maps the type in a file's header to a kind of fact.
var kindsOfTypes = map[string]memory.Kind{"feedback": memory.KindConvention, "user": memory.KindPreference}

// headed returns the fact of a file with a header.
func headed(header map[string]string, body string) memory.Memory {
	m := memory.Memory{
		Kind: memory.KindNote, Scope: memory.ScopeProject, Content: memory.OneLine(body),
		Detail: memory.MultilineDetail(body), Tags: []string{memory.TagAutoMemory},
	}
	description := memory.OneLine(header["description"])
	if len(m.Content) > longEntry && description != "" {
		m.Content, m.Detail = description, strings.TrimSpace(body)
	} else {
		m.Cues = memory.FactCues([]string{description})
	}
	m.Content, m.Detail = memory.Cut(m.Content, memory.MaxContent), memory.Cut(m.Detail, memory.MaxContent)
	m.Title = cmp.Or(memory.TitleOf(description), memory.TitleOf(header["name"]),
		memory.TitleOf(firstHeading(body)), memory.TitleOf(m.Content))
	if kind := memory.OneLine(header["type"]); kind != "" {
		m.Kind, m.Area = cmp.Or(kindsOfTypes[kind], m.Kind), memory.AreaOf(kind)
		m.Tags = append(m.Tags, memory.Cut(kind, 40))
	}
	return m
}

// firstHeading returns the text of the first heading of a Markdown text, or "".
func firstHeading(text string) string {
	for line := range strings.Lines(text) {
		if rest := strings.TrimLeft(line, "#"); rest != line && strings.HasPrefix(rest, " ") {
			return memory.OneLine(rest)
		}
	}
	return ""
}

// headerIn returns the header between two lines of dashes at the beginning of a text, or nil, and the rest. The header
// is flat except for the keys below "metadata:".
func headerIn(text string) (header map[string]string, body string) {
	first, rest, _ := strings.Cut(strings.TrimLeft(text, " \t\n"), "\n")
	if strings.TrimRight(first, " \t") != "---" {
		return nil, text
	}
	header, last := map[string]string{}, ""
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if end := strings.TrimRight(line, " \t"); end == "---" || end == "..." {
			if len(header) == 0 { // two horizontal rules ("---"), not a header
				return nil, text
			}
			return header, rest
		}
		key, value, isPair := strings.Cut(strings.TrimSpace(line), ":")
		switch {
		case isPair && !strings.Contains(key, " "):
			last = key
			if value = strings.Trim(strings.TrimSpace(value), `"'`); strings.Trim(value, "|>+-") == "" {
				value = "" // the value is the following block of lines
			}
			header[key] = value
		case last != "":
			header[last] += " " + strings.TrimSpace(line)
		}
	}
	return nil, text
}

// namesFile reports whether an entry of an index links to a file of the folder.
func namesFile(entry string, has func(name string) bool) bool {
	_, link, found := strings.Cut(entry, "](")
	if !found {
		return false
	}
	name, _, _ := strings.Cut(link, ")")
	name, _, _ = strings.Cut(name, "#")
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	return filepath.IsLocal(filepath.FromSlash(name)) && isMarkdown(name) && has(path.Clean(filepath.ToSlash(name)))
}

var errLink = errors.New("it is a link, which is not followed")

// walk visits the files below a folder, which may be a link, in the order of their names, and entries that cannot be read. It does not
// follow other links. It fails only if the folder does not exist or cannot be resolved.
func walk(folder string, visit func(path string, err error)) error {
	root, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return err
	}
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type() == fs.ModeSymlink {
			err = errLink
		}
		if err != nil || entry.Type().IsRegular() {
			visit(filepath.Join(folder, strings.TrimPrefix(path, root)), err)
		}
		return nil
	})
}
