package dashboard

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// graph is a picture of a memory's origin and fate: this memory in the middle, its
// sources and files on the left, its replacements on the right.
type graph struct {
	Height int
	Middle int // of this memory
	Nodes  []node
}

// node is a memory or a file beside this one, with the line to it.
type node struct {
	How, Text, ID string // ID is empty for a file
	X, Y          int    // its left upper corner
	From, To      int    // where its line begins and ends, across
	Center        int    // of its height
}

// The measures of the picture, in its own units.
const (
	nodeWidth, nodeHeight, nodeGap = 250, 44, 14
	columnLeft, columnRight        = 4, 606
	middleLeft, middleRight        = 350, 510
	mostNodes                      = 8 // of a column
	nodeText                       = 30
)

// graphOf draws the relations of a row; its texts are asked for at once.
func (p *pages) graphOf(ctx context.Context, v visit, row memory.Row) (graph, error) {
	var left, right []node
	for _, one := range relatedTo(row) {
		if one.How == "made of" {
			left = append(left, node{How: one.How, ID: one.ID})
		} else {
			right = append(right, node{How: one.How, ID: one.ID})
		}
	}
	for _, file := range row.Memory.Files {
		left = append(left, node{How: "about", Text: file})
	}
	left, right = left[:min(len(left), mostNodes)], right[:min(len(right), mostNodes)]
	if len(left)+len(right) == 0 {
		return graph{}, nil
	}
	if err := p.nameNodes(ctx, v, left, right); err != nil {
		return graph{}, err
	}
	g := graph{Height: max(len(left), len(right), 1)*(nodeHeight+nodeGap) + nodeGap}
	g.Middle = g.Height / 2
	g.place(left, columnLeft, columnLeft+nodeWidth, middleLeft)
	g.place(right, columnRight, columnRight, middleRight)
	return g, nil
}

func (g *graph) place(column []node, x, from, to int) {
	top := (g.Height - len(column)*(nodeHeight+nodeGap) + nodeGap) / 2
	for i, n := range column {
		n.X, n.Y, n.From, n.To = x, top+i*(nodeHeight+nodeGap), from, to
		n.Center = n.Y + nodeHeight/2
		g.Nodes = append(g.Nodes, n)
	}
}

// nameNodes writes the memories' texts into the nodes.
func (p *pages) nameNodes(ctx context.Context, v visit, columns ...[]node) error {
	var ids []string
	for _, column := range columns {
		for _, n := range column {
			if n.ID != "" {
				ids = append(ids, n.ID)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := ask(ctx, p.agent, agentapi.MethodGet, agentapi.GetParams{Project: v.project, IDs: ids})
	texts := map[string]string{}
	for _, m := range found {
		texts[m.ID] = m.Content
	}
	for _, column := range columns {
		for i, n := range column {
			if n.ID != "" {
				column[i].Text = texts[n.ID]
			}
		}
	}
	return err
}

// Corner is where the box of this memory begins.
func (g graph) Corner() int { return g.Middle - nodeHeight/2 }

// Base is the line that its text stands on.
func (g graph) Base() int { return g.Middle + 5 }

// TextX is where the lines of a node begin.
func (n node) TextX() int { return n.X + 10 }

// HowY is the line of its relation to this memory.
func (n node) HowY() int { return n.Y + 17 }

// TextY is the line of its text.
func (n node) TextY() int { return n.Y + 34 }

// Short is the text of a node, cut to its width.
func (n node) Short() string {
	if n.Text == "" {
		return memory.ShortID(n.ID)
	}
	return memory.Cut(memory.OneLine(n.Text), nodeText)
}
