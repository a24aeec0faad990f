package recall

import (
	"fmt"
	"slices"
)

// Derived returns all that the index has, as text by memory, without the slots, which depend on the order of Put.
func (x *Index) Derived() map[string]string {
	of := map[uint32][]string{}
	for term, p := range x.terms {
		for part, list := range p {
			for _, o := range list {
				of[o.slot] = append(of[o.slot], fmt.Sprint(part, term, "=", o.count))
			}
		}
	}
	for key, slots := range x.keys {
		for _, slot := range slots {
			of[slot] = append(of[slot], fmt.Sprint(key))
		}
	}
	all := map[string]string{"": fmt.Sprint(x.of)}
	for id, slot := range x.slots {
		d := &x.docs[slot]
		slices.Sort(of[slot])
		all[id] = fmt.Sprintf("%+v %q %q %q %v %v %v %q", *d.entry, d.cues, d.work, d.files, d.length, d.size, d.part, of[slot])
	}
	return all
}
