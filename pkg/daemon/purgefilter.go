package daemon

import (
	"reflect"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
)

// purge removes purged rows from a journal's records.
type purge struct{ memory.Sweep }

// note adds the sessions and memories in a record that belong to a purged project.
func (p purge) note(r journal.Record, sessions map[string]bool) {
	switch row := r.After.(type) {
	case memory.Session:
		if p.Projects[row.Project] {
			sessions[row.ID] = true
		}
	case memory.Row:
		if p.Projects[row.Memory.Project] {
			p.Memories[row.Memory.ID] = true
		}
	}
}

// rest returns a record as the purge leaves it (empty if nothing stays), and whether it differs.
func (p purge) rest(r journal.Record) (journal.Record, bool) {
	if p.Projects[""] {
		return journal.Record{}, true
	}
	left := p.Rest(r.After)
	if row, isRow := r.After.(memory.Row); isRow && left == nil && p.Memories[row.Memory.ID] && r.Before != nil {
		// An older backup may still have the memory in another project. This record, without its texts, makes a rebuild move
		// the memory into the purged project, whose rows the rebuild deletes.
		row.Memory.Session = ""
		left = memory.CleanedTexts(row, func(string) string { return "" })
	}
	if reflect.DeepEqual(left, r.After) {
		return r, false
	}
	if left == nil {
		return journal.Record{}, true
	}
	r.After = left
	return r, true
}
