package recall

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Difference is one way in which an index differs from the store.
type Difference struct {
	ID   string `json:"id"` // of the memory
	What string `json:"what"`
}

// Differences compares an index with the entries that it should hold: the memories, their
// content, and the values that the index derived from them (words, lengths, days,
// positions in sessions). None means that every query gets the answer of an index rebuilt
// from these entries. The result is ordered by id.
func (x *Index) Differences(entries []Entry) []Difference {
	fresh := NewIndex(x.weights)
	for _, e := range entries {
		fresh.Put(e)
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	var found []Difference
	for id, slot := range x.slots {
		other, known := fresh.slots[id]
		if !known {
			found = append(found, Difference{id, "is in the index and not in the store"})
			continue
		}
		if fields := differing(*x.docs[slot].entry, *fresh.docs[other].entry); len(fields) > 0 {
			found = append(found, Difference{id, "differs in " + strings.Join(fields, ", ")})
		}
	}
	for id := range fresh.slots {
		if _, known := x.slots[id]; !known {
			found = append(found, Difference{id, "is in the store and not in the index"})
		}
	}
	if len(found) == 0 { // else the derived data differs as well
		found = differingShapes(x.shapes(), fresh.shapes())
	}
	slices.SortFunc(found, func(a, b Difference) int { return strings.Compare(a.ID, b.ID) })
	return found
}

// differing names the fields in which two entries differ. Times are equal as instants,
// and nil equals an empty list.
func differing(a, b Entry) []string {
	x, y := fieldsOf(a), fieldsOf(b)
	var names []string
	for _, name := range slices.Sorted(maps.Keys(merged(x, y))) {
		if x[name] != y[name] {
			names = append(names, name)
		}
	}
	return names
}

func merged(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

func fieldsOf(e Entry) map[string]string {
	e.Memory.CreatedAt, e.Memory.LastSeenAt = e.Memory.CreatedAt.UTC(), e.Memory.LastSeenAt.UTC()
	fields := map[string]string{
		"seen in session": e.Session, "files": strings.Join(e.Files, "\x00"), "command": e.Command,
		"signature": e.Signature, "superseded_by": e.SupersededBy,
	}
	text, err := json.Marshal(e.Memory)
	if err != nil { // no memory contains a NaN
		return map[string]string{"memory": err.Error()}
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil {
		return map[string]string{"memory": err.Error()}
	}
	for name, value := range parts {
		fields["memory."+name] = string(value)
	}
	return fields
}

// shape holds the values that an index derived from a memory, without the numbers that
// depend on the order of insertion.
type shape struct {
	terms          map[string]uint16
	words          string
	days           []int32
	length, factor float32
	asks           bool
	session        string
	place          int    // in its session
	previous, next string // linked in its session
}

func (x *Index) shapes() map[string]shape {
	names := map[uint32]string{}
	shapes := make(map[string]shape, len(x.slots))
	at := make(map[uint32]*shape, len(x.slots))
	for _, slot := range x.slots {
		at[slot] = &shape{terms: map[string]uint16{}}
	}
	for term, p := range x.terms {
		names[p.id] = term
		for _, o := range p.docs {
			if s := at[o.slot]; s != nil {
				s.terms[term] = o.count
			}
		}
	}
	for day, slots := range x.days {
		for _, slot := range slots {
			if s := at[slot]; s != nil {
				s.days = append(s.days, day)
			}
		}
	}
	for key, session := range x.sessions {
		for place, slot := range session.slots {
			if s := at[slot]; s != nil {
				s.session, s.place = key, place+1
			}
		}
	}
	for id, slot := range x.slots {
		s, l := at[slot], x.links[slot]
		slices.Sort(s.days)
		words := make([]string, len(x.docs[slot].words))
		for i, word := range x.docs[slot].words {
			words[i] = names[word]
		}
		s.words = strings.Join(words, " ")
		s.length, s.factor, s.asks = l.length, l.factor, l.asks
		s.previous, s.next = x.idAt(l.previous), x.idAt(l.next)
		shapes[id] = *s
	}
	return shapes
}

func (x *Index) idAt(slot uint32) string {
	if slot == none || x.docs[slot].entry == nil {
		return ""
	}
	return x.docs[slot].entry.Memory.ID
}

func differingShapes(a, b map[string]shape) []Difference {
	var found []Difference
	for id, s := range a {
		if what := s.differs(b[id]); what != "" {
			found = append(found, Difference{id, "is indexed otherwise: " + what})
		}
	}
	return found
}

func (s shape) differs(o shape) string {
	switch {
	case !maps.Equal(s.terms, o.terms):
		return "its terms"
	case s.words != o.words:
		return "the order of its words"
	case !slices.Equal(s.days, o.days):
		return "its days"
	case cmp.Compare(s.length, o.length) != 0 || cmp.Compare(s.factor, o.factor) != 0 || s.asks != o.asks:
		return "its length or weight"
	case s.session != o.session || s.place != o.place || s.previous != o.previous || s.next != o.next:
		return "its place in the session"
	}
	return ""
}
