package answers

import (
	"context"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// verifyAttempts is how often index and store are compared before a difference counts:
// a write reaches the store a moment before the index.
const verifyAttempts = 3

// Verify compares the current index of a project with one made from the store. It first
// loads an index that is not loaded, and so checks the loading. Ingest waits meanwhile.
func (a *Answers) Verify(ctx context.Context, p agentapi.VerifyParams) (result agentapi.VerifyResult, err error) {
	err = a.Intake.Paused(func() error {
		result, err = a.verify(ctx, p)
		return err
	})
	return result, err
}

func (a *Answers) verify(ctx context.Context, p agentapi.VerifyParams) (agentapi.VerifyResult, error) {
	result := agentapi.VerifyResult{Differences: []agentapi.IndexDifference{}}
	var found []recall.Difference
	for range verifyAttempts {
		index, err := a.Briefing.Index(ctx, p.Project)
		if err != nil {
			return result, err
		}
		entries, err := a.Briefing.Entries(ctx, p.Project)
		if err != nil {
			return result, err
		}
		result.Memories = len(entries)
		if found = index.Differences(entries); len(found) == 0 {
			return result, nil
		}
	}
	for _, d := range found {
		result.Differences = append(result.Differences, agentapi.IndexDifference(d))
	}
	a.Log.Error("the index differs from the store", "project", p.Project, "memories", len(found), "first", found[0].Problem)
	if p.Repair {
		a.Briefing.Drop(p.Project)
		result.Repaired = true
	}
	return result, nil
}
