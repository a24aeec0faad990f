package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"slices"
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

// exportedMemory is a memory with further fields for readers of an export.
type exportedMemory struct {
	memory.Memory
	// Recallable is false for archived memories and records of activity. An import ignores it.
	Recallable bool `json:"recallable"`
	// Fate is imported from the user's own export only.
	memory.Fate
}

// ExportCounts has the number of rows of each section.
type ExportCounts struct {
	Projects  int `json:"projects"`
	Sessions  int `json:"sessions"`
	Prompts   int `json:"prompts"`
	Memories  int `json:"memories"`
	Sightings int `json:"sightings"`
	Events    int `json:"events"`
	// Redacted is the number of rows from which the export's redaction removed something.
	Redacted int `json:"redacted"`
}

// Encoder writes an export. Its pages must come in the order of memory.Sections.
type Encoder struct {
	encoder *json.Encoder
	counts  ExportCounts
	// renamed maps the old ID of a memory whose content was redacted to its new ID, or to "" if no content was left.
	renamed map[string]string
}

// NewEncoder returns an encoder after writing the header of an export.
func NewEncoder(w io.Writer, project string, at time.Time) (*Encoder, error) {
	e := &Encoder{encoder: json.NewEncoder(w), renamed: map[string]string{}}
	e.encoder.SetEscapeHTML(false)
	header := ExportHeader{Format: exportFormat, Version: exportVersion, ExportedAt: at.UTC(), Project: project}
	if err := e.encoder.Encode(header); err != nil {
		return nil, fmt.Errorf("write the export: %w", err)
	}
	return e, nil
}

// Counts returns the numbers of lines written so far.
func (e *Encoder) Counts() ExportCounts { return e.counts }

// Page writes the rows of a page. It redacts them again, because the rules may have improved since the rows were
// captured, and an export leaves the machine.
func (e *Encoder) Page(page memory.ExportPage) error {
	for i := range page.Projects {
		e.counts.Projects++
		if err := e.write(exportLine{Kind: memory.SectionProject, Project: &page.Projects[i]}); err != nil {
			return err
		}
	}
	for i := range page.Sessions {
		e.counts.Sessions++
		e.scrubbed(scrub(&page.Sessions[i]))
		if err := e.write(exportLine{Kind: memory.SectionSession, Session: &page.Sessions[i]}); err != nil {
			return err
		}
	}
	for i := range page.Prompts {
		e.scrubbed(scrub(&page.Prompts[i]))
		if page.Prompts[i].Text == "" {
			continue
		}
		e.counts.Prompts++
		if err := e.write(exportLine{Kind: memory.SectionPrompt, Prompt: &page.Prompts[i]}); err != nil {
			return err
		}
	}
	if err := e.memories(page.Memories, page.Fates); err != nil {
		return err
	}
	if err := e.sightings(page.Sightings); err != nil {
		return err
	}
	return e.events(page.Events)
}

func (e *Encoder) events(rows []memory.EventRow) error {
	for _, row := range rows {
		for _, event := range memory.OfSession(row.Session, row.Events) {
			e.scrubbed(scrub(&event))
			e.counts.Events++
			if err := e.write(exportLine{Kind: memory.SectionEvent, Event: &event}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *Encoder) memories(memories []memory.Memory, fates map[string]memory.Fate) error {
	for i := range memories {
		m := &memories[i]
		old := m.ID
		e.scrubbed(scrubMemory(m))
		if m.ID != old {
			m.ID = memory.NewID(m.Scope, m.Project, m.Content)
			e.renamed[old] = m.ID
		}
		if m.Content == "" {
			e.renamed[old] = ""
			continue
		}
		e.counts.Memories++
		if err := e.write(exportLine{
			Kind:   memory.SectionMemory,
			Memory: &exportedMemory{*m, m.Recallable(), fates[old]},
		}); err != nil {
			return err
		}
	}
	return nil
}

func (e *Encoder) sightings(sightings []memory.Sighting) error {
	for i := range sightings {
		if id, isRenamed := e.renamed[sightings[i].Memory]; isRenamed {
			sightings[i].Memory = id
		}
		if sightings[i].Memory == "" {
			continue
		}
		e.counts.Sightings++
		if err := e.write(exportLine{Kind: memory.SectionSighting, Sighting: &sightings[i]}); err != nil {
			return err
		}
	}
	return nil
}

func (e *Encoder) scrubbed(isChanged bool) {
	if isChanged {
		e.counts.Redacted++
	}
}

func (e *Encoder) write(line exportLine) error {
	if err := e.encoder.Encode(line); err != nil {
		return fmt.Errorf("write the export: %w", err)
	}
	return nil
}

// scrub removes private and secret parts from all texts of a row, and reports whether there were any.
func scrub[Row any](row *Row) (isChanged bool) {
	*row = memory.Cleaned(*row, func(text string) string {
		after, _ := redact.Text(text)
		if after == text {
			return text
		}
		isChanged = true
		return strings.TrimSpace(after)
	})
	return isChanged
}

// scrubMemory is scrub for a memory. If the content changed, it removes the ID, a hash of the old content, which would
// confirm a guess of the secret.
func scrubMemory(m *memory.Memory) (isChanged bool) {
	content := m.Content
	if isChanged = scrub(m); m.Content != content {
		m.ID = ""
	}
	return isChanged
}

// Decoder reads an export.
type Decoder struct {
	Header ExportHeader
	Report DecodeReport
	// Mine means that the export is the user's own. Anybody can write such a file, so without Mine memories that claim a
	// more trusted source count as imported and lose their pin, and prompts and memories for all projects are skipped.
	Mine bool

	lines    lineReader
	projects map[string]memory.Project
}

// DecodeReport counts the lines that were read and skipped.
type DecodeReport struct {
	Lines       int `json:"lines"`
	Broken      int `json:"broken_lines"`
	FirstBroken int `json:"first_broken,omitempty"` // number of the first broken line, from 1
	// Doubted is the number of memories that claim to be the words of the user or of Claude, and count as imported.
	Doubted int `json:"doubted,omitempty"`
	// LeftOut is the number of rows that were skipped because only the user's own export may have them.
	LeftOut int `json:"left_out,omitempty"`
}

// NewDecoder reads the header of an export. It fails with memory.ErrInvalid if there is none, or if a newer version
// wrote the export.
func NewDecoder(r io.Reader) (*Decoder, error) {
	d := &Decoder{lines: newLineReader(r, maxExportLine), projects: map[string]memory.Project{}}
	first, err := d.lines.next()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the export: %w", err)
	}
	if json.Unmarshal(first.text, &d.Header) != nil || d.Header.Format != exportFormat {
		return nil, fmt.Errorf(`read the export: its first line is not {"format":%q,...}, so it was not made by memory export: %w`,
			exportFormat, memory.ErrInvalid)
	}
	switch {
	case d.Header.Version > exportVersion:
		return nil, fmt.Errorf("read the export: it has version %d, but this program reads at most %d: update surrealdb-memory, or export it with this version: %w",
			d.Header.Version, exportVersion, memory.ErrInvalid)
	case d.Header.Version < 1:
		return nil, fmt.Errorf("read the export: its first line has version %d, which no export has: the file was changed; export again: %w", d.Header.Version, memory.ErrInvalid)
	}
	return d, nil
}

// Next returns the event that imports the next row, and the row's size in bytes. The event is zero for a project, and
// for a line that cannot be read, which is counted. After the last row it returns io.EOF.
func (d *Decoder) Next() (memory.Event, int64, error) {
	found, err := d.lines.next()
	if errors.Is(err, io.EOF) {
		return memory.Event{}, 0, io.EOF
	}
	if err != nil {
		return memory.Event{}, 0, fmt.Errorf("read the export: %w", err)
	}
	size := found.size
	if len(bytes.TrimSpace(found.text)) == 0 {
		return memory.Event{}, size, nil
	}
	d.Report.Lines++
	var line exportLine
	if found.tooLong || json.Unmarshal(found.text, &line) != nil {
		d.broken()
		return memory.Event{}, size, nil
	}
	event, ok := d.event(line)
	if !ok {
		d.broken()
	}
	return event, size, nil
}

// Bundles returns the events of all rows, each with the size of its row in bytes.
func (d *Decoder) Bundles() iter.Seq2[Bundle, error] {
	return func(yield func(Bundle, error) bool) {
		for {
			event, size, err := d.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			bundle := Bundle{Size: size}
			if event.Import != nil { // otherwise it is a project, or a line that could not be read
				bundle.Events = []memory.Event{event}
			}
			if !yield(bundle, err) || err != nil {
				return
			}
		}
	}
}

func (d *Decoder) broken() {
	d.Report.Broken++
	if d.Report.FirstBroken == 0 {
		d.Report.FirstBroken = d.Report.Lines + 1 // line 1 is the header
	}
}

// exportSource is the source in the IDs of events whose rows have no ID.
const exportSource = "export"

func (d *Decoder) event(line exportLine) (event memory.Event, ok bool) {
	switch {
	case line.Kind == memory.SectionProject && line.Project != nil && line.Project.Key != "":
		if !d.Mine { // nobody else says which project is one of the user's
			line.Project.Commits = nil
		}
		d.projects[line.Project.Key] = *line.Project
		return memory.Event{}, true
	case line.Kind == memory.SectionSession && line.Session != nil:
		return d.session(*line.Session), true
	case line.Kind == memory.SectionPrompt && line.Prompt != nil:
		if !d.Mine {
			d.Report.LeftOut++
			return memory.Event{}, true
		}
		p := *line.Prompt
		scrub(&p)
		return d.imported(p.ID, p.At, p.Session, p.Project, memory.Import{Prompt: &p}), true
	case line.Kind == memory.SectionMemory && line.Memory != nil:
		return d.memory(line.Memory.Memory, line.Memory.Fate), true
	case line.Kind == memory.SectionSighting && line.Sighting != nil:
		s := *line.Sighting
		return d.imported(s.ID, s.At, s.Session, "", memory.Import{Sighting: &s}), true
	case line.Kind == memory.SectionEvent && line.Event != nil:
		return d.sessionEvent(*line.Event), true
	}
	return memory.Event{}, line.Kind == memory.SectionPurged || line.Kind == memory.SectionWithdrawn
}

// sessionEvent returns the event that imports an event of a session. Words and a model's answers are imported from the
// user's own export only.
func (d *Decoder) sessionEvent(e memory.SessionEvent) memory.Event {
	if !d.Mine && !e.IsActivity() {
		d.Report.LeftOut++
		return memory.Event{}
	}
	scrub(&e)
	return d.imported(e.ID, e.At, e.Session, "", memory.Import{Event: &e})
}

func (d *Decoder) memory(m memory.Memory, fate memory.Fate) memory.Event {
	scrubMemory(&m)
	if !d.Mine && (m.Scope == memory.ScopeUser || m.Project == "") {
		d.Report.LeftOut++
		return memory.Event{}
	}
	row := memory.Import{Memory: &m, Fate: &fate}
	if !d.Mine {
		d.lowerTrust(&m)
		row.Fate = nil
	}
	id := memory.NewImportID(exportSource, "memory", m.ID, m.Content)
	return d.imported(id, m.LastSeenAt, m.Session, m.Project, row)
}

// lowerTrust removes from a memory what only the user's own export may claim.
func (d *Decoder) lowerTrust(m *memory.Memory) {
	if m.Source.Trust() > memory.SourceImport.Trust() {
		m.Source = memory.SourceImport
		d.Report.Doubted++
	}
	m.Pinned = false
	m.Tags = slices.DeleteFunc(slices.Clone(m.Tags),
		func(tag string) bool { return tag == memory.TagModel || tag == memory.TagUsersWords })
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
	if session == "" { // the memory has no known session
		session = memory.NewImportID(exportSource)
	}
	return memory.Event{ID: id, At: at, Kind: memory.EventImported, Session: session, Project: where, Import: &row}
}
