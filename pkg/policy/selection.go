package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/sketch"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/statement"
)

// The needs of a plan for a store that is too large to be loaded as a whole: keys by
// which related rows are found, and the sums of budget scopes.

// Bands are the keys by which Dedup's candidates for a row are found: a duplicate or a
// correction shares one with it. Rows that Dedup leaves alone have none.
func Bands(row Row) []string {
	if !row.comparable() {
		return nil
	}
	return slices.Concat(statement.Parse(row.Memory.Content).Keys(row.group()), row.plainKeys(), row.subjectKeys(),
		row.rejectedKeys(), row.titleKeys())
}

// titleKeys are the keys shared by facts of one area whose titles may contradict each other.
func (r Row) titleKeys() []string {
	m := r.Memory
	if !m.IsFact() || m.Area == "" {
		return nil
	}
	place := sketch.Hash(string(m.Scope), m.Project, m.Area)
	keys := statement.ParseTitle(m.Title).Keys
	for i := range keys {
		keys[i] = key("title", place, keys[i])
	}
	return keys
}

// rejectedKeys are the plain keys of the conclusions that a rejection by the user
// answers: its detail holds the sentence that it answers. The rejection must open as
// one, or share a word with that sentence.
func (r Row) rejectedKeys() []string {
	m := r.Memory
	if m.Kind != memory.KindCorrection || m.Source != memory.SourceUser || m.Detail == "" {
		return nil
	}
	conclusion := Row{Memory: memory.Memory{Scope: m.Scope, Project: m.Project, Kind: memory.KindDiscovery}}
	var keys []string
	for line := range strings.Lines(m.Detail) {
		if line = strings.TrimSpace(line); statement.Rejects(m.Content, line) {
			keys = append(keys, key("plain", conclusion.group(), statement.Plain(line)))
		}
	}
	return keys
}

// plainKeys is the key shared by rows that differ only in spaces, hyphens and filler
// words. Only sentences have one.
func (r Row) plainKeys() []string {
	if !r.sentence() {
		return nil
	}
	return []string{key("plain", r.group(), statement.Plain(r.Memory.Content))}
}

// sentence reports whether a person or model worded the row, and not a program.
func (r Row) sentence() bool {
	return r.Memory.Kind.UserAuthored() || r.Memory.IsConclusion() || r.Memory.IsFact()
}

// subjectKeys are the keys shared by a statement that something is no more and earlier
// statements about it. The kinds may differ: each was guessed.
func (r Row) subjectKeys() []string {
	m := r.Memory
	if m.Source != memory.SourceUser || !m.Kind.UserAuthored() || r.Done {
		return nil
	}
	place := sketch.Hash(string(m.Scope), m.Project)
	words := statement.Subjects(m.Content)
	if word := statement.Retires(m.Content); word != "" && !slices.Contains(words, word) {
		words = append(words, word)
	}
	keys := make([]string, len(words))
	for i, word := range words {
		keys[i] = key("subject", place, word)
	}
	return keys
}

// Retires reports whether the user states with a memory that something is gone.
func Retires(m memory.Memory) bool {
	return m.Source == memory.SourceUser && m.Kind.UserAuthored() && statement.Read(m.Content).Retires()
}

// key is an index key of a kind, for a text within a group.
func key(kind string, group uint64, text string) string {
	return fmt.Sprintf("%c%016x", kind[0], sketch.Hash(kind, strconv.FormatUint(group, 16), text))
}

// comparable reports whether Dedup compares the row.
func (r Row) comparable() bool { return r.alive() && !r.Exempt && r.Memory.Kind.Searchable() }

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
	return []string{key("wording", 0, row.wording())}
}

// wording is the common key of duplicates, in whichever project.
func (r Row) wording() string {
	return fmt.Sprintf("%s %t %s", r.Memory.Kind, r.Done, strings.ToLower(memory.Normalise(r.Memory.Content)))
}
