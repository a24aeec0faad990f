package recall

import "github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"

// Candidate is an item that was offered for a text, and whether it is in it.
type Candidate struct {
	ID      string
	Section string
	Line    string // as it is, or would be, injected
	Tokens  int
	Taken   bool
	// Crowded says that the section already has the most lines that it may have; else
	// an item that is not taken had no room.
	Crowded bool
}

// Preview is PackSections with all that was offered, in the order in which it was.
func Preview(sections []Section, budget int, safetyFactor float64, counter tokens.Counter) (Packed, []Candidate) {
	fillings, packed := packed(sections, startLimits(budget, safetyFactor), counter)
	var all []Candidate
	for _, f := range fillings {
		for i, item := range f.Items {
			all = append(all, Candidate{
				ID: item.ID, Section: f.Title, Line: item.Line(), Tokens: item.Tokens, Taken: f.taken[i] != "",
				Crowded: f.taken[i] == "" && f.Lines > 0 && f.lines == f.Lines,
			})
		}
	}
	return packed, all
}
