package importer

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer/format"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
)

// Transcript is a file in which the client keeps a session, or a part of one that
// a subagent did.
type Transcript struct {
	File    string
	Size    int64  // bytes
	Session string // of its first line that names one
	Dir     string // where that session was started
	// Lines makes the lines of a transcript that is no file of its own; nil for a file, which File names then.
	Lines func() ([]byte, error)
}

// Transcripts lists the transcripts below the client's projects folder.
func Transcripts(folder string) ([]Transcript, error) {
	var all []Transcript
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if _, known := format.Of(path); !known || !entry.Type().IsRegular() {
			return nil
		}
		t := Transcript{File: path}
		err = t.ReadHead()
		if errors.Is(err, fs.ErrNotExist) { // the client has just deleted it
			return nil
		}
		if err != nil {
			return err
		}
		all = append(all, t)
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there are no transcripts in %s: %w", folder, memory.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("list the transcripts in %s: %w", folder, err)
	}
	return all, nil
}

// headLines is how many lines are read to learn whose transcript it is.
const headLines = 100

// ReadHead learns session, directory and size.
func (t *Transcript) ReadHead() error {
	f, size, err := t.open()
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	t.Size = size
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
		_, _ = reader.Entries(line.text) // of a line that is no JSON nothing is known
		if t.Session, t.Dir = reader.Start(); t.Session != "" && t.Dir != "" {
			return nil
		}
	}
	return nil
}

func (t *Transcript) format() format.Format {
	f, _ := format.Of(t.File)
	return f
}

// Progress is the position of a reader in a transcript.
type Progress struct {
	Offset int64 // after the last complete line that was read
	Events []memory.Event
}

// TranscriptReport counts the lines read.
type TranscriptReport struct {
	Lines   int
	Broken  int // lines that are no JSON object
	TooLong int // lines beyond the limit of one line
	// FirstBroken is the number of the first of them, from 1.
	FirstBroken int
	Offset      int64
}

// progressLines is after how many lines a reader tells where it stands.
const progressLines = 500

// Reader reads transcripts of sessions that Wanted lets through.
type Reader struct {
	Project project.Project
	// Wanted tells whether events of a session are to be made.
	Wanted func(ctx context.Context, session string) (bool, error)
}

// Read makes events of a transcript from an offset on, in the way that hooks would have
// made them, and hands them over piece by piece. The part before the offset is only read
// to understand the rest.
func (r Reader) Read(ctx context.Context, t Transcript, from int64, take func(Progress) error) (TranscriptReport, error) {
	f, _, err := t.open()
	if err != nil {
		return TranscriptReport{}, fmt.Errorf("read the transcript: %w", err)
	}
	defer func() { _ = f.Close() }()
	var report TranscriptReport
	form := t.format()
	c := conversation{project: r.Project, first: t.Session, client: form.Client, reader: form.New(t.File), failing: map[string]bool{}}
	lines := lineReader{r: bufio.NewReaderSize(f, 64<<10)}
	var pending []memory.Event
	for {
		if err := ctx.Err(); err != nil {
			return report, fmt.Errorf("read %s: %w", t.File, err)
		}
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return report, fmt.Errorf("read %s: %w", t.File, err)
		}
		events, err := r.line(ctx, &c, line, from, &report)
		if err != nil {
			return report, err
		}
		pending = append(pending, events...)
		if report.Lines%progressLines == 0 {
			if err := take(Progress{report.Offset, pending}); err != nil {
				return report, err
			}
			pending = nil
		}
	}
	if report.Offset > from {
		end, err := r.only(ctx, c.end())
		if err != nil {
			return report, err
		}
		pending = append(pending, end...)
	}
	return report, take(Progress{report.Offset, pending})
}

func (r Reader) line(ctx context.Context, c *conversation, line line, from int64, report *TranscriptReport) ([]memory.Event, error) {
	var entries []format.Entry
	var err error
	if !line.tooLong { // its beginning is megabytes of no JSON
		entries, err = c.reader.Entries(line.text)
	}
	if line.unfinished && (err != nil || line.tooLong) { // it is being written; next time it is complete
		return nil, nil
	}
	report.Lines++
	report.Offset = line.end
	switch {
	case line.tooLong:
		report.TooLong++
		return nil, nil
	case len(bytes.TrimSpace(line.text)) == 0:
		return nil, nil
	case err != nil:
		report.Broken++
		if report.FirstBroken == 0 {
			report.FirstBroken = report.Lines
		}
		return nil, nil
	}
	var events []memory.Event
	for _, e := range entries {
		events = append(events, c.entry(e)...)
	}
	if line.end <= from {
		return nil, nil
	}
	return r.only(ctx, events)
}

// only leaves the events of sessions that are wanted.
func (r Reader) only(ctx context.Context, events []memory.Event) ([]memory.Event, error) {
	var some []memory.Event
	for _, e := range events {
		wanted, err := r.Wanted(ctx, e.Session)
		if err != nil {
			return nil, err
		}
		if wanted {
			some = append(some, e)
		}
	}
	return some, nil
}

// maxLine is the longest line that is read, in bytes. A hook's input was never
// seen to have more than 600 KB; lines with images have.
const maxLine = 16 << 20

type line struct {
	text       []byte
	end        int64 // the offset behind it
	tooLong    bool  // then text is its beginning
	unfinished bool  // no newline ends it
}

type lineReader struct {
	r      *bufio.Reader
	limit  int // of a line, in bytes; 0 means maxLine
	offset int64
}

// next reads a line. The error is io.EOF behind the last.
func (l *lineReader) next() (line, error) {
	var found line
	limit := cmp.Or(l.limit, maxLine)
	for {
		part, err := l.r.ReadSlice('\n')
		l.offset += int64(len(part))
		if len(found.text)+len(part) > limit {
			found.tooLong = true
		} else {
			found.text = append(found.text, part...)
		}
		found.end = l.offset
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			if len(found.text) == 0 && !found.tooLong {
				return found, io.EOF
			}
			found.unfinished = true
			return found, nil
		}
		return found, err
	}
}

// DirOfFolder is the directory that one of the client's project folders is for,
// as the transcripts in it tell; the name of the folder alone does not.
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

// maxWhole bounds a transcript that has no lines, in bytes: it is read as a whole.
const maxWhole = 128 << 20

// maker makes the lines of a transcript that has none; nil for one that has.
func (t *Transcript) maker() func() ([]byte, error) {
	lines := t.format().Lines
	if t.Lines != nil || lines == nil {
		return t.Lines
	}
	return func() ([]byte, error) {
		content, _, err := ReadFile(t.File, maxWhole)
		if err != nil {
			return nil, err
		}
		return lines(content), nil
	}
}

// open opens a transcript as lines, each a JSON object, and tells their size in bytes.
func (t *Transcript) open() (io.ReadCloser, int64, error) {
	if lines := t.maker(); lines != nil {
		text, err := lines()
		return io.NopCloser(bytes.NewReader(text)), int64(len(text)), err
	}
	f, info, err := Open(t.File) // a pipe may have taken its place
	if err != nil {
		return nil, 0, err
	}
	return f, info.Size(), nil
}
