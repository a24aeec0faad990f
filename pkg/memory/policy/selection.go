package policy

import (
	"fmt"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/statement"
)

// CandidateKey returns the key that a row shares with its candidates in Dedup; "" for a row that Dedup leaves alone. A fact and
// a person's statement have different keys: one row for both would name the wrong author of its words.
func CandidateKey(row memory.Row) string {
	if !row.Memory.IsRecallable() || row.Exempt {
		return ""
	}
	m := row.Memory
	return fmt.Sprintf("%s\x00%s\x00%s\x00%t\x00%s", m.Scope, m.Project, kindClass(m), m.IsFact(),
		statement.Parse(m.Content).Guard)
}

// kindClass returns the kind, or for all statements and a model's facts one common class: their kind
// is a guess, and the same words stated again may get another. Todos are a class of their
// own.
func kindClass(m memory.Memory) string {
	if (m.Kind.IsUserAuthored() || m.IsFact()) && m.Kind != memory.KindTodo {
		return "statement"
	}
	return string(m.Kind)
}

// DuplicateKey returns the key that a row shares with its duplicates in all projects; "" for a row that Promote does not
// count.
func DuplicateKey(row memory.Row) string {
	if row.Exempt || !isCurrent(row) || !isLasting(row.Memory) || !isEvidence(row) {
		return ""
	}
	return duplicateKey(row)
}

func duplicateKey(r memory.Row) string {
	return fmt.Sprintf("%s %s", r.Memory.Kind, strings.ToLower(memory.Normalise(r.Memory.Content)))
}

// isEvidence reports whether a row counts when Promote decides if the same memory of several projects is to hold in all. Outside
// of user scope a row does not count if it is Exempt, only reported (IsHearsay) or imported.
func isEvidence(r memory.Row) bool {
	return r.Memory.Scope == memory.ScopeUser || !r.Exempt && !r.Memory.IsHearsay() && r.Memory.Source != memory.SourceImport
}

func isLasting(m memory.Memory) bool {
	return m.Type == memory.TypeSemantic || m.Type == memory.TypeProcedural
}
