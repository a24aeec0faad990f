package pack

import (
	"unicode/utf16"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
)

// Item is a line that may be shown.
type Item struct {
	ID     string
	Line   string // the line as package render writes it; empty if the item can only be named
	Tokens int
	Name   string // the item's id and a few words, for a section with an Index
	Area   string // area under which the index names the item
	Place  int    // sort key among the names of an area, and among lines with Section.ByPlace
}

// NewItem returns an item with the number of tokens of its line.
func NewItem(id, line string, counter memory.TokenCounter) Item {
	return Item{ID: id, Line: line, Tokens: counter.Count(line)}
}

// Section is a list of items under a heading, the best first.
type Section struct {
	Title string  // heading; empty for none
	Share float64 // share of the budget, relative to the other sections
	Lines int     // maximum number of lines; 0 for as many as fit
	Most  int     // maximum number of tokens; 0 for as many as fit
	// ByPlace sorts the items that fit by their Place.
	ByPlace bool
	// Rest is the format (with one %d) of a line with the number of items that do not fit; empty for none.
	Rest  string
	Items []Item
	// Facts is set if all items are facts that a model wrote.
	Facts bool
	// Index names the items that do not fit in full; nil: they are left out.
	Index *Index
}

// Index lists by name the items of a section that do not fit in full, one line for each area. Beyond Full tokens, an item is
// shown in full only if all others can still be named: a model can fetch what it has a name for, but not what it has never seen.
type Index struct {
	Title string
	Full  int           // tokens for the best items' full lines, even if other items then cannot be named
	Areas []memory.Area // areas in the order of their lines; LeftOut counts facts that are not in Section.Items
}

// filled is an index as text, with the ids of the items that it names.
type filled struct {
	text string
	ids  []string
}

// size is the cost of a text. Both its fields add up over lines.
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

// filling is a section while Pack fills it.
type filling struct {
	Section
	heading     string
	headingSize size
	taken       []bool // by item
	lines       int    // number of lines taken
	isFull      bool   // whether it has reached Section.Most
	used        size
	counter     memory.TokenCounter

	// Only for a section with an index:
	index     filled
	nameCosts []size // by item
	indexCost size   // cost of the index without names
	restCost  size   // cost of the line about left out items; 0 if it is part of indexCost
}

// headed returns the line of a heading, or "" if the title is empty.
func headed(title string) string {
	if title == "" {
		return ""
	}
	return "## " + render.Harmless(title) + "\n"
}

// utf16Len returns the length of a text in UTF-16 code units, as the client counts it.
func utf16Len(s string) int {
	units := 0
	for _, r := range s {
		units += utf16.RuneLen(r)
	}
	return units
}
