package daemon_test

import (
	"errors"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// TestARefusedPurgeDeletesNothing, neither in the store nor of the events that wait outside of it.
func TestARefusedPurgeDeletesNothing(t *testing.T) {
	a, store, waiting := daemontest.New(t)
	other := daemontest.Noted(1, "labels are printed in Hamburg")
	other.Project = memory.Project{Key: "q", Name: "q", Root: "/q"}
	daemontest.Ingested(t, a, daemontest.Noted(0, "the port is 6543"), other)
	musttest.Get(a.Projects.Merge(t.Context(), daemonapi.MergeParams{From: "p", Into: "q"}))(t)
	daemontest.Put(t, waiting, daemontest.Prompt(2, "x"))
	for _, refused := range []daemonapi.PurgeParams{{Key: "p"}, {Key: "q", All: true}, {}} {
		if _, err := a.Projects.Purge(t.Context(), refused); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%+v: %v", refused, err)
		}
	}
	if left, err := memory.Memories(t.Context(), store, memory.Filter{Limit: 10}); err != nil || len(left) != 2 {
		t.Errorf("of 2 memories %d are left, %v", len(left), err)
	}
	if counts := daemontest.Counts(t, waiting); counts.New != 1 {
		t.Errorf("of 1 event %+v wait", counts)
	}
}
