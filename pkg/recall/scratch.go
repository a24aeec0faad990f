package recall

// scratch is what a recall writes while it works, kept between recalls so that
// one costs no memory in proportion to the index.
type scratch struct {
	places     []int32 // by slot: 1 + place among the candidates, 0 if it is none
	candidates []candidate

	counts  []count // by slot, of the term being counted
	counted []uint32

	sessionCounts   []sessionCount // by session number
	countedSessions []uint32
	touchedSessions []uint32

	frequent []term
	pairs    []pair
	kept     []scored
}

// count is how often a term is in a doc in quarters, and with its neighbours in
// units of a quarter.
type count struct {
	own     int32
	context int32
}

// sessionCount is how often the term being counted is in a session in quarters,
// and the score of the terms before.
type sessionCount struct {
	count   int32
	touched bool
	score   float64
}

// pair is two words of the query that follow each other.
type pair struct {
	first, second uint32
	weight        float64
}

// candidate is a doc that has something of the query, in the memory or around it.
type candidate struct {
	slot    uint32
	strong  bool    // something of it is enough for an answer
	inside  bool    // of a time the query names
	shared  float64 // evidence that the query and the memory itself share
	rarity  float64 // of that, summed
	length  float64
	own     float64
	context float64
	exact   float64
}

// scored is a candidate with the rest of its score.
type scored struct {
	candidate
	session   float64
	proximity float64
	form      float64 // having what the question asks for
	time      float64 // being of the time the query names
	embedding float64 // being near by its embedding
	base      float64 // the sum of the above
	factor    float64 // the product of what does not depend on the words
	score     float64

	successor int     // 1 + place of what superseded it, 0 if nothing did
	inherited float64 // the best score of what it superseded
}

func (s *scored) sum() {
	s.base = s.own + s.context + s.session + s.exact + s.proximity + s.form + s.time + s.embedding
	s.score = s.base * s.factor
}

func (x *Index) borrowScratch() *scratch {
	s, ok := x.scratch.Get().(*scratch)
	if !ok {
		s = &scratch{}
	}
	s.places = grow(s.places, len(x.docs))
	s.counts = grow(s.counts, len(x.docs))
	s.sessionCounts = grow(s.sessionCounts, len(x.byNumber))
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
		s.sessionCounts[n] = sessionCount{}
	}
	s.touchedSessions = s.touchedSessions[:0]
	clear(s.frequent)
	s.frequent = s.frequent[:0]
	s.pairs = s.pairs[:0]
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

func (s *scratch) addSession(number uint32, count int32) {
	n := &s.sessionCounts[number]
	if n.count == 0 {
		s.countedSessions = append(s.countedSessions, number)
	}
	if !n.touched {
		n.touched = true
		s.touchedSessions = append(s.touchedSessions, number)
	}
	n.count += count
}
