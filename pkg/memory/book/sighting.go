// Package book computes changes of stored rows, as pure functions of the current rows and of the event
// that changes them. A Book reads the rows and has a store write the results.
package book

import (
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// NewRow returns the row of a memory at its first sighting.
func NewRow(m memory.Memory) memory.Row {
	m.Tags, m.Files, m.Cues = memory.Union(m.Tags), memory.Union(m.Files), memory.Union(m.Cues)
	return memory.Row{Memory: m, UsedAt: m.CreatedAt}
}

// AddSighting returns the row of a memory after another sighting, and whether the row differs. The order of sightings and their
// repetition do not matter: the newest sighting decides the details, and the most trusted source decides the wording. A newer
// sighting restores an archived row, unless a person archived it. Somebody else who repeats the user's words restores them only
// if the repetition is later than the archiving.
func AddSighting(row memory.Row, next memory.Memory) (memory.Row, bool) {
	m := row.Memory
	if next.LastSeenAt.Equal(m.LastSeenAt) && !next.Outranks(m) {
		row.Memory.Tags = memory.Union(m.Tags, next.SaidTags())
		return row, len(row.Memory.Tags) > len(m.Tags)
	}
	if next.LastSeenAt.After(m.LastSeenAt) && !row.Rejected && (!isEcho(m, next) || next.LastSeenAt.After(row.RetiredAt)) {
		row = revive(row, next)
	}
	row.Memory = MergeSightings(row.Memory, next)
	return row, true
}

// isEcho reports whether somebody else repeats, in next, the user's own words. An echo changes neither when the user said the words,
// nor what was decided about them.
func isEcho(m, next memory.Memory) bool {
	return m.Source == memory.SourceUser && next.Source != memory.SourceUser
}

// saidAgain prepares a row whose memory next states again, so that AddSighting restores the row even if a person archived it. If next is for all projects, so is
// the row.
func saidAgain(row memory.Row, next memory.Memory) memory.Row {
	if row.Memory.Status == memory.StatusArchived && (next.LastSeenAt.After(row.RetiredAt) || row.Memory.IsTakenBack()) {
		row.Rejected, row.MergedInto = false, ""
	}
	if next.Scope == memory.ScopeUser && row.Memory.Scope == memory.ScopeProject {
		row.Memory.Scope, row.Memory.Project = next.Scope, ""
	}
	return row
}

// revive restores a row at a newer sighting, if it was archived.
func revive(row memory.Row, next memory.Memory) memory.Row {
	m := &row.Memory
	if m.IsTakenBack() { // what was taken back does not count as said: next is the first time
		m.Session, m.CreatedAt = next.Session, next.CreatedAt
	}
	if m.Status != memory.StatusArchived {
		return row
	}
	m.Status, row.RetiredAt = memory.StatusActive, time.Time{}
	row.UsedAt = next.LastSeenAt
	return row
}

// MergeSightings merges another sighting into a memory. Only the user's sightings tell when the user's words were said last.
func MergeSightings(m, next memory.Memory) memory.Memory {
	if m.IsUsersWord() && next.IsUsersWord() && m.Session != next.Session {
		if m.Said() == 0 {
			m = m.SaidAgain(m.Session)
		}
		m = m.SaidAgain(next.Session)
	}
	newer := !isEcho(m, next) && (isEcho(next, m) || next.LastSeenAt.After(m.LastSeenAt))
	m = m.WithWordingOf(next)
	if next.CreatedAt.Before(m.CreatedAt) {
		m.CreatedAt = next.CreatedAt
	}
	m.Tags, m.Files, m.Cues = memory.Union(m.Tags, next.Tags), memory.Union(m.Files, next.Files), memory.Union(m.Cues, next.Cues)
	m.Everywhere = m.Everywhere || next.Everywhere
	if next.Title != "" && (newer || m.Title == "") {
		m.Title, m.Area = next.Title, next.Area
	}
	if newer {
		m.Detail, m.LastSeenAt, m.Session = next.Detail, next.LastSeenAt, next.Session
	}
	return m
}

// lifeOfSession lists the states of a session in order.
var lifeOfSession = []memory.SessionState{
	memory.SessionActive, memory.SessionSummarising, memory.SessionCompleted, memory.SessionAbandoned,
}

// MergeSession returns a session after other events: the newest event decides each value. If two states have the same time, as
// the last prompt and the end have in some transcripts, the state that comes later in a session's life decides.
func MergeSession(s, next memory.Session) memory.Session {
	isLater := slices.Index(lifeOfSession, next.State) > slices.Index(lifeOfSession, s.State)
	if next.StateAt.After(s.StateAt) || next.StateAt.Equal(s.StateAt) && isLater {
		s.State, s.StateAt, s.EndedAt, s.EndReason = next.State, next.StateAt, next.EndedAt, next.EndReason
	}
	if next.SourceAt.After(s.SourceAt) {
		s.Source, s.SourceAt = next.Source, next.SourceAt
	}
	if next.LastEventAt.After(s.LastEventAt) {
		s.LastEventAt, s.Dir = next.LastEventAt, next.Dir
	}
	if next.StartedAt.Before(s.StartedAt) {
		s.StartedAt = next.StartedAt
	}
	return s
}

// WithSummary returns a session with a summary. A session that is being summarised becomes completed.
func WithSummary(s memory.Session, summary memory.Summary) memory.Session {
	s.Summary = summary
	if s.State == memory.SessionSummarising {
		s.State = memory.SessionCompleted
	}
	return s
}
