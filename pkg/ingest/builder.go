package ingest

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/quarantine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// The most bytes kept of a text. Longer texts are cut with a mark.
const (
	maxContent  = 600
	maxDetail   = 4000
	maxActivity = 200 // the detail of an edit, a successful command and another tool's use: the file and the journal have the rest
	maxPrompt   = 8000
	maxSnippet  = 100
)

type builder struct {
	batch   memory.Batch
	counter tokens.Counter
	// Index of a session, memory or project in the batch.
	sessions, memories, projects map[string]int
}

// day records activity in a project on a day.
func (b *builder) day(project string, at time.Time) {
	day := memory.ActiveDay{Project: project, Day: at.UTC().Format(time.DateOnly)}
	if project != "" && !slices.Contains(b.batch.Days, day) {
		b.batch.Days = append(b.batch.Days, day)
	}
}

func (b *builder) project(e memory.Event) {
	p := e.Project
	p.SeenAt = e.At
	if i, known := b.projects[p.Key]; known {
		if e.At.After(b.batch.Projects[i].SeenAt) {
			b.batch.Projects[i] = p
		}
		return
	}
	b.projects[p.Key] = len(b.batch.Projects)
	b.batch.Projects = append(b.batch.Projects, p)
}

func (b *builder) session(e memory.Event) {
	i, known := b.sessions[e.Session]
	if !known {
		i = len(b.batch.Sessions)
		b.sessions[e.Session] = i
		b.batch.Sessions = append(b.batch.Sessions, memory.Session{
			ID: e.Session, Project: e.Project.Key, Client: e.Client, State: memory.SessionActive, StartedAt: e.At,
		})
	}
	s := &b.batch.Sessions[i]
	if e.At.Before(s.StartedAt) {
		s.StartedAt = e.At
	}
	if !e.At.Before(s.LastEventAt) {
		s.LastEventAt, s.Dir = e.At, e.Dir
	}
	if e.Kind == memory.EventSessionStarted && !e.At.Before(s.SourceAt) {
		s.Source, s.SourceAt = e.Source, e.At
	}
	state, decides := stateAfter(e.Kind)
	if !decides || e.At.Before(s.StateAt) {
		return
	}
	s.State, s.StateAt, s.EndedAt, s.EndReason = state, e.At, time.Time{}, ""
	if state.Over() {
		s.EndedAt, s.EndReason = e.At, e.Reason
	}
}

// stateAfter is the state that an event moves its session to. Most events move none, so
// a late hook cannot reopen a session.
func stateAfter(kind memory.EventKind) (memory.SessionState, bool) {
	switch kind {
	case memory.EventSessionStarted:
		return memory.SessionInitialised, true
	case memory.EventPrompt:
		return memory.SessionActive, true
	case memory.EventSessionEnded:
		return memory.SessionSummarising, true
	default:
		return "", false
	}
}

// file adds a file once: the engine undoes all that a transaction has written when it
// meets a row twice, and then does it again.
func (b *builder) file(f memory.File) {
	for i := range b.batch.Files {
		if known := &b.batch.Files[i]; known.Path == f.Path && known.Project == f.Project {
			if f.SeenAt.After(known.SeenAt) {
				known.SeenAt = f.SeenAt
			}
			return
		}
	}
	b.batch.Files = append(b.batch.Files, f)
}

// fingerprinted is a memory with the fingerprints of its files.
func fingerprinted(m memory.Memory, prints map[string]string) memory.Memory {
	for _, file := range m.Files {
		fingerprint, known := prints[file]
		if !known {
			continue
		}
		if m.Fingerprints == nil {
			m.Fingerprints = map[string]string{}
		}
		m.Fingerprints[file] = fingerprint
	}
	return m
}

// sighting completes the memory of an event, adds it, and returns its id.
func (b *builder) sighting(e memory.Event, m memory.Memory) string {
	m = fingerprinted(complete(m, e.Project.Key, e.Session, e.At, b.counter), e.Fingerprints)
	b.merge(m)
	b.batch.Sightings = append(b.batch.Sightings, memory.Sighting{ID: e.ID, Memory: m.ID, Session: e.Session, At: e.At})
	return m.ID
}

// drawn is sighting for a memory that rules extracted from an event's words.
func (b *builder) drawn(e memory.Event, m memory.Memory) string {
	m = fingerprinted(complete(m, e.Project.Key, e.Session, e.At, b.counter), e.Fingerprints)
	b.merge(m)
	b.batch.Sightings = append(b.batch.Sightings, memory.Sighting{ID: ofMemory(e.ID, m.ID), Memory: m.ID, Session: e.Session, At: e.At})
	return m.ID
}

// ofMemory is the id of a sighting of an extracted memory. It contains the memory's id,
// because newer rules, or more of the session, may extract another memory from the
// event.
func ofMemory(event, id string) string { return event + "-" + id[:12] }

// complete derives the fields of a memory that follow from its kind and content.
func complete(m memory.Memory, project, session string, at time.Time, counter tokens.Counter) memory.Memory {
	profile := profileOf(m.Kind)
	m.Source = cmp.Or(m.Source, m.Kind.UsualSource())
	m.Content, m.Detail = memory.Cut(memory.OneLine(m.Content), longest(m.Kind)), memory.Cut(m.Detail, longestDetail(m))
	m.Scope, m.Type, m.Importance = cmp.Or(m.Scope, profile.scope), cmp.Or(m.Type, profile.kind), cmp.Or(m.Importance, profile.importance)
	m.Status = memory.StatusActive
	if m.Scope != memory.ScopeUser {
		m.Project = project
	}
	m.Tags, m.Cues, m.Files = sorted(m.Tags), sorted(m.Cues), sorted(m.Files)
	m.Status = judged(m)
	m.ID = memory.NewID(m.Scope, m.Project, m.Content)
	m.TokenCount, m.TokenEncoding = counter.Count(render.Line(m)), counter.Encoding()
	m.Session, m.CreatedAt, m.LastSeenAt = session, at, at
	return m
}

// judged is the status of a new memory. Text that reads like an instruction to an
// assistant and is not from the user is quarantined until a person releases it.
func judged(m memory.Memory) memory.Status {
	if (m.Status == memory.StatusActive || m.Status == memory.StatusProposed) && m.Source != memory.SourceUser && len(quarantine.Judge(m.Content)) > 0 {
		return memory.StatusQuarantined
	}
	return m.Status
}

// longest is the most bytes kept of a memory's content. Statements of the user are kept
// whole, and cards have a limit of their own.
func longest(kind memory.Kind) int {
	if kind.UserAuthored() || kind == memory.KindTurn {
		return memory.MaxContent
	}
	return maxContent
}

// longestDetail is the most bytes kept of a memory's detail. Records of tool calls keep
// less: they are the most numerous, and recall never shows them.
func longestDetail(m memory.Memory) int {
	if !m.Kind.Searchable() && m.Source == memory.SourceTool {
		return maxActivity
	}
	return maxDetail
}

func (b *builder) merge(m memory.Memory) {
	i, known := b.memories[m.ID]
	if !known {
		b.memories[m.ID] = len(b.batch.Memories)
		b.batch.Memories = append(b.batch.Memories, m)
		return
	}
	old := &b.batch.Memories[i]
	*old = old.Believe(m)
	old.Tags, old.Files = union(old.Tags, m.Tags), union(old.Files, m.Files)
	if m.LastSeenAt.After(old.LastSeenAt) {
		old.LastSeenAt, old.Detail, old.Session, old.Fingerprints = m.LastSeenAt, m.Detail, m.Session, m.Fingerprints
	}
	if m.CreatedAt.Before(old.CreatedAt) {
		old.CreatedAt = m.CreatedAt
	}
}

func union(a, b []string) []string {
	if len(b) == 0 {
		return a
	}
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// profile is the initial values of a kind of memory.
type profile struct {
	scope      memory.Scope
	kind       memory.Type
	importance float64
}

func profileOf(kind memory.Kind) profile {
	switch kind {
	case memory.KindDecision:
		return profile{memory.ScopeProject, memory.TypeSemantic, 0.9}
	case memory.KindCorrection:
		return profile{memory.ScopeProject, memory.TypeSemantic, 0.85}
	case memory.KindConvention:
		return profile{memory.ScopeProject, memory.TypeProcedural, 0.8}
	case memory.KindPreference:
		return profile{memory.ScopeUser, memory.TypeSemantic, 0.8}
	case memory.KindTodo:
		return profile{memory.ScopeProject, memory.TypeSemantic, 0.7}
	case memory.KindFix:
		return profile{memory.ScopeProject, memory.TypeProcedural, 0.7}
	case memory.KindNote:
		return profile{memory.ScopeProject, memory.TypeSemantic, 0.6}
	case memory.KindDiscovery, memory.KindTask:
		return profile{memory.ScopeSession, memory.TypeEpisodic, 0.5}
	case memory.KindTurn:
		return profile{memory.ScopeProject, memory.TypeSemantic, 0.4}
	case memory.KindFailure:
		return profile{memory.ScopeSession, memory.TypeEpisodic, 0.5}
	case memory.KindEdit, memory.KindCommand:
		return profile{memory.ScopeSession, memory.TypeEpisodic, 0.3}
	case memory.KindObservation:
		return profile{memory.ScopeSession, memory.TypeWorking, 0.1}
	}
	return profile{memory.ScopeSession, memory.TypeWorking, 0.2}
}

func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = memory.OneLine(line); line != "" {
			return line
		}
	}
	return ""
}

// sorted orders texts and drops duplicates, as the store does when it merges them with
// an existing row.
func sorted(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}

func tags(all ...string) []string {
	var some []string
	for _, tag := range all {
		if tag != "" {
			some = append(some, tag)
		}
	}
	return some
}
