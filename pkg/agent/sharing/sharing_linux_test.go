package sharing_test

import (
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/agenttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// TestACheckoutThatHangsIsNotWaitedFor: the facts of its file system, which answered before,
// stay, and those of other checkouts are imported.
func TestACheckoutThatHangsIsNotWaitedFor(t *testing.T) {
	a, _, _ := agenttest.New(t)
	far, near := newRepository(t), newRepository(t)
	const old, fresh = "every migration begins with its number", "the release is cut on Thursdays"
	far.share(anna, old, agenttest.Noon)
	readShared(t, a, far)
	near.share(carl, fresh, agenttest.Noon)
	agenttest.Hang(t, far.root)
	for range 2 {
		read := make(chan agentapi.SharedResult, 1)
		go func() {
			result, err := a.Sharing.Read(t.Context(), agentapi.SharedParams{Project: "p", Root: near.root})
			if err != nil {
				t.Error(err)
			}
			read <- result
		}()
		select {
		case result := <-read:
			if len(result.Proposed) != 2 || result.Withdrawn != 0 || len(result.Refused) != 1 || result.Refused[0].File != far.root {
				t.Errorf("read as %+v", result)
			}
		case <-time.After(time.Minute):
			t.Fatal("the shared facts of a project wait for a file system that hangs")
		}
	}
	if statusOf(t, a, old) != memory.StatusProposed {
		t.Errorf("the fact of the checkout that hangs is %s", statusOf(t, a, old))
	}
}
