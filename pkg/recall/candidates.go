package recall

// term is a term of the query with its data in the index.
type term struct {
	askedTerm
	posting posting
	idf     float64
}

// scratch is the working memory of a recall. It is reused, so that one recall allocates
// nothing in proportion to the index.
type scratch struct {
	places     []int32 // by slot: 1 + index in candidates, 0 if none
	candidates []candidate

	counts  []count // by slot, of the term being counted
	counted []uint32

	frequent []term
	kept     []scoredCandidate
}

// count is the frequency of a term in a doc in quarters, and in its context in units of
// a quarter.
type count struct {
	own     int32
	context int32
}

// candidate is a doc that matches the query, by itself or by its neighbours.
type candidate struct {
	slot    uint32
	strong  bool    // has a match that is sufficient for an answer
	inside  bool    // from a time that the query names
	shared  float64 // evidence of the terms that the memory itself shares with the query
	rarity  float64 // inverse document frequency of these terms, summed
	length  float64
	own     float64
	context float64
	exact   float64
}

// scoredCandidate is a candidate with the rest of its score.
type scoredCandidate struct {
	candidate
	form      float64 // contains the form that the question asks for
	time      float64 // from the time that the query names
	embedding float64 // nearness of the embedding
	base      float64 // the sum of the above
	factor    float64 // the product of the factors that do not depend on words
	score     float64

	successor int     // 1 + index of the successor, 0 if there is none
	inherited float64 // the best score of the memories it superseded
}

func (s *scoredCandidate) sum() {
	s.base = s.own + s.context + s.exact + s.form + s.time + s.embedding
	s.score = s.base * s.factor
}

func (x *Index) borrowScratch() *scratch {
	s, ok := x.scratch.Get().(*scratch)
	if !ok {
		s = &scratch{}
	}
	s.places = grow(s.places, len(x.docs))
	s.counts = grow(s.counts, len(x.docs))
	return s
}

// reset clears the state of one recall; its cost depends only on the touched slots.
func (s *scratch) reset() {
	for i := range s.candidates {
		s.places[s.candidates[i].slot] = 0
	}
	s.candidates = s.candidates[:0]
	clear(s.frequent)
	s.frequent = s.frequent[:0]
	s.kept = s.kept[:0]
}

// touch is the candidate for a slot. It stays valid until the next touch.
func (s *scratch) touch(slot uint32) *candidate {
	if place := s.places[slot]; place > 0 {
		return &s.candidates[place-1]
	}
	s.candidates = append(s.candidates, candidate{slot: slot})
	s.places[slot] = int32(len(s.candidates))
	return &s.candidates[len(s.candidates)-1]
}

// add counts the term being counted for a doc.
func (s *scratch) add(slot uint32, context, own int32) {
	if context == 0 {
		return
	}
	n := &s.counts[slot]
	if n.context == 0 {
		s.counted = append(s.counted, slot)
	}
	n.context += context
	n.own += own
}
