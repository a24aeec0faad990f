package recall

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Index holds the memories of one project and those of the user. It is safe for concurrent use. Its answers depend
// only on the entries that it holds, not on the order in which they were put.
type Index struct {
	weights Weights

	mu    sync.RWMutex
	slots map[string]uint32 // slots by memory id
	docs  []doc             // by slot
	free  []uint32          // slots of removed entries
	terms map[string]posting
	keys  map[lookupKey][]uint32 // slots by key
	of    [parts]totals
}

// totals are sums over the docs of one part of the index. The floats are exact, because each addend is a multiple of 1/4 (see quarters).
type totals struct {
	docs   int
	length float64
	size   float64
	sized  int // docs whose size is not 0
}

// posting has the occurrences of a term in each part, sorted by slot.
type posting [parts][]occurrence

// occurrence is the count of a term in a doc, in quarters.
type occurrence struct {
	slot  uint32
	count uint16
}

// NewIndex returns an empty index that ranks by the given weights.
func NewIndex(w Weights) *Index {
	return &Index{
		weights: w, slots: map[string]uint32{}, terms: map[string]posting{},
		keys: map[lookupKey][]uint32{},
	}
}

// Len returns the number of memories.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.slots)
}

// Memories returns all memories, in any order.
func (x *Index) Memories() []memory.Memory {
	return x.memories(func(*doc) bool { return true })
}

// Standing returns all memories that are not superseded, in any order.
func (x *Index) Standing() []memory.Memory {
	return x.memories(func(d *doc) bool { return d.entry.SupersededBy == "" })
}

// Superseded returns all memories that are superseded, in any order.
func (x *Index) Superseded() []memory.Memory {
	return x.memories(func(d *doc) bool { return d.entry.SupersededBy != "" })
}

// UsersWords returns the user's own words that are not superseded, in any order.
func (x *Index) UsersWords() []memory.Memory {
	return x.memories(func(d *doc) bool { return d.entry.SupersededBy == "" && d.entry.Memory.IsUsersWord() })
}

// Quoted returns, in any order, the user's own words that a fact of the assistant has superseded, if nothing has superseded this fact.
func (x *Index) Quoted() []memory.Memory {
	return x.memories(func(d *doc) bool {
		slot, has := x.slots[d.entry.SupersededBy]
		if !has || !d.entry.Memory.IsUsersWord() {
			return false
		}
		by := x.docs[slot].entry
		return by.SupersededBy == "" && by.Memory.IsFact() && !by.Memory.IsModelWritten()
	})
}

func (x *Index) memories(wants func(d *doc) bool) []memory.Memory {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var found []memory.Memory
	for _, slot := range x.slots {
		if d := &x.docs[slot]; wants(d) {
			found = append(found, d.entry.Memory)
		}
	}
	return found
}

// IDs returns the ids of all memories, in any order.
func (x *Index) IDs() []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return slices.Collect(maps.Keys(x.slots))
}

func (x *Index) Memory(id string) (memory.Memory, bool) {
	e, has := x.Entry(id)
	return e.Memory, has
}

func (x *Index) Entry(id string) (Entry, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	slot, has := x.slots[id]
	if !has {
		return Entry{}, false
	}
	return *x.docs[slot].entry, true
}

// Put adds an entry, or replaces the entry with the same memory id.
func (x *Index) Put(e Entry) {
	analysed := analyse(e)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.remove(e.Memory.ID)
	x.insert(analysed)
}

func (x *Index) Remove(id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.remove(id)
}

func (x *Index) insert(a analysis) {
	slot := x.takeSlot()
	d := a.doc
	x.docs[slot] = d
	x.slots[d.entry.Memory.ID] = slot
	x.count(&d, 1)
	for term, count := range a.terms {
		p := x.terms[term]
		at, _ := find(p[d.part], slot)
		p[d.part] = slices.Insert(p[d.part], at, occurrence{slot, count})
		x.terms[term] = p
	}
	for _, one := range a.keys {
		x.keys[one] = append(x.keys[one], slot)
	}
}

func (x *Index) remove(id string) {
	slot, has := x.slots[id]
	if !has {
		return
	}
	d := x.docs[slot]
	a := analyse(*d.entry)
	for term := range a.terms {
		p := x.terms[term]
		if at, found := find(p[d.part], slot); found {
			p[d.part] = slices.Delete(p[d.part], at, at+1)
			x.terms[term] = p
		}
		if len(p[offered])+len(p[logged]) == 0 {
			delete(x.terms, term)
		}
	}
	for _, one := range a.keys {
		left := slices.DeleteFunc(x.keys[one], func(at uint32) bool { return at == slot })
		if x.keys[one] = left; len(left) == 0 {
			delete(x.keys, one)
		}
	}
	x.count(&d, -1)
	x.docs[slot] = doc{}
	delete(x.slots, id)
	x.free = append(x.free, slot)
}

// count adds a doc to the totals of its part, or removes it if sign is -1.
func (x *Index) count(d *doc, sign int) {
	t := &x.of[d.part]
	t.docs += sign
	t.length += float64(sign) * float64(d.length)
	if d.size > 0 {
		t.size += float64(sign) * float64(d.size)
		t.sized += sign
	}
}

func (x *Index) takeSlot() uint32 {
	if n := len(x.free); n > 0 {
		slot := x.free[n-1]
		x.free = x.free[:n-1]
		return slot
	}
	x.docs = append(x.docs, doc{})
	return uint32(len(x.docs) - 1)
}

// find returns the index of a slot in a sorted list, or the index at which to insert it.
func find(list []occurrence, slot uint32) (int, bool) {
	return slices.BinarySearchFunc(list, slot, func(o occurrence, s uint32) int { return cmp.Compare(o.slot, s) })
}

func (x *Index) has(slot uint32, term string) bool {
	p := x.terms[term]
	return x.isIn(&p, slot)
}

func (x *Index) isIn(p *posting, slot uint32) bool {
	_, found := find(p[x.docs[slot].part], slot)
	return found
}
