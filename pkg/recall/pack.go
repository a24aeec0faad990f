package recall

import (
	"time"
	"unicode/utf16"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens"
)

// The tags around injected text. The text inside them is stripped from captured text, so
// that injected text is not learned again.
const (
	wrapperOpen  = "<" + redact.Tag + ">\n"
	preamble     = memory.Preamble + "\n"
	wrapperClose = "</" + redact.Tag + ">\n"
	// factsPreamble introduces a text of which every line is a model's fact.
	factsPreamble = memory.FactsPreamble + "\n"
)

// Limits bounds a packed text, including tags and headings.
type Limits struct {
	Tokens int // by the counter's encoding
	Chars  int // UTF-16 code units, as the client counts
}

// Item is one line that may be injected.
type Item struct {
	ID     string
	Tokens int           // of the line
	Line   func() string // as package render writes it; called only for items that fit
}

// Section is a list of items under a heading, the best first.
type Section struct {
	Title string  // empty: there is no heading
	Share float64 // of the budget, relative to the other sections'
	Lines int     // the most; 0: as many as fit
	Items []Item
	// Facts says that all items are facts that a model wrote.
	Facts bool
}

// Packed is a text with its exact size. Without items the text is empty.
type Packed struct {
	Text   string
	Tokens int
	IDs    []string
}

// MemoryItem makes an item of a memory in the form for tools and subagents, counted now.
func MemoryItem(m memory.Memory, counter tokens.Counter) Item {
	return newItem(m.ID, func() string { return render.ToolLine(m) }, memory.TokenCount{}, counter)
}

// PromptItem makes an item of a memory in the form for prompts, counted now.
func PromptItem(m memory.Memory, now time.Time, counter tokens.Counter) Item {
	return newItem(m.ID, func() string { return render.PromptLine(m, now) }, memory.TokenCount{}, counter)
}

// FactItem makes an item of a model's fact among others, for a prompt.
func FactItem(m memory.Memory, now time.Time, counter tokens.Counter) Item {
	return newItem(m.ID, func() string { return render.PromptFactLine(m, now) }, memory.TokenCount{}, counter)
}

// SummaryItem makes an item of a session's summary.
func SummaryItem(s memory.Session, counter tokens.Counter) Item {
	stored := memory.TokenCount{Tokens: s.Summary.TokenCount, Encoding: s.Summary.TokenEncoding}
	return newItem(s.ID, func() string { return render.SummaryLine(s.Summary.Text) }, stored, counter)
}

func newItem(id string, line func() string, stored memory.TokenCount, counter tokens.Counter) Item {
	if stored.Encoding != counter.Encoding() {
		stored.Tokens = counter.Count(line())
	}
	return Item{ID: id, Line: line, Tokens: stored.Tokens}
}

// size is the cost of a text; both parts add up over lines.
type size struct {
	tokens, chars int
}

func (s size) plus(o size) size  { return size{s.tokens + o.tokens, s.chars + o.chars} }
func (s size) minus(o size) size { return size{s.tokens - o.tokens, s.chars - o.chars} }
func (s size) fits(o size) bool  { return s.tokens <= o.tokens && s.chars <= o.chars }
func (s size) share(part float64) size {
	return size{int(float64(s.tokens) * part), int(float64(s.chars) * part)}
}

func sizeOf(text string, counter tokens.Counter) size {
	return size{counter.Count(text), utf16Len(text)}
}

// Pack fills the limits with the sections' items. Each section has its share; the rest of
// a share goes to the sections above it, the last section first, and the rest of all is
// offered once more from the top down. Within a section an item that does not fit is
// skipped. The result never exceeds the limits.
func Pack(sections []Section, limits Limits, counter tokens.Counter) Packed {
	_, all := packed(sections, limits, counter)
	return all
}

// packed is the result of Pack, with the items of each section; without any fillings if
// not even the frame has room.
func packed(sections []Section, limits Limits, counter tokens.Counter) ([]filling, Packed) {
	intro := preamble
	if len(sections) == 1 && sections[0].Facts {
		intro = factsPreamble
	}
	frame := sizeOf(wrapperOpen+intro+wrapperClose, counter)
	room := size{limits.Tokens, limits.Chars}
	if !frame.fits(room) {
		return nil, Packed{}
	}
	room = room.minus(frame)

	shares := 0.0
	for _, s := range sections {
		shares += s.Share
	}
	fillings := make([]filling, len(sections))
	for i, s := range sections {
		fillings[i] = newFilling(s, counter)
	}

	left := size{}
	for i := len(fillings) - 1; i >= 0; i-- {
		left = fillings[i].take(left.plus(room.share(sections[i].Share / shares)))
	}
	// Shares are rounded down: hand out the remainder with the rest of the shares.
	left = room
	for i := range fillings {
		left = left.minus(fillings[i].used)
	}
	for i := range fillings {
		left = fillings[i].take(left)
	}
	return fillings, assemble(fillings, intro, frame)
}

// FrameTokens is the cost of a packed text of one section without its lines, with a
// heading of at most about twenty words.
func FrameTokens(counter tokens.Counter) int {
	const heading = 20
	return counter.Count(wrapperOpen+preamble+wrapperClose) + heading
}

// filling is a section with the items taken so far.
type filling struct {
	Section
	heading     string
	headingSize size
	taken       []string // the lines, by item; empty if not taken
	lines       int      // number of lines taken
	used        size
}

func newFilling(s Section, counter tokens.Counter) filling {
	heading := ""
	if s.Title != "" {
		heading = "## " + render.Harmless(s.Title) + "\n"
	}
	return filling{Section: s, heading: heading, headingSize: sizeOf(heading, counter), taken: make([]string, len(s.Items))}
}

// take adds items while they fit and returns the remaining room. The first item also
// pays for the heading.
func (f *filling) take(room size) size {
	for i, item := range f.Items {
		if f.Lines > 0 && f.lines == f.Lines {
			break
		}
		if f.taken[i] != "" || item.Tokens > room.tokens {
			continue
		}
		line := item.Line()
		cost := size{item.Tokens, utf16Len(line)}
		if f.used == (size{}) {
			cost = cost.plus(f.headingSize)
		}
		if !cost.fits(room) {
			continue
		}
		f.taken[i] = line
		f.lines++
		f.used = f.used.plus(cost)
		room = room.minus(cost)
	}
	return room
}

func assemble(fillings []filling, intro string, frame size) Packed {
	var packed Packed
	total := frame
	text := wrapperOpen + intro
	for _, f := range fillings {
		if f.used == (size{}) {
			continue
		}
		text += f.heading
		for i, item := range f.Items {
			if f.taken[i] != "" {
				text += f.taken[i]
				packed.IDs = append(packed.IDs, item.ID)
			}
		}
		total = total.plus(f.used)
	}
	if len(packed.IDs) == 0 {
		return Packed{}
	}
	packed.Text = text + wrapperClose
	packed.Tokens = total.tokens
	return packed
}

// utf16Len is the length in UTF-16 code units, which is how the client counts.
func utf16Len(s string) int {
	units := 0
	for _, r := range s {
		units += utf16.RuneLen(r)
	}
	return units
}
