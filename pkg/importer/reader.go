package importer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
)

// TranscriptReport counts the lines that were read.
type TranscriptReport struct {
	Lines  int
	Broken int // lines that are no JSON object, have an unknown form, or are too long to be read
	// FirstBroken is the number of the first broken line, from 1.
	FirstBroken int
	// WithoutPrompt means that the whole transcript has no prompt, although it is not a subagent's.
	WithoutPrompt bool
}

// Reader reads transcripts, and returns the events of the sessions that Wanted accepts.
type Reader struct {
	Project project.Project // project in which the session was started
	// ProjectOf returns the project of a directory, and whether memory is off there. If it is nil, the whole session is in Project.
	ProjectOf func(dir string) (where project.Project, isOff bool)
	// Wanted reports whether the events of a session are wanted.
	Wanted func(ctx context.Context, session string) (bool, error)
}

// Read returns the events of a transcript that hooks would have captured from the session. What the user took back is
// omitted, except prompts, which are marked as taken back, because an earlier import may have stored them.
func (r Reader) Read(ctx context.Context, t Transcript) ([]memory.Event, TranscriptReport, error) {
	events, report, gone, err := r.read(ctx, t, nil)
	if err == nil && len(gone) > 0 {
		events, report, _, err = r.read(ctx, t, gone)
	}
	return events, report, err
}

// read is Read, except that it omits the entries with the numbers in gone, and returns the numbers of the entries that
// the user took back.
func (r Reader) read(ctx context.Context, t Transcript, gone map[int]bool) ([]memory.Event, TranscriptReport, map[int]bool, error) {
	var report TranscriptReport
	f, _, err := Open(t.File)
	if err != nil {
		return nil, report, nil, fmt.Errorf("read the transcript: %w", err)
	}
	defer func() { _ = f.Close() }()
	form := t.format()
	c := conversation{
		project: r.Project, moved: r.ProjectOf, first: t.Session, client: form.Client, reader: form.New(t.File),
		failing: map[string]bool{}, gone: gone, history: history{turnOf: map[string]int{}, before: []int{0}},
	}
	lines := newLineReader(f, maxLine)
	var all []memory.Event
	for {
		if err := ctx.Err(); err != nil {
			return all, report, nil, fmt.Errorf("read %s: %w", t.File, err)
		}
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return all, report, nil, fmt.Errorf("read %s: %w", t.File, err)
		}
		all = append(all, c.readLine(line, &report)...)
	}
	all = slices.Concat(all, c.all(c.reader.Rest()), c.end(), c.takenBack)
	report.WithoutPrompt = c.prompts == 0 && (c.started || !c.hasAside)
	all, err = r.only(ctx, all)
	return all, report, c.history.gone(), err
}

// readLine returns the events of a line, and counts the line.
func (c *conversation) readLine(line line, report *TranscriptReport) []memory.Event {
	entries, err := c.reader.Entries(line.text)
	if line.unfinished && err != nil { // the line is being written; the next import reads it
		return nil
	}
	report.Lines++
	switch {
	case len(bytes.TrimSpace(line.text)) == 0:
		return nil
	case err != nil:
		report.Broken++
		report.FirstBroken = cmp.Or(report.FirstBroken, report.Lines)
	}
	return c.all(entries)
}

// only returns the events of wanted sessions.
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
