package recall

// candidate is a memory with its score.
type candidate struct {
	slot  uint32
	score float64
	at    int64 // doc.at: kept here, as most of a comparison's time is to fetch it
}

// scores is the working memory of a query, by slot. All are 0 between two queries.
type scores struct {
	all  []float64 // of all terms
	term []float64 // of the term that is counted, and its synonyms
	seen []uint32  // slots in all that are not 0
	now  []uint32  // slots in term that are not 0

	// Lists that are written anew by each query.
	ranked []candidate
	found  []found
	order  []int
}

// grow makes room for so many slots.
func (s *scores) grow(slots int) {
	if missing := slots - len(s.all); missing > 0 {
		s.all, s.term = append(s.all, make([]float64, missing)...), append(s.term, make([]float64, missing)...)
	}
}

// found is a candidate with the parts of its score.
type found struct {
	candidate
	words, session float64
}

// settle adds the scores of a term to those of all.
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
