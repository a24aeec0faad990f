package ingest

import (
	"cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/defuse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/render"
)

// maxImportedDetail is the most bytes of an imported memory's detail: archiving appends
// its reason to the detail.
const maxImportedDetail = 2 * maxDetail

// imported adds complete rows.
func (b *builder) imported(e memory.Event) {
	if e.Project.Key != "" {
		b.project(e)
		b.day(e.Project.Key, e.At)
	}
	row := *e.Import
	if row.Session != nil {
		b.importSession(e, *row.Session)
	}
	if p := row.Prompt; p != nil {
		b.batch.Prompts = append(b.batch.Prompts, memory.Prompt{
			ID: p.ID, Session: e.Session, Project: e.Project.Key, Text: memory.CutOnce(p.Text, maxPrompt), At: p.At,
		})
	}
	seen := ""
	if row.Memory != nil {
		seen = b.importMemory(e, *row.Memory)
	}
	if s := row.Sighting; s != nil {
		b.batch.Sightings = append(b.batch.Sightings, memory.Sighting{
			ID: s.ID, Memory: cmp.Or(seen, s.Memory), Session: e.Session, At: s.At,
		})
	}
}

// importMemory adds a memory, fills its empty fields by kind, and returns its id.
func (b *builder) importMemory(e memory.Event, m memory.Memory) string {
	profile := profileOf(m.Kind)
	m.Content, m.Detail = memory.OneLine(m.Content), memory.CutOnce(m.Detail, maxImportedDetail)
	m.Source, m.FileChange = cmp.Or(m.Source, memory.SourceImport), ""
	if m.Author != "" { // another person's text is only reported
		m.Author, m.Source, m.Pinned = memory.Cut(defuse.Line(m.Author), memory.MaxAuthor), memory.SourceImport, false
	}
	if profile.scope == memory.ScopeUser && m.Source != memory.SourceUser { // nobody else's preferences are for all projects
		profile.scope = memory.ScopeProject
	}
	m.Scope, m.Type = cmp.Or(m.Scope, profile.scope), cmp.Or(m.Type, profile.kind)
	m.Status, m.Importance = cmp.Or(m.Status, memory.StatusActive), cmp.Or(m.Importance, profile.importance)
	if m.Status = judged(m); m.Status == memory.StatusConsolidated { // into which row, an export does not say
		m.Status = memory.StatusArchived
	}
	m.Project = e.Project.Key
	if m.Scope == memory.ScopeUser {
		m.Project = ""
	}
	m.Tags, m.Files = sorted(m.Tags), sorted(m.Files)
	m.ID = cmp.Or(m.ID, memory.NewID(m.Scope, m.Project, m.Content))
	m.TokenCount, m.TokenEncoding = b.counter.Count(render.Line(m)), b.counter.Encoding()
	m.Session = cmp.Or(m.Session, e.Session)
	if m.CreatedAt.IsZero() || m.CreatedAt.After(m.LastSeenAt) {
		m.CreatedAt = m.LastSeenAt
	}
	b.merge(m)
	if m.Kind == memory.KindEdit && m.Project != "" {
		for _, path := range m.Files {
			b.file(memory.File{Project: m.Project, Path: path, SeenAt: m.LastSeenAt})
		}
	}
	return m.ID
}

// importSession adds a session unchanged, and its summary as a session event, where
// later summaries find it.
func (b *builder) importSession(e memory.Event, s memory.Session) {
	s.Project, s.PromptCount = e.Project.Key, 0
	text := memory.CutOnce(s.Summary.Text, maxPrompt)
	s.Summary = memory.Summary{Digest: s.Summary.Digest} // the text is counted when the session is summarised
	if text != "" {
		b.batch.SessionEvents = append(b.batch.SessionEvents, memory.SessionEvent{
			ID: e.ID, Session: s.ID, Kind: memory.EventSummarised, Text: text, At: s.LastEventAt,
		})
	}
	if s.State == memory.SessionCompleted {
		s.State = memory.SessionSummarising // until it is summarised here
	}
	i, known := b.sessions[s.ID]
	if !known {
		b.sessions[s.ID] = len(b.batch.Sessions)
		b.batch.Sessions = append(b.batch.Sessions, s)
		return
	}
	old := &b.batch.Sessions[i]
	if s.StartedAt.Before(old.StartedAt) {
		old.StartedAt = s.StartedAt
	}
	if !s.LastEventAt.Before(old.LastEventAt) {
		old.LastEventAt, old.Dir = s.LastEventAt, s.Dir
	}
	if !s.SourceAt.Before(old.SourceAt) {
		old.Source, old.SourceAt = s.Source, s.SourceAt
	}
	if !s.StateAt.Before(old.StateAt) {
		old.State, old.StateAt, old.EndedAt, old.EndReason = s.State, s.StateAt, s.EndedAt, s.EndReason
	}
}

// imported is the summary that a session was imported with, unless it has had prompts
// or work since.
func imported(a memory.SessionRecord) string {
	text := ""
	at := a.Session.StartedAt
	for _, m := range a.SessionEvents {
		if m.Kind == memory.EventSummarised && !m.At.Before(at) {
			text, at = m.Text, m.At
		}
	}
	for _, p := range a.Prompts {
		if p.At.After(at) {
			return ""
		}
	}
	for _, seen := range a.Seen {
		if seen.At.After(at) {
			return ""
		}
	}
	return text
}
