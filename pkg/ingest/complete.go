package ingest

import (
	"cmp"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// completed returns the memory of a draft, with the fields that follow from its kind, its content and its event.
func completed(d draft) memory.Memory {
	m := d.Memory
	if !slices.Contains(memory.Kinds(), m.Kind) {
		m.Kind = memory.KindNote
	}
	most, of := memory.MaxContent, memory.TypeSemantic // statements of the user are kept whole
	switch m.Kind {
	case memory.KindConvention:
		of = memory.TypeProcedural
	case memory.KindFix:
		most, of = maxContent, memory.TypeProcedural
	case memory.KindDiscovery:
		most, of = maxContent, memory.TypeEpisodic
	default:
	}
	if d.of.Kind == memory.EventImported {
		m = received(m)
	} else {
		m.Content, m.Detail = memory.Cut(memory.OneLine(m.Content), most), memory.Cut(m.Detail, maxDetail)
		m.CreatedAt, m.LastSeenAt = d.of.At, d.of.At
	}
	m.Title, m.Area = memory.OneLine(m.Title), memory.AreaOf(m.Area)
	m.Session = cmp.Or(m.Session, d.of.Session)
	m.Type = cmp.Or(m.Type, of)
	m.Importance = cmp.Or(m.Importance, m.Kind.Importance())
	if m.Project = ""; m.Scope != memory.ScopeUser {
		m.Scope, m.Project = memory.ScopeProject, d.of.Project.Key
	}
	m.Tags, m.Cues, m.Files = memory.Union(m.Tags), memory.Union(m.Cues), memory.Union(pathsIn(d.about), m.Files)
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
