package mcpserver

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
)

func TestTheJobsAreTheConsolidators(t *testing.T) {
	var want []any
	for _, job := range consolidate.Jobs() {
		want = append(want, job)
	}
	if diff := cmp.Diff(want, jobs); diff != "" {
		t.Errorf("jobs (-consolidate +mcpserver):\n%s", diff)
	}
}
