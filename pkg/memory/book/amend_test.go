package book_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/book"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// held is a store of some memories.
type held struct {
	book.Store
	rows map[string]memory.Row
}

func (h held) Read(context.Context, memory.Keys) (memory.Rows, error) {
	return memory.Rows{Memories: h.rows}, nil
}

func (h held) Apply(_ context.Context, w memory.Write) error {
	for _, change := range w.Rows {
		if row, isRow := change.After.(memory.Row); isRow {
			h.rows[row.Memory.ID] = row
		}
	}
	return nil
}

// TestAnEditToATextThatIsThere keeps what the edited memory has: that is what its editor sees. Another active memory with the
// text keeps its own pin and tags, too, and what the user said is not changed by others.
func TestAnEditToATextThatIsThere(t *testing.T) {
	const before, after = "the port is 6543", "the port is 7654"
	for name, c := range map[string]struct {
		edited, there   memory.Memory
		by              string
		kind            memory.Kind
		isPinned        bool
		tags            []string
		importance      float64
		isSaidByTheUser bool
	}{
		"the one edited has more": {
			edited: memory.Memory{Kind: memory.KindConvention, Pinned: true, Tags: []string{"net"}, Importance: 0.9},
			there:  memory.Memory{Kind: memory.KindNote, Status: memory.StatusArchived}, by: memory.ByPerson,
			kind: memory.KindConvention, isPinned: true, tags: []string{"net"}, importance: 0.9, isSaidByTheUser: true,
		},
		"edited back after an unpin": {
			edited: memory.Memory{Kind: memory.KindNote, Source: memory.SourceUser},
			there:  memory.Memory{Kind: memory.KindNote, Status: memory.StatusArchived, Source: memory.SourceUser, Pinned: true, Tags: []string{"old"}, Importance: 0.9},
			by:     memory.ByPerson, kind: memory.KindNote, isSaidByTheUser: true,
		},
		"both active": {
			edited: memory.Memory{Kind: memory.KindTodo, Tags: []string{"net"}},
			there:  memory.Memory{Kind: memory.KindNote, Pinned: true, Tags: []string{"port"}}, by: memory.ByPerson,
			kind: memory.KindTodo, isPinned: true, tags: []string{"net", "port"}, isSaidByTheUser: true,
		},
		"by a model, of the user's": {
			edited: memory.Memory{Kind: memory.KindNote, Tags: []string{"net"}, Source: memory.SourceAssistant},
			there:  memory.Memory{Kind: memory.KindDecision, Pinned: true, Source: memory.SourceUser}, by: "mcp",
			kind: memory.KindDecision, isPinned: true, isSaidByTheUser: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			rows := map[string]memory.Row{}
			for text, m := range map[string]memory.Memory{before: c.edited, after: c.there} {
				m.Content, m.Project, m.Scope = text, "p", memory.ScopeProject
				m.ID = memory.NewID(m.Scope, m.Project, text)
				if m.Status == "" {
					m.Status = memory.StatusActive
				}
				rows[m.ID] = memory.Row{Memory: m}
			}
			id := memory.NewID(memory.ScopeProject, "p", before)
			change := memory.Change{ID: "c", At: time.Unix(9, 0), By: c.by, Content: after}
			_, m, err := book.New(held{rows: rows}).Amend(t.Context(), id, change)
			if err != nil || m.Status != memory.StatusActive || m.Kind != c.kind || m.Pinned != c.isPinned || !slices.Equal(m.Tags, c.tags) ||
				m.Importance != c.importance || (m.Source == memory.SourceUser) != c.isSaidByTheUser {
				t.Errorf("the text is now %+v, %v", m, err)
			}
			musttest.Same(t, c.by == memory.ByPerson, m.LastSeenAt.Equal(change.At), "it is said at the time of the edit (-want +got)")
			if old := rows[id].Memory; old.Status != memory.StatusArchived || rows[id].SupersededBy != m.ID {
				t.Errorf("the edited memory is %+v", old)
			}
		})
	}
}
