package policy

import (
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/statement"
)

// Dedup plans the merging of duplicates. It compares active rows of one scope, project and kind (statements of all kinds but
// todo count as one kind). The best duplicate by a total order survives, and the other duplicates are merged into it. Each row
// is compared with the survivor itself, so that a chain of similar rows is not merged into one. Exempt rows are left alone.
//
// The rows may be a selection: the changed rows with those of the same CandidateKey.
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

// merge merges the duplicates of each row into the row, beginning with the best row. It skips duplicates that are
// merged already.
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

// same reports whether two rows of one CandidateKey are duplicates: the same words in any case and spacing, or, if neither
// is of the user, texts that say the same.
func (r *parsedRow) same(other *parsedRow) bool {
	return r.Memory.Source != memory.SourceUser && other.Memory.Source != memory.SourceUser && r.statement.Same(other.statement) ||
		strings.EqualFold(r.text, other.text)
}
