package importer

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer/format"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
)

// Transcript is a file in which the client records a session, or a subagent's part of a session.
type Transcript struct {
	File    string
	Session string // session of the first line that has a session
	Dir     string // directory in which the session was started
	// Unread is the reason why the file, or a folder with transcripts, cannot be read. Then only File is set as well.
	Unread error
	forks  format.Forks // shared by the transcripts of a folder
}

// ProjectOf returns the project of a directory, and whether memory is off there.
type ProjectOf func(dir string) (where project.Project, isOff bool)

// In returns a ProjectOf for the transcript of a session whose project is known.
func In(where memory.Project, dir string) ProjectOf {
	return func(string) (project.Project, bool) {
		return project.Project{Key: where.Key, Name: where.Name, Root: where.Root, Dir: dir}, false
	}
}

// Transcripts lists the transcripts below the client's projects folder, including those that cannot be read.
func Transcripts(folder string) ([]Transcript, error) {
	var all []Transcript
	forks := format.Forks{}
	err := walk(folder, func(path string, err error) {
		_, known := format.Of(path)
		_, compressed := format.Of(strings.TrimSuffix(path, filepath.Ext(path)))
		t := Transcript{File: path, Unread: err, forks: forks}
		switch {
		case err == nil && compressed && slices.Contains(compressions, filepath.Ext(path)):
			t.Unread = errCompressed
		case err == nil && !known:
			return
		case err == nil:
			t.Unread = t.ReadHead()
		case !known && filepath.Ext(path) != "": // a file of this kind is never read
			return
		}
		if errors.Is(t.Unread, fs.ErrNotExist) { // the client has just deleted it
			return
		}
		all = append(all, t)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no folder %s with transcripts; memory import transcripts --mine FOLDER reads another folder: %w", folder, memory.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("list the transcripts in %s: %w", folder, err)
	}
	return all, nil
}

// compressions are the extensions of compressed files.
var compressions = []string{".zst", ".gz", ".xz", ".bz2", ".zip", ".br"}

var errCompressed = errors.New("it is compressed: decompress it, and it will be read")

// headLines is the number of lines that are read to find the session and its directory.
const headLines = 100

// ReadHead sets Session and Dir from the file.
func (t *Transcript) ReadHead() error {
	f, _, err := Open(t.File)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	lines := newLineReader(f, maxLine)
	reader := t.format().New(t.forks)
	for range headLines {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		_, _ = reader.Entries(line.text)                                   // a line that cannot be parsed is skipped
		if t.Session, t.Dir = reader.Start(); !project.IsAbsolute(t.Dir) { // a relative path would be resolved in our own directory
			t.Dir = ""
		}
		if t.Session != "" && t.Dir != "" {
			return nil
		}
	}
	return nil
}

// named returns the session after which the transcript's file is named, if the file begins with lines of another session; else "".
func (t *Transcript) named() string {
	name := strings.TrimSuffix(filepath.Base(t.File), ".jsonl")
	if len(name) != len(t.Session) || name == t.Session { // the name of a subagent's file has another length
		return ""
	}
	return name
}

func (t *Transcript) format() format.Format {
	f, _ := format.Of(t.File)
	return f
}
