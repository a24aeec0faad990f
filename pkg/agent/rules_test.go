package agent_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/upkeep"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy"
)

// Settings cannot know policies, so their defaults are written twice.
func TestTheDefaultSettingsAreThePoliciesDefaults(t *testing.T) {
	if diff := cmp.Diff(policy.DefaultRules(), upkeep.Rules(config.Default().Maintenance.Rules)); diff != "" {
		t.Errorf("rules (-policy +settings):\n%s", diff)
	}
}

func TestEveryJobHasItsCronSetting(t *testing.T) {
	want := slices.Sorted(slices.Values(consolidate.Jobs()))
	got := slices.Sorted(maps.Keys(config.Default().Maintenance.Crons()))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("jobs (-consolidate +settings):\n%s", diff)
	}
}
