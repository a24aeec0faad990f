package recall

// scratch is what a recall writes while it works, kept between recalls so that
// one costs no memory in proportion to the index.
type scratch struct {
	places     []int32 // by slot: 1 + place among the candidates, 0 if it is none
	candidates []candidate

	counts  []count // by slot, of the term being scored
	counted []uint32

	sessionCounts   []int32 // by session number, of the term being scored
	countedSessions []*session
	sessionScores   []float64 // by session number
	touchedSessions []uint32

	frequent []term
	pairs    []pair
	kept     []candidate
}

// count is how often a term is in a doc in quarters, and with its neighbours in
// units of a quarter.
type count struct {
	own     int32
	context int32
}

// pair is two words of the query that follow each other.
type pair struct {
	first, second uint32
	weight        float64
}

func (x *Index) borrowScratch() *scratch {
	s, ok := x.scratch.Get().(*scratch)
	if !ok {
		s = &scratch{}
	}
	s.places = grow(s.places, len(x.docs))
	s.counts = grow(s.counts, len(x.docs))
	s.sessionCounts = grow(s.sessionCounts, int(x.sessionNumbers.next))
	s.sessionScores = grow(s.sessionScores, int(x.sessionNumbers.next))
	return s
}

func grow[T any](s []T, n int) []T {
	if len(s) >= n {
		return s
	}
	return append(s, make([]T, n-len(s))...)
}

// reset forgets what one recall wrote; its cost follows what was touched.
func (s *scratch) reset() {
	for i := range s.candidates {
		s.places[s.candidates[i].slot] = 0
	}
	s.candidates = s.candidates[:0]
	for _, n := range s.touchedSessions {
		s.sessionScores[n] = 0
	}
	s.touchedSessions = s.touchedSessions[:0]
	clear(s.frequent)
	s.frequent = s.frequent[:0]
	s.pairs = s.pairs[:0]
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

func (s *scratch) count(slot uint32, context, own int32) {
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

func (s *scratch) countSession(of *session, count int32) {
	if s.sessionCounts[of.number] == 0 {
		s.countedSessions = append(s.countedSessions, of)
	}
	s.sessionCounts[of.number] += count
}
