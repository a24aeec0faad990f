package importer

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer/format"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
)

// Transcript is a file in which the client records a session, or a subagent's part of one.
type Transcript struct {
	File    string
	Size    int64  // bytes
	Session string // of its first line that names one
	Dir     string // where that session was started
	// Unread is why it, or a folder that may hold some, cannot be read; the other fields but File are empty then.
	Unread error
}

// Transcripts lists the transcripts below the client's projects folder, also those that links lead to and those that
// cannot be read.
func Transcripts(folder string) ([]Transcript, error) {
	var all []Transcript
	err := walk(folder, func(path string, err error) {
		_, known := format.Of(path)
		_, compressed := format.Of(strings.TrimSuffix(path, filepath.Ext(path)))
		t := Transcript{File: path, Unread: err}
		switch {
		case err == nil && compressed && slices.Contains(compressions, filepath.Ext(path)):
			t.Unread = errCompressed
		case err == nil && !known, isGone(path, err):
			return
		case err == nil:
			t.Unread = t.ReadHead()
		case !known && filepath.Ext(path) != "": // it would not have been read
			return
		}
		if isGone(path, t.Unread) { // the client has just deleted it
			return
		}
		all = append(all, t)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there are no transcripts in %s; memory import transcripts --mine FOLDER reads those of another folder: %w", folder, memory.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("list the transcripts in %s: %w", folder, err)
	}
	return all, nil
}

// compressions are the endings of the names of compressed files.
var compressions = []string{".zst", ".gz", ".xz", ".bz2", ".zip", ".br"}

var errCompressed = errors.New("it is compressed, and is read once it is not")

// headLines is the number of lines that are read to find the session and its directory.
const headLines = 100

// ReadHead learns session, directory and size.
func (t *Transcript) ReadHead() error {
	f, info, err := Open(t.File)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	t.Size = info.Size()
	lines := lineReader{r: bufio.NewReader(f)}
	reader := t.format().New(t.File)
	for range headLines {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if line.tooLong {
			continue
		}
		_, _ = reader.Entries(line.text)                                   // a line that is no JSON is skipped
		if t.Session, t.Dir = reader.Start(); !project.IsAbsolute(t.Dir) { // it would be one below the directory in which we run
			t.Dir = ""
		}
		if t.Session != "" && t.Dir != "" {
			return nil
		}
	}
	return nil
}

func (t *Transcript) format() format.Format {
	f, _ := format.Of(t.File)
	return f
}

// DirOfFolder returns the directory that one of the client's project folders belongs to, according
// to its transcripts; the name of the folder alone is not enough.
func DirOfFolder(folder string) string {
	files, err := filepath.Glob(filepath.Join(globEscape(folder), "*.jsonl"))
	if err != nil {
		return ""
	}
	other := ""
	for _, file := range files {
		t := Transcript{File: file}
		if t.ReadHead() != nil || t.Dir == "" {
			continue
		}
		if client.Slug(t.Dir) == filepath.Base(folder) {
			return t.Dir
		}
		other = t.Dir
	}
	return other
}
