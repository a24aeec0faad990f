// Package pack fills an exact budget of tokens with lines from several sections that share it. It is pure. It does
// not decide which lines are worth showing or how they are written.
package pack

import (
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
)

// The tags around injected text. Capture removes text between them, so that injected text is not learned again.
const (
	wrapperOpen  = "<" + redact.Tag + ">\n"
	preamble     = memory.Preamble + "\n"
	wrapperClose = "</" + redact.Tag + ">\n"
	// factsPreamble introduces a text that has only facts written by a model.
	factsPreamble = memory.FactsPreamble + "\n"
)

// Limits are the limits of a packed text, including tags and headings.
type Limits struct {
	Tokens int // number of tokens in the counter's encoding
	Chars  int // UTF-16 code units, as the client counts
}

// maxContextChars stays below 10,000 characters: a longer context is replaced by a preview of 2 KB.
const maxContextChars = 9_900

// ContextLimits returns the limits of a text that is injected at once.
func ContextLimits(budget int) Limits {
	return Limits{Tokens: budget, Chars: maxContextChars}
}

// Packed is a text with its exact size. The text is empty if no item fits.
type Packed struct {
	Text   string
	Tokens int
	IDs    []string // ids of the items shown in full
	Named  []string // ids of the items shown by name only
}

// Pack returns a text with as many of the sections' items as the limits allow. First each section fills its share of the room,
// beginning with the last; what it leaves is added to the share of the section before it. Then the sections, beginning with the
// first, may fill what is left over. An item that does not fit is skipped. The result never exceeds the limits.
func Pack(sections []Section, limits Limits, counter memory.TokenCounter) Packed {
	intro := preamble
	if len(sections) == 1 && sections[0].Facts {
		intro = factsPreamble
	}
	frame := sizeOf(wrapperOpen+intro+wrapperClose, counter)
	room := size{limits.Tokens, limits.Chars}
	if !frame.fits(room) {
		return Packed{}
	}
	room = room.minus(frame)

	shares := 0.0
	for _, s := range sections {
		shares += s.Share
	}
	fillings := memory.Each(sections, func(s Section) filling { return newFilling(s, counter) })

	left := size{}
	for i := len(fillings) - 1; i >= 0; i-- {
		left = fillings[i].take(left.plus(room.share(sections[i].Share / shares)))
	}
	// Shares are rounded down, so more of room is left than the first section returned.
	left = room
	for i := range fillings {
		left = left.minus(fillings[i].used)
	}
	for i := range fillings {
		left = fillings[i].take(left)
	}
	return assemble(fillings, intro, counter)
}

func newFilling(s Section, counter memory.TokenCounter) filling {
	heading := headed(s.Title)
	f := filling{
		Section: s, heading: heading, headingSize: sizeOf(heading, counter),
		taken: make([]bool, len(s.Items)), counter: counter,
	}
	if s.Rest != "" {
		f.headingSize = f.headingSize.plus(sizeOf(fmt.Sprintf(s.Rest, len(s.Items)), counter)) // formatted with the longest possible count
	}
	if s.Index != nil {
		f.measure()
	}
	return f
}

// take adds items while they fit and returns the remaining room. The first item's cost includes the heading.
func (f *filling) take(room size) size {
	if f.Index != nil {
		return f.takeIndexed(room)
	}
	for i, item := range f.Items {
		if f.Lines > 0 && f.lines == f.Lines || f.isFull {
			break
		}
		if f.taken[i] || item.Tokens > room.tokens {
			continue
		}
		cost := size{item.Tokens, utf16Len(item.Line)}
		if f.used == (size{}) {
			cost = cost.plus(f.headingSize)
		}
		if f.Most > 0 && f.used.tokens+cost.tokens > f.Most {
			f.isFull = true // a shorter, older item must not take the place of the one left out
			break
		}
		if !cost.fits(room) {
			continue
		}
		f.taken[i] = true
		f.lines++
		f.used = f.used.plus(cost)
		room = room.minus(cost)
	}
	return room
}

func assemble(fillings []filling, intro string, counter memory.TokenCounter) Packed {
	var packed Packed
	text := wrapperOpen + intro
	for _, f := range fillings {
		if f.used == (size{}) {
			continue
		}
		if f.lines > 0 {
			text += f.heading
		}
		for _, i := range f.inOrder() {
			text += f.Items[i].Line
			packed.IDs = append(packed.IDs, f.Items[i].ID)
		}
		text += f.rest() + f.index.text
		packed.Named = append(packed.Named, f.index.ids...)
	}
	if len(packed.IDs)+len(packed.Named) == 0 {
		return Packed{}
	}
	packed.Text = text + wrapperClose
	packed.Tokens = counter.Count(packed.Text)
	return packed
}

// rest returns the line about the left out items; newFilling has reserved room for it.
func (f *filling) rest() string {
	if n := len(f.Items) - f.lines; f.Rest != "" && f.lines > 0 && n > 0 {
		return fmt.Sprintf(f.Rest, n)
	}
	return ""
}
