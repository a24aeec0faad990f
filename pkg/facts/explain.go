package facts

// Nearest is the cue of a fact that a text has most of; empty for none.
func (x *Index) Nearest(text, id string) (cue string) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	slot, has := x.slots[id]
	if !has {
		return ""
	}
	q, f, most := x.ask(text), &x.facts[slot], 0.0
	for i := range f.cues {
		if c := x.covered(&fact{cues: f.cues[i : i+1]}, q); c > most {
			most, cue = c, f.memory.Cues[i]
		}
	}
	return cue
}
