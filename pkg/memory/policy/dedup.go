package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/statement"
)

// Dedup plans the merging of duplicates. It compares active rows of one scope, project and kind (statements of all kinds but
// todo count as one kind). The best duplicate by a total order survives, and the other duplicates are merged into it. Each row
// is compared with the survivor itself, so that a chain of similar rows is not merged into one. Exempt rows are left alone.
//
// The rows may be a selection: the changed rows, and all rows with the same CandidateKeys.
func Dedup(rows []memory.Row) Plan {
	var plan Plan
	alike := map[string][]memory.Row{}
	for _, row := range rows {
		if key := CandidateKey(row); key != "" {
			alike[key] = append(alike[key], row)
		}
	}
	for _, some := range alike {
		plan.merge(some)
	}
	return plan.ordered()
}

// merge merges the duplicates of each row into the row, beginning with the best row. It skips duplicates that are merged already.
func (p *Plan) merge(rows []memory.Row) {
	slices.SortFunc(rows, better)
	left := memory.Each(rows, func(row memory.Row) *parsedRow {
		return &parsedRow{row, memory.Normalise(row.Memory.Content), statement.Parse(row.Memory.Content)}
	})
	for len(left) > 1 {
		survivor := left[0]
		var others []memory.Row
		left = slices.DeleteFunc(left[1:], func(other *parsedRow) bool {
			isSame := !other.Memory.Pinned && survivor.same(other)
			if isSame {
				others = append(others, other.Row)
			}
			return isSame
		})
		if len(others) > 0 {
			s, reason := p.mergeInto(survivor.Row, others, "the words differ only in some that add no meaning")
			p.change(KindMerge, survivor.Row, s, reason)
		}
	}
}

// parsedRow is a row with its parsed text.
type parsedRow struct {
	memory.Row
	text      string
	statement statement.Statement
}

// same reports whether two rows of one CandidateKey are duplicates: texts of the same form (memory.Normalise), or, if neither is the user's, texts
// that say the same.
func (r *parsedRow) same(other *parsedRow) bool {
	isUsers := r.Memory.Source == memory.SourceUser || other.Memory.Source == memory.SourceUser
	return !isUsers && r.statement.Same(other.statement) || r.text == other.text
}

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

// kindClass returns the kind of a memory. All statements and a model's facts have one class: their kind is a guess, and the same
// words may get another kind when they are stated again. Todos are a class of their own.
func kindClass(m memory.Memory) string {
	if (m.Kind.IsUserAuthored() || m.IsFact()) && m.Kind != memory.KindTodo {
		return "statement"
	}
	return string(m.Kind)
}

// DuplicateKey returns the key that a row shares with its duplicates in all projects; "" for a row that Promote does not count.
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
