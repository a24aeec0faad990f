package daemon_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/purged"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal"
)

// lateIntake calls before just before a rewrite begins.
type lateIntake struct {
	*intake.Intake
	before func()
}

func (l lateIntake) Rewrite(ctx context.Context, change func(context.Context) error) error {
	l.before()
	return l.Intake.Rewrite(ctx, change)
}

// What is stored while a purge of another machine's begins, and was stated after it, stays, and so does a purge here.
func TestAPurgeElsewhereTakesNothingThatCameMeanwhile(t *testing.T) {
	a, store, _ := daemontest.New(t)
	a.Now = func() time.Time { return daemontest.Noon.Add(24 * time.Hour) }
	file, purgedAt := a.Layout.Purged(), daemontest.Noon.Add(30*time.Minute)
	daemontest.Kept(t, a, daemontest.Noted(0, "the port is 6543"))
	a.Scrub.Texts, a.Scrub.SweepRow = store.Store.(daemon.SweepStore), surreal.SweepRow
	a.Projects.Intake = lateIntake{a.Intake, func() {
		late := daemontest.Noted(1, "the lift is repaired")
		late.At = purgedAt.Add(time.Minute)
		daemontest.Kept(t, a, late)
		musttest.Do(t, (&purged.List{}).WithProjects([]string{"q"}, purgedAt).Save(file))
	}}
	elsewhere := musttest.Get(json.Marshal((&purged.List{}).WithProjects([]string{"p"}, purgedAt)))(t)
	musttest.Get(a.Scrub.Run(t.Context(), daemonapi.ScrubParams{Apply: true, Elsewhere: []json.RawMessage{elsewhere}}))(t)
	found := musttest.Get(memory.Memories(t.Context(), store, memory.Filter{Limit: 10}))(t)
	var left []string
	for _, m := range found {
		left = append(left, m.Content)
	}
	musttest.Same(t, []string{"the lift is repaired"}, left, "left (-want +got)")
	if list, err := purged.Load(file); err != nil || !list.PurgedAt("q").Equal(purgedAt) {
		t.Errorf("the list has %+v, %v: it lacks the purge of q", list, err)
	}
}
