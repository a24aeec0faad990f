package dashboard

import (
	"context"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

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
	Picture web
}

// web is a picture in three columns: files, memories about them, and the memories that
// these replaced.
type web struct {
	Height int
	Boxes  []box
	Lines  []line
}

// box is a file or a memory.
type box struct {
	Kind, Text, ID string // ID is empty for a file
	X, Y           int    // its left upper corner
}

// line leads from one box to another.
type line struct{ X1, Y1, X2, Y2 int }

// The measures of the picture, in its own units.
const (
	webFiles, webMemories, webReplaced = 4, 304, 606 // where the columns begin
	webStep                            = nodeHeight + 8
)

func (p *pages) connections(ctx context.Context, v visit) (page, error) {
	found, err := ask(ctx, p.agent, agentapi.MethodGraph, agentapi.OfProject{Project: v.project, Limit: listedConnections})
	return page{"connections", "Connections", connections{found, webOf(found)}}, err
}

// webOf draws the first memories with the files that most of them name.
func webOf(g agentapi.Graph) web {
	var w web
	fileAt, drawn := map[string]int{}, g.Memories[:min(len(g.Memories), drawnMemories)]
	for _, file := range g.Files {
		isNamed := slices.ContainsFunc(drawn, func(m agentapi.GraphMemory) bool { return slices.Contains(m.Memory.Files, file.Path) })
		if isNamed && len(fileAt) < drawnFiles {
			fileAt[file.Path] = w.add(box{Kind: "file", Text: file.Path, X: webFiles, Y: len(fileAt) * webStep})
		}
	}
	replaced := 0
	for i, m := range drawn {
		at := w.add(box{Kind: string(m.Memory.Kind), Text: m.Memory.Content, ID: m.Memory.ID, X: webMemories, Y: i * webStep})
		for _, file := range m.Memory.Files {
			if from, isDrawn := fileAt[file]; isDrawn {
				w.join(from, at)
			}
		}
		for _, old := range m.Replaced {
			if replaced < drawnReplaced {
				w.join(at, w.add(box{Kind: "replaced", Text: old.Content, ID: old.ID, X: webReplaced, Y: replaced * webStep}))
				replaced++
			}
		}
	}
	w.Height = max(len(fileAt), len(drawn), replaced)*webStep + 8
	return w
}

// add adds a box below the upper edge, and returns its place in the list.
func (w *web) add(b box) int {
	b.Y += 4
	w.Boxes = append(w.Boxes, b)
	return len(w.Boxes) - 1
}

func (w *web) join(from, to int) {
	a, b := w.Boxes[from], w.Boxes[to]
	w.Lines = append(w.Lines, line{a.X + nodeWidth, a.Y + nodeHeight/2, b.X, b.Y + nodeHeight/2})
}

// TextX is where the lines of a box begin.
func (b box) TextX() int { return b.X + 10 }

// KindY is the line of its kind.
func (b box) KindY() int { return b.Y + 17 }

// TextY is the line of its text.
func (b box) TextY() int { return b.Y + 34 }

// Short is its text, cut to its width.
func (b box) Short() string { return memory.Cut(memory.OneLine(b.Text), nodeText) }
