package importer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
)

// The format and version in the first line of an export.
const (
	exportFormat  = "surrealdb-memory"
	exportVersion = 1
)

// maxExportLine is the maximum number of bytes of an export's line that are read: many times the longest row.
const maxExportLine = 1 << 20

// ExportHeader is the first line of an export.
type ExportHeader struct {
	Format     string    `json:"format"`
	Version    int       `json:"version"`
	ExportedAt time.Time `json:"exported_at"`
	// Project is the key of the only project in the export, or empty if it has all projects.
	Project string `json:"project,omitempty"`
}

// exportLine is any other line. The field that Kind names is set.
type exportLine struct {
	Kind     memory.Section   `json:"kind"`
	Project  *memory.Project  `json:"project,omitempty"`
	Session  *memory.Session  `json:"session,omitempty"`
	Prompt   *memory.Prompt   `json:"prompt,omitempty"`
	Memory   *exportedMemory  `json:"memory,omitempty"`
	Sighting *memory.Sighting `json:"sighting,omitempty"`

	Event *memory.SessionEvent `json:"event,omitempty"`
}

// exportedMemory is a memory with its fate.
type exportedMemory struct {
	memory.Memory
	memory.Fate
}

// ExportCounts has the number of rows of each section.
type ExportCounts struct {
	Rows map[memory.Section]int `json:"rows"`
	// Redacted is the number of rows from which the export's redaction removed something.
	Redacted int `json:"redacted"`
}

// Encoder writes an export. Its pages must come in the order of memory.Sections.
type Encoder struct {
	Counts  ExportCounts // counts of the lines written so far
	encoder *json.Encoder
	err     error // the first failed write
	// renamed maps the old ID of a memory whose content was redacted to its new ID, or to "" if no content was left.
	renamed map[string]string
}

// NewEncoder returns an encoder after writing the header of an export.
func NewEncoder(w io.Writer, project string, at time.Time) (*Encoder, error) {
	e := &Encoder{Counts: ExportCounts{Rows: map[memory.Section]int{}}, encoder: json.NewEncoder(w), renamed: map[string]string{}}
	e.encoder.SetEscapeHTML(false)
	err := e.encoder.Encode(ExportHeader{Format: exportFormat, Version: exportVersion, ExportedAt: at.UTC(), Project: project})
	return e, err
}

// Page writes the rows of a page. It redacts them again, because the rules may have improved since the rows were captured, and an export leaves the machine.
func (e *Encoder) Page(page memory.ExportPage) error {
	for _, project := range page.Projects {
		e.write(exportLine{Kind: memory.SectionProject, Project: &project})
	}
	for _, session := range page.Sessions {
		e.scrubbed(scrub(&session))
		e.write(exportLine{Kind: memory.SectionSession, Session: &session})
	}
	for _, prompt := range page.Prompts {
		if e.scrubbed(scrub(&prompt)); prompt.Text != "" {
			e.write(exportLine{Kind: memory.SectionPrompt, Prompt: &prompt})
		}
	}
	for _, m := range page.Memories {
		e.memory(m, page.Fates[m.ID])
	}
	for _, sighting := range page.Sightings {
		if id, isRenamed := e.renamed[sighting.Memory]; isRenamed {
			sighting.Memory = id
		}
		if sighting.Memory != "" {
			e.write(exportLine{Kind: memory.SectionSighting, Sighting: &sighting})
		}
	}
	for _, row := range page.Events {
		for _, event := range memory.OfSession(row.Session, row.Events) {
			e.scrubbed(scrub(&event))
			e.write(exportLine{Kind: memory.SectionEvent, Event: &event})
		}
	}
	return e.err
}

func (e *Encoder) memory(m memory.Memory, fate memory.Fate) {
	old := m.ID
	e.scrubbed(scrubMemory(&m))
	if m.ID != old {
		m.ID = memory.NewID(m.Scope, m.Project, m.Content)
		e.renamed[old] = m.ID
	}
	if m.Content == "" {
		e.renamed[old] = ""
		return
	}
	e.write(exportLine{Kind: memory.SectionMemory, Memory: &exportedMemory{m, fate}})
}

func (e *Encoder) scrubbed(isChanged bool) {
	if isChanged {
		e.Counts.Redacted++
	}
}

// write writes and counts a line, unless an earlier one could not be written.
func (e *Encoder) write(line exportLine) {
	if e.err != nil {
		return
	}
	e.Counts.Rows[line.Kind]++
	if err := e.encoder.Encode(line); err != nil {
		e.err = fmt.Errorf("write the export: %w", err)
	}
}

// scrub removes private and secret parts from all texts of a row, and reports whether there were any.
func scrub[Row any](row *Row) (isChanged bool) {
	*row = memory.Cleaned(*row, func(text string) string {
		after := redact.Clean(text)
		if after == text {
			return text
		}
		isChanged = true
		return strings.TrimSpace(after)
	})
	return isChanged
}

// scrubMemory is scrub for a memory. If the content changed, it removes the ID, whose hash would confirm a guess of the secret.
func scrubMemory(m *memory.Memory) (isChanged bool) {
	content := m.Content
	if isChanged = scrub(m); m.Content != content {
		m.ID = ""
	}
	return isChanged
}

// Decoder reads an export, and believes what it claims. The caller must make sure that the file is the user's own.
type Decoder struct {
	Header ExportHeader
	Report DecodeReport

	lines    lineReader
	projects map[string]memory.Project
}

// DecodeReport counts the lines that were read and skipped.
type DecodeReport struct {
	Lines       int `json:"lines"`
	Broken      int `json:"broken_lines"`
	FirstBroken int `json:"first_broken,omitempty"` // number of the first broken line, from 1
}

// NewDecoder reads the header of an export. It fails with memory.ErrInvalid if there is none, or one of a newer version.
func NewDecoder(r io.Reader) (*Decoder, error) {
	d := &Decoder{lines: newLineReader(r, maxExportLine), projects: map[string]memory.Project{}}
	first, err := d.lines.next()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the export: %w", err)
	}
	if json.Unmarshal(first.text, &d.Header) != nil || d.Header.Format != exportFormat {
		return nil, fmt.Errorf(`not written by memory export, because its first line is not {"format":%q,...}: %w`,
			exportFormat, memory.ErrInvalid)
	}
	switch {
	case d.Header.Version > exportVersion:
		return nil, fmt.Errorf("the export has version %d, but this program reads at most %d: update surrealdb-memory: %w",
			d.Header.Version, exportVersion, memory.ErrInvalid)
	case d.Header.Version < 1:
		return nil, fmt.Errorf("the export's first line has version %d, which does not exist: export again: %w", d.Header.Version, memory.ErrInvalid)
	}
	return d, nil
}

// Events returns the events that import the rows. A project, and a line that cannot be read, have no event.
func (d *Decoder) Events() iter.Seq2[memory.Event, error] {
	return func(yield func(memory.Event, error) bool) {
		for {
			found, err := d.lines.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(memory.Event{}, fmt.Errorf("read the export: %w", err))
				return
			}
			if event := d.read(found); event.Import != nil && !yield(event, nil) {
				return
			}
		}
	}
}

func (d *Decoder) read(found line) memory.Event {
	if len(bytes.TrimSpace(found.text)) == 0 {
		return memory.Event{}
	}
	d.Report.Lines++
	var row exportLine
	if json.Unmarshal(found.text, &row) == nil {
		if event, ok := d.event(row); ok {
			return event
		}
	}
	d.Report.Broken++
	d.Report.FirstBroken = cmp.Or(d.Report.FirstBroken, d.Report.Lines+1) // line 1 is the header
	return memory.Event{}
}

// exportSource is the source from which ids are derived here: of the events of memories and sessions, and of the session for rows that name none.
const exportSource = "export"

func (d *Decoder) event(line exportLine) (event memory.Event, ok bool) {
	switch {
	case line.Kind == memory.SectionProject && line.Project != nil && line.Project.Key != "":
		d.projects[line.Project.Key] = *line.Project
		return memory.Event{}, true
	case line.Kind == memory.SectionSession && line.Session != nil:
		return d.session(*line.Session), true
	case line.Kind == memory.SectionPrompt && line.Prompt != nil:
		p := *line.Prompt
		scrub(&p)
		return d.imported(p.ID, p.At, p.Session, p.Project, memory.Import{Prompt: &p}), true
	case line.Kind == memory.SectionMemory && line.Memory != nil:
		return d.memory(line.Memory.Memory, line.Memory.Fate), true
	case line.Kind == memory.SectionSighting && line.Sighting != nil:
		s := *line.Sighting
		return d.imported(s.ID, s.At, s.Session, "", memory.Import{Sighting: &s}), true
	case line.Kind == memory.SectionEvent && line.Event != nil:
		e := *line.Event
		scrub(&e)
		return d.imported(e.ID, e.At, e.Session, "", memory.Import{Event: &e}), true
	}
	return memory.Event{}, line.Kind == memory.SectionPurged
}

func (d *Decoder) memory(m memory.Memory, fate memory.Fate) memory.Event {
	scrubMemory(&m)
	id := memory.NewImportID(exportSource, "memory", m.ID, m.Content)
	return d.imported(id, m.LastSeenAt, m.Session, m.Project, memory.Import{Memory: &m, Fate: &fate})
}

func (d *Decoder) session(s memory.Session) memory.Event {
	scrub(&s)
	id := memory.NewImportID(exportSource, "session", s.ID, s.Summary.Text, s.LastEventAt.UTC().Format(time.RFC3339Nano))
	return d.imported(id, s.LastEventAt, s.ID, s.Project, memory.Import{Session: &s})
}

func (d *Decoder) imported(id string, at time.Time, session, key string, row memory.Import) memory.Event {
	where := memory.Project{}
	if key != "" {
		where = memory.Project{Key: key, Name: path.Base(key)}
		if known, ok := d.projects[key]; ok {
			where = known
			where.SeenAt = time.Time{}
		}
	}
	if session == "" { // the row names no session
		session = memory.NewImportID(exportSource)
	}
	return memory.Event{ID: id, At: at, Kind: memory.EventImported, Session: session, Project: where, Import: &row}
}
