package recall

// candidate is a memory with its score.
type candidate struct {
	slot  uint32
	score float64
	at    int64 // doc.at, copied: fetching it takes most of the time of a comparison
}

// scores is the working memory of a query, by slot. Between two queries all are 0.
type scores struct {
	all  []float64 // over all terms
	term []float64 // of the term being counted, and its synonyms
	seen []uint32  // slots that are not 0 in all
	now  []uint32  // slots that are not 0 in term

	// Lists that each query fills anew.
	ranked []candidate
	found  []found
	order  []int
}

// grow makes room for the given number of slots.
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

// settle adds the scores of a term to the scores over all terms.
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
