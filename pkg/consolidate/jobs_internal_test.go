package consolidate

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/jobs"
)

func TestEveryJobDoesSomething(t *testing.T) {
	want := slices.Sorted(slices.Values(jobs.Names()))
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(workOf))); diff != "" {
		t.Errorf("jobs (-listed +done):\n%s", diff)
	}
}
