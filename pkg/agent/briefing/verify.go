package briefing

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// verifyAttempts is how often index and store are compared before a difference counts:
// a write reaches the store a moment before the index.
const verifyAttempts = 3

// Verify compares the current index of a project with one made from the store. It first
// loads an index that is not loaded, and so checks the loading. Ingest waits meanwhile.
func (b *Briefing) Verify(ctx context.Context, p agentapi.VerifyParams) (result agentapi.VerifyResult, err error) {
	err = b.Intake.Paused(func() error {
		result, err = b.verify(ctx, p)
		return err
	})
	return result, err
}

func (b *Briefing) verify(ctx context.Context, p agentapi.VerifyParams) (agentapi.VerifyResult, error) {
	result := agentapi.VerifyResult{Differences: []agentapi.IndexDifference{}}
	var found []recall.Difference
	for range verifyAttempts {
		index, err := b.index(ctx, p.Project)
		if err != nil {
			return result, err
		}
		var entries []recall.Entry
		if err := b.eachRow(ctx, p.Project, func(row memory.Row) { entries = append(entries, entryOf(row)) }); err != nil {
			return result, err
		}
		result.Memories = len(entries)
		if found = index.Differences(entries); len(found) == 0 {
			return result, nil
		}
	}
	for _, d := range found {
		result.Differences = append(result.Differences, agentapi.IndexDifference{ID: d.ID, What: d.What})
	}
	b.Log.Error("the index differs from the store", "project", p.Project, "memories", len(found), "first", found[0].What)
	if p.Repair {
		b.indexes.entries.Remove(p.Project)
		result.Repaired = true
	}
	return result, nil
}
