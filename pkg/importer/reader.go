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
)

// TranscriptReport counts the lines that were read.
type TranscriptReport struct {
	// Dialogs are the events of what the user typed while refusing or approving calls: no hook gets these words.
	Dialogs []memory.Event
	Lines   int
	Broken  int // lines that are not a JSON object, have an unknown form, or are too long to be read
	// FirstBroken is the number of the first broken line, from 1.
	FirstBroken int
	// WithoutPrompt means that the whole transcript has no prompt, although it is not a subagent's.
	WithoutPrompt bool
}

// Events returns the events of a transcript that hooks would have captured from its sessions. What the user took back is omitted, except prompts, which are
// marked as taken back, because an earlier import may have stored them. Without projectOf the events have no project.
func (t Transcript) Events(ctx context.Context, projectOf ProjectOf) ([]memory.Event, TranscriptReport, error) {
	events, report, gone, err := t.read(ctx, projectOf, nil)
	if err == nil && len(gone) > 0 {
		events, report, _, err = t.read(ctx, projectOf, gone)
	}
	return events, report, err
}

// read is Events without the entries numbered in gone. It also returns the numbers of the entries that were taken back.
func (t Transcript) read(ctx context.Context, projectOf ProjectOf, gone map[int]bool) ([]memory.Event, TranscriptReport, map[int]bool, error) {
	var report TranscriptReport
	f, _, err := Open(t.File)
	if err != nil {
		return nil, report, nil, fmt.Errorf("read the transcript: %w", err)
	}
	defer func() { _ = f.Close() }()
	form := t.format()
	c := conversation{
		moved: projectOf, first: t.Session, client: form.Client, reader: form.New(t.forks),
		failing: map[string]bool{}, gone: gone, history: history{turnOf: map[string]int{}, before: []int{0}},
	}
	if projectOf != nil {
		c.project, _ = projectOf(t.Dir)
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
	report.Dialogs, report.WithoutPrompt = c.dialogs, c.prompts == 0 && (c.started || !c.hasAside)
	return all, report, c.history.gone(), nil
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
