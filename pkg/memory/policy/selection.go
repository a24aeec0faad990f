package policy

import (
	"fmt"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/sketch"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/statement"
)

// The needs of a plan for a store that is too large to be loaded as a whole: keys by
// which related rows are found, and the sums of budget scopes.

// Bands are the keys by which Dedup's candidates for a row are found: a duplicate shares one with
// it. Rows that Dedup leaves alone have none.
func Bands(row Row) []string {
	if !row.comparable() {
		return nil
	}
	return statement.Parse(row.Memory.Content).Keys(row.group())
}

// comparable reports whether Dedup compares the row.
func (r Row) comparable() bool { return r.alive() && !r.Exempt }

// group is a hash of the fields in which two rows must agree to be compared.
func (r Row) group() uint64 {
	m := r.Memory
	return sketch.Hash(string(m.Scope), m.Project, kindClass(m), fmt.Sprint(r.Done))
}

// kindClass is the kind, but one class for all kinds of statements and of a model's
// facts: the kind of these is a guess, and the same words stated again may get another.
// Todos are a class of their own.
func kindClass(m memory.Memory) string {
	if (m.Kind.UserAuthored() || m.IsFact()) && m.Kind != memory.KindTodo {
		return "statement"
	}
	return string(m.Kind)
}

// Wording is the key of Promote's candidates for a row: its duplicates in other projects. A row
// that Promote skips has none.
func Wording(row Row) []string {
	if !row.mayMove() {
		return nil
	}
	return []string{fmt.Sprintf("w%016x", sketch.Hash(row.wording()))}
}

// wording is the common key of duplicates, in whichever project.
func (r Row) wording() string {
	return fmt.Sprintf("%s %t %s", r.Memory.Kind, r.Done, strings.ToLower(memory.Normalise(r.Memory.Content)))
}
