package importer

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact"
)

// SharedFolder is the folder of a repository that holds its shared facts, one file each.
const SharedFolder = ".memory"

const (
	// MaxSharedBytes is the largest file of a shared fact: three times the longest fact.
	MaxSharedBytes = 12 << 10
	// maxSharedFiles bounds the files of the folder that are read.
	maxSharedFiles = 2000
	// maxSharedTotal bounds the bytes of all of them.
	maxSharedTotal = 4 << 20
	// maxNamed bounds the files that a shared fact is about.
	maxNamed = 8
)

// SharedFact is a fact that a person shares with the others of a project.
type SharedFact struct {
	Kind    memory.Kind
	Content string
	Files   []string  // it is about, relative to the project's root
	Author  string    // NAME <ADDRESS>
	At      time.Time // it was shared
	Commit  string    // that was checked out then; empty if there was none
}

// Shareable reports whether facts of a kind can be shared: statements, fixes and findings, but
// not the records of a session.
func Shareable(kind memory.Kind) bool {
	return kind.UserAuthored() || kind == memory.KindFix || kind == memory.KindDiscovery
}

// Encode is the file of a fact, in the format of NoteFile, and its name: a hash of the file,
// so that no two people ever write different files of one name.
func (f SharedFact) Encode() (name string, content []byte) {
	about := []string{f.At.UTC().Format(time.DateOnly), "from " + f.Author}
	for _, file := range f.Files {
		about = append(about, "[["+link(file)+"]]")
	}
	header := fmt.Sprintf("format: %s\nversion: 1\nkind: %s\nauthor: %s\ndate: %s\n", notesFormat, f.Kind,
		asJSON(f.Author), f.At.UTC().Format(time.RFC3339))
	if f.Commit != "" {
		header += "commit: " + f.Commit + "\n"
	}
	if len(f.Files) > 0 {
		header += "files: " + asJSON(f.Files) + "\n"
	}
	content = fmt.Appendf(nil, "---\n%s---\n- %s\n    - %s\n", header, memory.OneLine(f.Content), strings.Join(about, ", "))
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:12]) + ".md", content
}

// asJSON encodes strings, with the brackets of an address as they are.
func asJSON(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // strings always can be
	return strings.TrimSpace(text.String())
}

// Memory is the fact as a memory that waits for the user's yes.
func (f SharedFact) Memory(where memory.Project) memory.Memory {
	m := memory.Memory{
		Project: where.Key, Scope: memory.ScopeProject, Kind: f.Kind, Status: memory.StatusProposed, Source: memory.SourceImport,
		Author: f.Author, Content: f.Content, Files: f.Files, CreatedAt: f.At, LastSeenAt: f.At,
	}
	m.ID = memory.NewID(m.Scope, m.Project, m.Content)
	return m
}

// Secrets lists the kinds of secrets and private parts that the file of a fact would have.
func (f SharedFact) Secrets() []string {
	_, content := f.Encode()
	return secretsIn(string(content))
}

func secretsIn(text string) []string {
	_, report := redact.Text(text)
	var kinds []string
	for _, found := range report.Found {
		kinds = append(kinds, found.Kind)
	}
	return kinds
}

// ReadShared reads the file of a fact; ErrNoNotes for another file. Anybody can write one:
// a fact that has a secret, or lacks its kind, author or date, is memory.ErrInvalid, in words
// that repeat nothing of it.
func ReadShared(content []byte) (SharedFact, error) {
	refused := func(why string) error { return fmt.Errorf("%s: %w", why, memory.ErrInvalid) }
	if !utf8.Valid(content) {
		return SharedFact{}, refused("it is not UTF-8")
	}
	notes, err := ReadNotes(content)
	if err != nil {
		return SharedFact{}, err
	}
	if kinds := secretsIn(string(content)); len(kinds) > 0 {
		return SharedFact{}, refused("it holds a secret (" + strings.Join(kinds, ", ") + ")")
	}
	if len(notes.Notes) != 1 {
		return SharedFact{}, refused(fmt.Sprintf("it holds %d facts, a file has one", len(notes.Notes)))
	}
	text := strings.ReplaceAll(string(content), "\r\n", "\n")
	head, _, _ := strings.Cut(strings.TrimPrefix(text, "---"), "\n---\n")
	f := SharedFact{
		Kind: notes.Kind, Content: notes.Notes[0].whole(), Author: personIn(headerText(head, "author")),
		Commit: headerText(head, "commit"), Files: filesIn(headerText(head, "files")),
	}
	f.At, err = time.Parse(time.RFC3339, headerText(head, "date"))
	switch {
	case !Shareable(f.Kind):
		return f, refused(fmt.Sprintf("facts of the kind %q are not shared", f.Kind))
	case err != nil:
		return f, refused("its date is not like 2026-11-12T09:00:00Z")
	case f.Author == "":
		return f, refused("it has no author")
	case memory.Normalise(f.Content) == "":
		return f, refused("its text is empty")
	case len(f.Content) > memory.MaxContent:
		return f, refused(fmt.Sprintf("its text has %d bytes, the most is %d", len(f.Content), memory.MaxContent))
	}
	return f, nil
}

// personIn is a name and an address without the characters that neither has.
func personIn(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || strings.ContainsRune(" .-_'@<>+", r) {
			return r
		}
		return -1
	}, memory.OneLine(text))
	if len(text) > memory.MaxAuthor {
		return ""
	}
	return text
}

// Person is a person as the author of facts; empty if the name has nothing that names have.
func Person(name, address string) string {
	name, address = strings.Trim(personIn(name), "<> "), strings.Trim(personIn(address), "<> ")
	if address == "" || name == "" {
		return personIn(cmp.Or(name, address))
	}
	return personIn(name + " <" + address + ">")
}

// filesIn reads a list of paths, without those that lead out of the project.
func filesIn(text string) []string {
	var files []string
	if json.Unmarshal([]byte(text), &files) != nil {
		return nil
	}
	files = slices.DeleteFunc(files, func(file string) bool { return !filepath.IsLocal(file) || len(file) > maxPathBytes })
	return files[:min(len(files), maxNamed)]
}

// maxPathBytes is the longest path that a shared fact is about.
const maxPathBytes = 500

// SharedFile is a file of the folder of shared facts: its fact, or the reason why it is
// held back.
type SharedFile struct {
	Name    string
	Fact    SharedFact
	Refused error
}

// SharedReader reads shared facts, and a file that stays as it is once only: a file costs its check for secrets. It
// holds the files of the last few checkouts. The zero value is ready; its methods are safe for concurrent use.
type SharedReader struct {
	mu   sync.Mutex
	held map[string]map[string]heldFile // by checkout and name
}

// heldFile is a file with its state when it was read.
type heldFile struct {
	size int64
	at   time.Time
	file SharedFile
}

// mostHeld bounds the checkouts whose files are held.
const mostHeld = 4

// ReadSharedFolder is the method Folder of a new reader.
func ReadSharedFolder(root string) ([]SharedFile, error) { return new(SharedReader).Folder(root) }

// Folder reads the shared facts of a checkout, ordered by name. A checkout without the folder has
// none. It skips files in other formats, and neither follows nor waits for links, pipes and the
// like. Of a folder with too many files or bytes it reads the first, and reports that in the last
// one returned.
func (r *SharedReader) Folder(root string) ([]SharedFile, error) {
	checkout, err := os.OpenRoot(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the shared facts of %s: %w", root, err)
	}
	defer func() { _ = checkout.Close() }()
	info, err := checkout.Lstat(SharedFolder)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the shared facts of %s: %w", root, err)
	}
	folder, err := checkout.OpenRoot(SharedFolder)
	if err != nil {
		return nil, fmt.Errorf("read the shared facts of %s: %w", root, err)
	}
	defer func() { _ = folder.Close() }()
	entries, err := entriesOf(folder)
	if err != nil {
		return nil, fmt.Errorf("read the shared facts of %s: %w", root, err)
	}
	return r.read(root, folder, entries), nil
}

// entriesOf lists the files of a folder that may be facts, by name, of more than the most some.
func entriesOf(folder *os.Root) ([]fs.DirEntry, error) {
	const most = 10 * maxSharedFiles
	list, err := folder.Open(".")
	if err != nil {
		return nil, err
	}
	defer func() { _ = list.Close() }()
	entries, err := list.ReadDir(most)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return filepath.Ext(e.Name()) != ".md" || e.IsDir() })
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, err
}

func (r *SharedReader) read(root string, folder *os.Root, entries []fs.DirEntry) []SharedFile {
	r.mu.Lock()
	before := r.held[root]
	r.mu.Unlock()
	var files []SharedFile
	held, total := map[string]heldFile{}, int64(0)
	for i, entry := range entries {
		info, err := folder.Lstat(entry.Name())
		if err == nil {
			total += min(info.Size(), MaxSharedBytes)
		}
		if i == maxSharedFiles || total > maxSharedTotal {
			files = append(files, SharedFile{
				Name: entry.Name(),
				Refused: fmt.Errorf("it and %d more files are left out, the most are %d with %d bytes together: %w",
					len(entries)-i-1, maxSharedFiles, maxSharedTotal, memory.ErrInvalid),
			})
			break
		}
		one, isHeld := before[entry.Name()]
		if !isHeld || err != nil || one.size != info.Size() || !one.at.Equal(info.ModTime()) {
			one.file.Name = entry.Name()
			one.file.Fact, one.file.Refused = readSharedFile(folder, info, err)
		}
		if err == nil {
			one.size, one.at = info.Size(), info.ModTime()
			held[entry.Name()] = one
		}
		if !errors.Is(one.file.Refused, ErrNoNotes) {
			files = append(files, one.file)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held == nil || r.held[root] == nil && len(r.held) >= mostHeld {
		r.held = map[string]map[string]heldFile{}
	}
	r.held[root] = held
	return files
}

func readSharedFile(folder *os.Root, info fs.FileInfo, err error) (SharedFact, error) {
	if err != nil || !info.Mode().IsRegular() {
		return SharedFact{}, fmt.Errorf("it is a link or no file: %w", memory.ErrInvalid)
	}
	if info.Size() > MaxSharedBytes {
		return SharedFact{}, fmt.Errorf("it has more than %d bytes: %w", MaxSharedBytes, memory.ErrInvalid)
	}
	file, err := folder.OpenFile(info.Name(), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return SharedFact{}, fmt.Errorf("it cannot be read: %w", memory.ErrInvalid)
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, MaxSharedBytes+1))
	switch {
	case err != nil:
		return SharedFact{}, fmt.Errorf("it cannot be read: %w", memory.ErrInvalid)
	case len(content) > MaxSharedBytes:
		return SharedFact{}, fmt.Errorf("it has more than %d bytes: %w", MaxSharedBytes, memory.ErrInvalid)
	}
	return ReadShared(bytes.TrimPrefix(content, []byte("\ufeff")))
}

// Proposals makes events that store shared facts as memories which wait for the user's yes,
// each seen by the session of its author.
func Proposals(where memory.Project, facts []SharedFact) []memory.Event {
	var events []memory.Event
	for _, f := range facts {
		events = append(events, fileEvents("shared "+f.Author, where, []memory.Memory{f.Memory(where)}, f.At)...)
	}
	return events
}
