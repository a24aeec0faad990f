package briefing

import (
	"context"
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/defuse"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// mostNamed bounds the text of the memory that Remembered names, in bytes.
const mostNamed = 120

// Remembered is a line for the user of a session: how many memories are kept of it, and
// the last of them. It is made once a session; empty if there is nothing yet. Memories
// put away or merged since are not counted.
func (b *Briefing) Remembered(ctx context.Context, p agentapi.RecallParams) string {
	ids := b.Sessions.Kept(p.Session)
	if len(ids) == 0 {
		return ""
	}
	index, err := b.Index(ctx, p.Project)
	if err != nil {
		return ""
	}
	var there []memory.Memory
	for _, id := range ids {
		if m, has := index.Memory(id); has {
			there = append(there, m)
		}
	}
	if len(there) == 0 {
		return ""
	}
	b.Sessions.ToldKept(p.Session)
	last := defuse.Quote(memory.Cut(defuse.Line(there[len(there)-1].Content), mostNamed))
	if len(there) == 1 {
		return fmt.Sprintf("surrealdb-memory remembered 1 thing of this session: %s (memory open shows it)", last)
	}
	return fmt.Sprintf("surrealdb-memory remembered %d things of this session, the last: %s (memory open shows them)", len(there), last)
}
