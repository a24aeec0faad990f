package consolidate

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
)

func TestEveryJobDoesSomething(t *testing.T) {
	want := slices.Sorted(slices.Values(schedule.JobNames()))
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(workOf))); diff != "" {
		t.Errorf("jobs (-listed +done):\n%s", diff)
	}
}
