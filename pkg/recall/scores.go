package recall

type candidate struct {
	slot  uint32
	score float64
	at    int64 // copy of doc.at, because loading the doc would take most of the time of a comparison
}

// variant is a known word with nearly the spelling of another.
type variant struct {
	word  string
	alike float64 // likeness, from 0 to 1
}

// scores has the scores of a query, by slot.
type scores struct {
	all  []float64 // sums over all terms
	term []float64 // best score for the current term or its synonyms
	seen []uint32  // slots with a value in all
	now  []uint32  // slots with a value in term
}

// settle adds the scores of the current term to the sums, and clears them.
func (s *scores) settle() {
	for _, slot := range s.now {
		if s.all[slot] == 0 {
			s.seen = append(s.seen, slot)
		}
		s.all[slot] += s.term[slot]
		s.term[slot] = 0
	}
	s.now = s.now[:0]
}
