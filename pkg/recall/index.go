package recall

import (
	"cmp"
	_ "embed"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/timeexpr"
)

// Entry is a memory as recall sees it.
type Entry struct {
	Memory       memory.Memory
	Session      string   // where it was seen last; empty if unknown
	Files        []string // paths that it is about
	Command      string   // normalised command that it is about, empty if none
	Signature    string   // normalised error signature, empty if none
	SupersededBy string   // id of the memory that replaced it, empty if none
}

// Index holds the memories of one project and those of the user in process memory. It
// is safe for concurrent use by one writer and many readers. Its content depends only
// on the entries put and not removed, never on their order.
type Index struct {
	weights Weights

	mu       sync.RWMutex
	slots    map[string]uint32 // by memory id
	docs     []doc             // by slot
	links    []link            // by slot
	free     []uint32          // slots of removed entries
	terms    map[string]posting
	words    english.Vocabulary // of terms
	sessions map[string]*session
	days     map[int32][]uint32 // slots by the days (of Unix time, UTC) that they refer to
	length   [classes]float64   // of all docs of a class; exact, as lengths are quarters
	count    [classes]int       // docs of a class

	newest time.Time // the latest time a doc was seen

	scratch sync.Pool
}

// doc is an entry with the data to rank the best candidates.
type doc struct {
	entry  *Entry    // nil: the slot is free
	seenAt time.Time // when it was seen last
	spans  []daySpan
	// content identifies the normalised text, so that duplicates are shown once.
	content uint64
	dated   bool // contains an expression of time
	counts  bool // contains a number
}

// link is the data to rank every candidate, kept small and apart.
type link struct {
	// previous and next are the neighbours in the session.
	previous, next uint32
	session        *session // nil: none is known
	length         float32
	factor         float32 // of scope and status
	asks           bool    // ends in a question
	class          class
	fact           bool // a model wrote it: package facts ranks it where nobody asks
}

// class separates docs whose lengths are too different to compare.
type class uint8

// The classes of docs.
const (
	ofWords class = iota // single memories
	ofCards              // cards of whole turns
	classes
)

func classOf(m memory.Memory) class {
	if m.Kind == memory.KindTurn {
		return ofCards
	}
	return ofWords
}

// none stands for a missing slot.
const none = ^uint32(0)

// posting is the occurrences of a term, by ascending slot.
type posting []occurrence

// occurrence is how often a term is in a doc, in quarters.
type occurrence struct {
	slot  uint32
	count uint16
}

// session is the data of an index about one session.
type session struct {
	slots []uint32 // by time, then id; without cards
	cards int
}

// Quarters that an occurrence counts in each field.
const (
	quarters      = 4
	fileQuarters  = 2
	kindQuarters  = 2
	detailQuarter = 1
	maxQuarters   = 1 << 12
)

// maxContentBytes is the part of a memory's text that is searched.
const maxContentBytes = 16 << 10

// NewIndex makes an empty index that ranks by weights.
func NewIndex(weights Weights) *Index {
	return &Index{
		weights:  weights,
		slots:    map[string]uint32{},
		terms:    map[string]posting{},
		words:    english.Vocabulary{},
		sessions: map[string]*session{},
		days:     map[int32][]uint32{},
	}
}

// Len is the number of memories.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.slots)
}

// Memories returns all memories, in any order.
func (x *Index) Memories() []memory.Memory {
	x.mu.RLock()
	defer x.mu.RUnlock()
	all := make([]memory.Memory, 0, len(x.slots))
	for _, slot := range x.slots {
		all = append(all, x.docs[slot].entry.Memory)
	}
	return all
}

// IDs are those of all memories, in any order.
func (x *Index) IDs() []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return slices.Collect(maps.Keys(x.slots))
}

// Memory returns the memory with an id, if the index has it.
func (x *Index) Memory(id string) (memory.Memory, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	slot, has := x.slots[id]
	if !has {
		return memory.Memory{}, false
	}
	return x.docs[slot].entry.Memory, true
}

// Put adds an entry or replaces the one with the same memory id.
func (x *Index) Put(e Entry) {
	analysed := analyse(e)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.remove(e.Memory.ID)
	x.insert(analysed)
}

// Remove takes a memory out. A missing one is no error.
func (x *Index) Remove(id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.remove(id)
}

// analysis is an entry split into terms.
type analysis struct {
	entry  Entry
	terms  map[string]uint16 // quarters by term
	length float32
	spans  []daySpan
	counts bool
	asks   bool
	dated  bool
}

func analyse(e Entry) analysis {
	a := analysis{entry: e, terms: map[string]uint16{}}
	content := memory.Cut(e.Memory.Content, maxContentBytes)
	label := labelLength(content)
	for _, t := range english.Tokenize(content[:label]) {
		a.add(t, quarters)
		if isName(content[:label-1]) {
			a.terms[labelPrefix+t.Term] = quarters
		}
	}
	a.addAll(content[label:], quarters)
	for _, tag := range e.Memory.Tags {
		a.addAll(tag, quarters)
	}
	a.addAll(string(e.Memory.Kind), kindQuarters)
	a.addAll(e.Command, fileQuarters)
	for _, file := range e.Files {
		a.addWords(file, fileQuarters) // the whole is among the marks
		a.mark(fileMarks(file))
	}
	if e.Memory.Detail != "" {
		a.addAll(memory.Cut(e.Memory.Detail, maxDetailBytes), detailQuarter)
	}
	a.mark(commandMarks(e.Command))
	a.mark(signatureMarks(e.Signature))
	a.mark(workMarks(e.Memory))
	a.date(content)
	a.asks = strings.HasSuffix(strings.TrimRight(content, " )]\"'"), "?")
	a.counts = strings.ContainsAny(content, "0123456789")
	return a
}

// labelLength is the length of a one-word label at the start of a text, colon included.
func labelLength(content string) int {
	const maxLabel = 32
	at := strings.Index(content[:min(len(content), maxLabel)], ": ")
	if at <= 0 || strings.ContainsAny(content[:at], " \t\n.?!,;`") {
		return 0
	}
	return at + 1
}

// isName tells whether a label is written as a person's name is: "Ann", not "api",
// "PromQL" or "README".
func isName(label string) bool {
	for i, r := range label {
		if i == 0 && !unicode.IsUpper(r) || i > 0 && !unicode.IsLower(r) {
			return false
		}
	}
	return true
}

func (a *analysis) add(t english.Token, count uint16) {
	if !t.Whole {
		a.length += float32(count) / quarters
	}
	a.terms[t.Term] = min(a.terms[t.Term]+count, maxQuarters)
}

// addAll adds the terms of a field.
func (a *analysis) addAll(field string, count uint16) {
	for _, t := range english.Tokenize(field) {
		a.add(t, count)
	}
}

// addWords adds the words of a field without the terms kept whole.
func (a *analysis) addWords(field string, count uint16) {
	for _, t := range english.Tokenize(field) {
		if !t.Whole {
			a.add(t, count)
		}
	}
}

func (a *analysis) mark(marks []string) {
	for _, mark := range marks {
		a.terms[mark] = quarters
	}
}

// date notes the times that a memory refers to: its creation, and its expressions of
// time as meant then. The date is part of the searched text.
func (a *analysis) date(content string) {
	at := a.entry.Memory.CreatedAt.UTC() // UTC, so that the zone of the store does not matter
	if at.IsZero() {
		return
	}
	a.spans = append(a.spans, daySpan{at.Unix(), at.Unix() + 1})
	for _, date := range []string{strings.ToLower(at.Month().String()), at.Format("2006"), at.Format("2006-01-02")} {
		term := english.Stem(date)
		a.terms[term] = max(a.terms[term], detailQuarter)
	}
	const maxSpans = 4
	for _, s := range timeexpr.Times(content, at) {
		a.dated = true
		if len(a.spans) <= maxSpans {
			a.spans = append(a.spans, daySpan{s.From.Unix(), s.To.Unix()})
		}
	}
}

func (x *Index) insert(a analysis) {
	slot := x.takeSlot()
	entry := a.entry
	d := doc{
		entry: &entry, spans: a.spans, dated: a.dated, counts: a.counts,
		content: hash(memory.Normalise(entry.Memory.Content)), seenAt: lastSeen(entry.Memory),
	}
	x.links[slot] = link{
		previous: none, next: none, length: a.length,
		factor: float32(scopeFactor(&x.weights, entry.Memory.Scope) * statusFactor(entry.Memory.Status) * kindFactor(&x.weights, &entry.Memory)),
		asks:   a.asks, class: classOf(entry.Memory), fact: entry.Memory.IsFact(),
	}
	x.slots[entry.Memory.ID] = slot
	x.length[x.links[slot].class] += float64(a.length)
	x.count[x.links[slot].class]++
	for term, count := range a.terms {
		p := x.terms[term]
		if p == nil {
			x.words.Add(term)
		}
		at, _ := p.find(slot)
		x.terms[term] = slices.Insert(p, at, occurrence{slot, count})
	}
	x.docs[slot] = d
	if d.seenAt.After(x.newest) {
		x.newest = d.seenAt
	}
	x.eachDay(a.spans, func(day int32) { x.days[day] = append(x.days[day], slot) })
	x.joinSession(slot)
}

func (x *Index) remove(id string) {
	slot, ok := x.slots[id]
	if !ok {
		return
	}
	d := &x.docs[slot]
	for term := range analyse(*d.entry).terms {
		p := x.terms[term]
		if at, found := p.find(slot); found {
			p = slices.Delete(p, at, at+1)
			x.terms[term] = p
		}
		if len(p) == 0 {
			delete(x.terms, term)
			x.words.Remove(term)
		}
	}
	x.eachDay(d.spans, func(day int32) {
		x.days[day] = slices.DeleteFunc(x.days[day], func(s uint32) bool { return s == slot })
		if len(x.days[day]) == 0 {
			delete(x.days, day)
		}
	})
	x.leaveSession(slot)
	x.length[x.links[slot].class] -= float64(x.links[slot].length)
	x.count[x.links[slot].class]--
	delete(x.slots, id)
	last := d.seenAt
	*d = doc{}
	if !last.Before(x.newest) {
		x.newest = time.Time{}
		for i := range x.docs {
			if x.docs[i].entry != nil && x.docs[i].seenAt.After(x.newest) {
				x.newest = x.docs[i].seenAt
			}
		}
	}
	x.free = append(x.free, slot)
}

func hash(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // it never fails
	return h.Sum64()
}

// lastSeen is the time by which a memory is ordered in its session.
func lastSeen(m memory.Memory) time.Time {
	if m.LastSeenAt.IsZero() {
		return m.CreatedAt
	}
	return m.LastSeenAt
}

func (x *Index) takeSlot() uint32 {
	if n := len(x.free); n > 0 {
		slot := x.free[n-1]
		x.free = x.free[:n-1]
		return slot
	}
	x.docs = append(x.docs, doc{})
	x.links = append(x.links, link{})
	return uint32(len(x.docs) - 1)
}

// find is the position of a slot in the posting, or where to insert it.
func (p posting) find(slot uint32) (int, bool) {
	if n := len(p); n > 0 && p[n-1].slot < slot {
		return n, false // the usual case while filling
	}
	return slices.BinarySearchFunc(p, slot, func(o occurrence, s uint32) int { return cmp.Compare(o.slot, s) })
}

// maxSpanDays excludes long spans ("last year") from the index by day: they say little
// about a memory.
const maxSpanDays = 45

const secondsPerDay = 24 * 60 * 60

// eachDay visits each day that the spans touch once.
func (x *Index) eachDay(spans []daySpan, visit func(day int32)) {
	var seen [8]int32 // days of earlier, short spans
	n := 0
	for _, s := range spans {
		first, last := unixDay(s.from), unixDay(s.to-1)
		if last-first > maxSpanDays {
			continue
		}
		for day := first; day <= last; day++ {
			if slices.Contains(seen[:n], day) {
				continue
			}
			if n < len(seen) {
				seen[n] = day
				n++
			}
			visit(day)
		}
	}
}

func unixDay(seconds int64) int32 {
	day := seconds / secondsPerDay
	if seconds%secondsPerDay < 0 {
		day--
	}
	return int32(max(min(day, 1<<30), -1<<30))
}

// joinSession places a doc among those of its session.
func (x *Index) joinSession(slot uint32) {
	d := &x.docs[slot]
	if d.entry.Session == "" {
		return
	}
	s := x.sessions[d.entry.Session]
	if s == nil {
		s = &session{}
		x.sessions[d.entry.Session] = s
	}
	x.links[slot].session = s
	if x.links[slot].class == ofCards {
		s.cards++
		return
	}
	at, _ := slices.BinarySearchFunc(s.slots, slot, x.compareTimes)
	s.slots = slices.Insert(s.slots, at, slot)
	x.linkAround(s, at-1)
	x.linkAround(s, at)
	x.linkAround(s, at+1)
}

func (x *Index) leaveSession(slot uint32) {
	s := x.links[slot].session
	if s == nil {
		return
	}
	at := -1
	if x.links[slot].class == ofCards {
		s.cards--
	} else {
		at, _ = slices.BinarySearchFunc(s.slots, slot, x.compareTimes)
		s.slots = slices.Delete(s.slots, at, at+1)
	}
	if len(s.slots)+s.cards == 0 {
		delete(x.sessions, x.docs[slot].entry.Session)
		return
	}
	if at < 0 || len(s.slots) == 0 {
		return
	}
	x.linkAround(s, at-1)
	x.linkAround(s, at)
}

func (x *Index) compareTimes(a, b uint32) int {
	if before := x.docs[a].seenAt.Compare(x.docs[b].seenAt); before != 0 {
		return before
	}
	return compareNatural(x.docs[a].entry.Memory.ID, x.docs[b].entry.Memory.ID)
}

// linkAround sets the neighbours of the doc at a position of its session.
func (x *Index) linkAround(s *session, at int) {
	if at < 0 || at >= len(s.slots) {
		return
	}
	l := &x.links[s.slots[at]]
	l.previous, l.next = none, none
	if at > 0 && x.neighbours(s.slots[at-1], s.slots[at]) {
		l.previous = s.slots[at-1]
	}
	if at+1 < len(s.slots) && x.neighbours(s.slots[at], s.slots[at+1]) {
		l.next = s.slots[at+1]
	}
}

// neighbours tells whether two consecutive docs of a session are also close in time.
func (x *Index) neighbours(earlier, later uint32) bool {
	return x.docs[later].seenAt.Sub(x.docs[earlier].seenAt) <= x.weights.NeighbourGap
}

// compareNatural compares ids with counters ("D1:9", "D1:10") by number.
func compareNatural(a, b string) int {
	stemA, stemB := strings.TrimRight(a, "0123456789"), strings.TrimRight(b, "0123456789")
	return cmp.Or(strings.Compare(stemA, stemB), cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

func grow[T any](s []T, n int) []T {
	if len(s) >= n {
		return s
	}
	return append(s, make([]T, n-len(s))...)
}
