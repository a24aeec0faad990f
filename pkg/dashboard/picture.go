package dashboard

import (
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// picture is memories and files in columns, with lines between those that are connected.
type picture struct {
	Height int
	Boxes  []box
	Lines  []line
}

// box is a memory or a file.
type box struct {
	How, Text, ID string // ID is empty for a file
	X, Y          int    // its left upper corner
}

// line leads from one box to another.
type line struct{ X1, Y1, X2, Y2 int }

// The measures of a picture, in its own units.
const (
	boxWidth, boxHeight                   = 250, 44
	columnLeft, columnMiddle, columnRight = 4, 304, 606 // where the columns begin
	thisLeft, thisRight                   = 350, 510    // the edges of the memory in the middle
	boxText                               = 30          // bytes
	mostBoxes                             = 8           // of a column beside a memory
)

// pictureOf draws a memory in the middle, its sources and files on the left, its
// replacements on the right.
func pictureOf(v *visit, row memory.Row) picture {
	connected := relatedTo(row)
	connected = connected[:min(len(connected), 2*mostBoxes)]
	texts := map[string]string{}
	if len(connected) > 0 {
		var ids []string
		for _, one := range connected {
			ids = append(ids, one.ID)
		}
		for _, m := range ask(v, agentapi.MethodGet, agentapi.GetParams{Project: v.project, IDs: ids}) {
			texts[m.ID] = m.Content
		}
	}
	var left, right []box
	for _, one := range connected {
		b := box{How: one.How, ID: one.ID, Text: texts[one.ID]}
		if one.How == madeOf {
			left = append(left, b)
		} else {
			right = append(right, b)
		}
	}
	for _, file := range row.Memory.Files {
		left = append(left, box{How: "about", Text: file})
	}
	left, right = left[:min(len(left), mostBoxes)], right[:min(len(right), mostBoxes)]
	if len(left)+len(right) == 0 {
		return picture{}
	}
	const gap = 14
	p := picture{Height: max(len(left), len(right))*(boxHeight+gap) + gap}
	beside := func(column []box, x, from, to int) {
		top := (p.Height - len(column)*(boxHeight+gap) + gap) / 2
		for i, b := range column {
			b.X, b.Y = x, top+i*(boxHeight+gap)
			p.Boxes = append(p.Boxes, b)
			p.Lines = append(p.Lines, line{from, b.Y + boxHeight/2, to, p.Height / 2})
		}
	}
	beside(left, columnLeft, columnLeft+boxWidth, thisLeft)
	beside(right, columnRight, columnRight, thisRight)
	return p
}

// related is another memory, and its relation to this one.
type related struct{ How, ID string }

const madeOf = "made of"

func relatedTo(row memory.Row) []related {
	var all []related
	if row.SupersededBy != "" {
		all = append(all, related{"corrected by", row.SupersededBy})
	}
	if row.MergedInto != "" {
		all = append(all, related{"merged into", row.MergedInto})
	}
	for _, from := range row.DerivedFrom {
		all = append(all, related{madeOf, from})
	}
	return all
}

// How many memories the page of connections lists, and how many of each column its
// picture has.
const (
	listedConnections = 40
	drawnMemories     = 14
	drawnFiles        = 16
	drawnReplaced     = 14
)

// connections is the data of how files, fixes and corrections of a project hang together.
type connections struct {
	agentapi.Graph
	Picture picture
}

func (p *pages) connections(v *visit) page {
	found := ask(v, agentapi.MethodGraph, agentapi.OfProject{Project: v.project, Limit: listedConnections})
	return page{"connections", "Connections", connections{found, pictureOfAll(found)}}
}

// pictureOfAll draws the first memories with the files that most of them name, and the
// memories that these replaced.
func pictureOfAll(g agentapi.Graph) picture {
	const step, top = boxHeight + 8, 4
	var p picture
	add := func(b box) int {
		p.Boxes = append(p.Boxes, b)
		return len(p.Boxes) - 1
	}
	join := func(from, to int) {
		a, b := p.Boxes[from], p.Boxes[to]
		p.Lines = append(p.Lines, line{a.X + boxWidth, a.Y + boxHeight/2, b.X, b.Y + boxHeight/2})
	}
	fileAt, drawn := map[string]int{}, g.Memories[:min(len(g.Memories), drawnMemories)]
	for _, file := range g.Files {
		isNamed := slices.ContainsFunc(drawn, func(m agentapi.GraphMemory) bool { return slices.Contains(m.Memory.Files, file.Path) })
		if isNamed && len(fileAt) < drawnFiles {
			fileAt[file.Path] = add(box{How: "file", Text: file.Path, X: columnLeft, Y: top + len(fileAt)*step})
		}
	}
	replaced := 0
	for i, m := range drawn {
		at := add(box{How: string(m.Memory.Kind), Text: m.Memory.Content, ID: m.Memory.ID, X: columnMiddle, Y: top + i*step})
		for _, file := range m.Memory.Files {
			if from, isDrawn := fileAt[file]; isDrawn {
				join(from, at)
			}
		}
		for _, old := range m.Replaced {
			if replaced < drawnReplaced {
				join(at, add(box{How: "replaced", Text: old.Content, ID: old.ID, X: columnRight, Y: top + replaced*step}))
				replaced++
			}
		}
	}
	p.Height = max(len(fileAt), len(drawn), replaced)*step + 2*top
	return p
}

// Corner is where the box of the memory in the middle begins.
func (p picture) Corner() int { return p.Height/2 - boxHeight/2 }

// Base is the line that its text stands on.
func (p picture) Base() int { return p.Height/2 + 5 }

// TextX is where the lines of a box begin.
func (b box) TextX() int { return b.X + 10 }

// HowY is the line of its kind or relation.
func (b box) HowY() int { return b.Y + 17 }

// TextY is the line of its text.
func (b box) TextY() int { return b.Y + 34 }

// Short is its text, cut to its width.
func (b box) Short() string {
	if b.Text == "" {
		return memory.ShortID(b.ID)
	}
	return memory.Cut(memory.OneLine(b.Text), boxText)
}
