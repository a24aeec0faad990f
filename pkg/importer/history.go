package importer

import "github.com/surrealdb-memory/surrealdb-memory/pkg/importer/format"

// history is the tree of the turns in a transcript. A user who goes back to an earlier point begins a branch there; the
// branch of the last prompt is valid. Parallel tools in a turn are branches of lines, not of turns.
type history struct {
	turnOf  map[string]int // turn of each line, by the line's ID
	before  []int          // the turn before each turn; turn 0 has no prompt, and precedes itself
	now     int            // turn of the last prompt
	entries []int          // turn of each entry
}

func (h *history) add(e format.Entry) {
	for range min(e.TakesBack, len(h.before)) {
		h.now = h.before[h.now]
	}
	turn, known := h.turnOf[e.After]
	if !known { // the chain of lines is cut, or the client writes none
		turn = h.now
	}
	hasPlace := e.Own != "" || len(h.turnOf) == 0 // a prompt without an ID, beside lines that have one, is no turn
	if e.Prompt != "" && !e.IsAside && hasPlace {
		h.before = append(h.before, turn)
		turn = len(h.before) - 1
		h.now = turn
	}
	if e.Own != "" {
		h.turnOf[e.Own] = turn
	}
	h.entries = append(h.entries, turn)
}

// gone returns the numbers of the entries whose turns are not on the branch of the last prompt.
func (h *history) gone() map[int]bool {
	holds, gone := map[int]bool{0: true}, map[int]bool{}
	for turn := h.now; turn > 0; turn = h.before[turn] {
		holds[turn] = true
	}
	for number, turn := range h.entries {
		if !holds[turn] {
			gone[number] = true
		}
	}
	return gone
}
