package pack

import (
	"unicode/utf16"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
)

// Item is a line that may be injected.
type Item struct {
	ID     string
	Line   string // as package render writes it; empty: the item is only named
	Tokens int
	Name   string // the item in a few words, with its id; for sections with an Index
	Area   string // the line of the index in which the name stands
	Place  int    // the order of names in a line, of an area's lines, and of all lines with Section.ByPlace
}

// NewItem makes an item of a line and counts its tokens.
func NewItem(id, line string, counter memory.TokenCounter) Item {
	return Item{ID: id, Line: line, Tokens: counter.Count(line)}
}

// Section is a list of items under a heading, the best first.
type Section struct {
	Title string  // empty: there is no heading
	Share float64 // of the budget, relative to the other sections
	Lines int     // the most lines; 0: as many as fit
	Most  int     // the most tokens; 0: as many as fit
	// ByPlace writes the items that fit in the order of their Place.
	ByPlace bool
	// Rest is a line with the number (%d) of the items that do not fit; empty: no line.
	Rest  string
	Items []Item
	// Facts is set if all items are facts that a model wrote.
	Facts bool
	// Index names the items that do not fit in full; nil: they are left out.
	Index *Index
}

// Index lists by name the items of a section that do not fit in full, one line for each area. The
// names of all items come before more than Full tokens of items in full: a model can fetch or
// follow a name, but not an item that it has not seen.
type Index struct {
	Title string
	Full  int    // the tokens of the best items that are in full, even if names are left out for them
	Areas []Area // the order of the lines
}

// Area is a line of an index.
type Area struct {
	Name    string
	LeftOut int // the items of the area that the section was not offered
}

// filled is the text of an index.
type filled struct {
	text string
	ids  []string
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

func sizeOf(text string, counter memory.TokenCounter) size {
	return size{counter.Count(text), utf16Len(text)}
}

// filling is a section with the items taken so far.
type filling struct {
	Section
	heading     string
	headingSize size
	taken       []bool // by item
	lines       int    // number of lines taken
	isFull      bool   // it has reached Section.Most
	used        size
	counter     memory.TokenCounter

	// Of a section with an index:
	index     filled
	nameCosts []size // by item
	indexCost size   // without the names
	restCost  size   // of the line about items that are left out, if all could be named
}

// headed returns the line of a heading; an empty title has none.
func headed(title string) string {
	if title == "" {
		return ""
	}
	return "## " + render.Harmless(title) + "\n"
}

// utf16Len returns the length in UTF-16 code units, which is how the client counts.
func utf16Len(s string) int {
	units := 0
	for _, r := range s {
		units += utf16.RuneLen(r)
	}
	return units
}
