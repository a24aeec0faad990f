package recall

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Difference is one way in which an index differs from the store.
type Difference struct {
	ID      string `json:"id"` // of the memory
	Problem string `json:"problem"`
}

// Differences compares an index with the entries that it should hold: the memories, their
// content, and the values that the index derived from them (words, lengths, marks). None means that every query gets the answer of an index rebuilt
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
		if fields := differing(fieldsOf(*x.docs[slot].entry), fieldsOf(*fresh.docs[other].entry)); fields != "" {
			found = append(found, Difference{id, "differs in " + fields})
		}
	}
	for id := range fresh.slots {
		if _, known := x.slots[id]; !known {
			found = append(found, Difference{id, "is in the store and not in the index"})
		}
	}
	if len(found) == 0 { // else the derived values differ as well
		here, there := x.derived(), fresh.derived()
		for id, values := range here {
			if fields := differing(values, there[id]); fields != "" {
				found = append(found, Difference{id, "is indexed otherwise: " + fields})
			}
		}
	}
	slices.SortFunc(found, func(a, b Difference) int { return strings.Compare(a.ID, b.ID) })
	return found
}

// fields are values as text, by their names.
type fields map[string]string

// differing names the fields whose values differ.
func differing(a, b fields) string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(name string) bool { return a[name] == b[name] })
	return strings.Join(names, ", ")
}

// fieldsOf are the fields of an entry. Times are equal as instants, and nil equals an
// empty list.
func fieldsOf(e Entry) fields {
	e.Memory.CreatedAt, e.Memory.LastSeenAt = e.Memory.CreatedAt.UTC(), e.Memory.LastSeenAt.UTC()
	found := fields{
		"superseded_by": e.SupersededBy, "offered": fmt.Sprint(e.Offered),
	}
	var parts map[string]json.RawMessage
	text, err := json.Marshal(e.Memory)
	if err == nil {
		err = json.Unmarshal(text, &parts)
	}
	if err != nil { // no memory contains a NaN
		return fields{"memory": err.Error()}
	}
	for name, value := range parts {
		found["memory."+name] = string(value)
	}
	return found
}

// derived holds by memory the values that an index derived, without the slots, which
// depend on the order of insertion.
func (x *Index) derived() map[string]fields {
	terms, marks := map[uint32][]string{}, map[uint32][]string{}
	for _, term := range slices.Sorted(maps.Keys(x.terms)) {
		for of, list := range x.terms[term] {
			for _, o := range list {
				terms[o.slot] = append(terms[o.slot], fmt.Sprint(of, term, "=", o.count))
			}
		}
	}
	for one, slots := range x.keys {
		for _, slot := range slots {
			marks[slot] = append(marks[slot], fmt.Sprint(one))
		}
	}
	all := make(map[string]fields, len(x.slots))
	for id, slot := range x.slots {
		d := &x.docs[slot]
		slices.Sort(marks[slot])
		all[id] = fields{
			"its terms": strings.Join(terms[slot], " "), "its files, commands or work": strings.Join(marks[slot], " "),
			"its length or cues": fmt.Sprint(d.length, d.size, d.cues, d.files, d.work),
		}
	}
	return all
}
