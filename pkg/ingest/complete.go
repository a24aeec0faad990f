package ingest

import (
	"cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// completed returns the memory of a draft, with the fields that follow from its kind, its content and its event.
func completed(d draft) memory.Memory {
	m := d.Memory
	usual, isKind := profiles[m.Kind]
	if !isKind {
		m.Kind, usual = memory.KindNote, profiles[memory.KindNote]
	}
	if d.of.Kind == memory.EventImported {
		m = received(m)
	} else {
		m.Source = cmp.Or(m.Source, m.Kind.UsualSource())
		m.Content, m.Detail = memory.Cut(memory.OneLine(m.Content), usual.content), memory.Cut(m.Detail, maxDetail)
		m.CreatedAt, m.LastSeenAt = d.of.At, d.of.At
	}
	m.Title, m.Area = memory.OneLine(m.Title), memory.AreaOf(m.Area)
	m.Session = cmp.Or(m.Session, d.of.Session)
	m.Scope, m.Type = cmp.Or(m.Scope, usual.scope), cmp.Or(m.Type, usual.kind)
	m.Importance = cmp.Or(m.Importance, m.Kind.Importance())
	if m.Project = d.of.Project.Key; m.Scope == memory.ScopeUser {
		m.Project = ""
	}
	m.Tags, m.Cues, m.Files = sorted(m.Tags), sorted(m.Cues), sorted(append(pathsIn(d.about), m.Files...))
	m.Status = cmp.Or(m.Status, memory.StatusActive)
	m.ID = cmp.Or(m.ID, memory.NewID(m.Scope, m.Project, m.Content))
	return m
}

// received returns an imported memory with its own times, status and, if it has one, id.
func received(m memory.Memory) memory.Memory {
	m.Source = cmp.Or(m.Source, memory.SourceImport)
	m.Content, m.Detail = memory.OneLine(m.Content), memory.CutOnce(m.Detail, maxImported)
	if m.Status == memory.StatusConsolidated { // an export does not name the memory that absorbed it
		m.Status = memory.StatusArchived
	}
	if m.CreatedAt.IsZero() || m.CreatedAt.After(m.LastSeenAt) {
		m.CreatedAt = m.LastSeenAt
	}
	return m
}

// profile holds the initial values of a kind of memory.
type profile struct {
	scope   memory.Scope
	kind    memory.Type
	content int // maximum number of bytes; statements of the user are kept whole
}

var profiles = map[memory.Kind]profile{
	memory.KindDecision:   {memory.ScopeProject, memory.TypeSemantic, memory.MaxContent},
	memory.KindCorrection: {memory.ScopeProject, memory.TypeSemantic, memory.MaxContent},
	memory.KindConvention: {memory.ScopeProject, memory.TypeProcedural, memory.MaxContent},
	memory.KindPreference: {memory.ScopeProject, memory.TypeSemantic, memory.MaxContent},
	memory.KindTodo:       {memory.ScopeProject, memory.TypeSemantic, memory.MaxContent},
	memory.KindFix:        {memory.ScopeProject, memory.TypeProcedural, maxContent},
	memory.KindNote:       {memory.ScopeProject, memory.TypeSemantic, memory.MaxContent},
	memory.KindDiscovery:  {memory.ScopeSession, memory.TypeEpisodic, maxContent},
}
