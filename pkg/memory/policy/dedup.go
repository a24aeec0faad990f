package policy

import (
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/statement"
)

// Dedup plans the merging of duplicates. It compares active rows of one scope, project and kind (statements of all
// kinds but todo count as one kind). Of duplicates, the best by a total order survives and the others are merged into
// it. Each of them is compared with the survivor itself, so that a chain of similar rows is not merged into one. A row
// that was seen after the row that superseded it becomes current again. Exempt rows are left alone.
//
// The rows may be a selection: the changed rows with those of the same CandidateKey.
func Dedup(rows []Row) Plan {
	d := dedup{newDraft(rows)}
	var considered []Row
	alike := map[string][]Row{}
	for _, row := range rows {
		if row.alive() {
			considered = append(considered, row)
		}
		if key := CandidateKey(row); key != "" {
			alike[key] = append(alike[key], row)
		}
	}
	for _, some := range alike {
		d.merge(some)
	}
	d.reinstate(considered)
	return d.plan()
}

type dedup struct{ *draft }

// current returns the rows as the draft has them, active ones only.
func (d dedup) current(rows []Row) []Row {
	var left []Row
	for _, row := range rows {
		if now, _ := d.row(row.Memory.ID); now.alive() {
			left = append(left, now)
		}
	}
	return left
}

// merge merges the duplicates of each row into the row, beginning with the best row. It skips duplicates that are
// merged already.
func (d dedup) merge(rows []Row) {
	slices.SortFunc(rows, better)
	left := make([]*parsedRow, 0, len(rows))
	for _, row := range rows {
		left = append(left, &parsedRow{row, memory.Normalise(row.Memory.Content), statement.Parse(row.Memory.Content)})
	}
	for len(left) > 1 {
		survivor := left[0]
		var others []Row
		left = slices.DeleteFunc(left[1:], func(other *parsedRow) bool {
			isSame := !other.Memory.Pinned && survivor.same(other)
			if isSame {
				others = append(others, other.Row)
			}
			return isSame
		})
		if len(others) > 0 {
			d.mergeInto(survivor.Row, others, "the words differ only in some that add no meaning")
		}
	}
}

// parsedRow is a row with its parsed text.
type parsedRow struct {
	Row
	text      string
	statement statement.Statement
}

// same reports whether two rows of one CandidateKey are duplicates: the same words in any case and spacing, or, for a
// model's facts, texts that say the same.
func (r *parsedRow) same(other *parsedRow) bool {
	return r.Memory.Source != memory.SourceUser && other.Memory.Source != memory.SourceUser && r.statement.Same(other.statement) ||
		strings.EqualFold(r.text, other.text)
}

// reinstate makes a superseded row current again if it was seen later than the row that replaced it. It then supersedes
// that row. Both change, or neither.
func (d dedup) reinstate(rows []Row) {
	for _, old := range slices.SortedFunc(slices.Values(d.current(rows)), newer) {
		row, _ := d.row(old.Memory.ID)
		by, known := d.successor(row)
		if !known || row.Exempt || newer(row, by) > 0 || !by.correctable(row) || by.UserWritten && !row.UserWritten {
			continue
		}
		s := row.State()
		s.SupersededBy = ""
		d.change(KindReinstate, row.With(s), "was seen again after "+by.Memory.ID+", which had corrected it")
		s = by.State()
		s.SupersededBy = row.Memory.ID
		d.change(KindSupersede, by.With(s), "corrected by "+row.Memory.ID+", which was seen again")
	}
}

// successor returns the row that stands in the place of a superseded row: the last in the chain of corrections. known
// is false if a row of the chain is not among the rows, or is not active.
func (d dedup) successor(row Row) (by Row, known bool) {
	passed := map[string]bool{}
	for row.SupersededBy != "" && !passed[row.Memory.ID] {
		passed[row.Memory.ID] = true
		if by, known = d.row(row.SupersededBy); !known || !by.alive() {
			return by, false
		}
		row = by
	}
	return by, known && row.SupersededBy == ""
}

// correctable reports whether a row as trusted as by may stand in the place of r.
func (r Row) correctable(by Row) bool {
	return !r.Exempt && !r.Memory.Pinned && by.Memory.Source.Trust() >= r.Memory.Source.Trust()
}
