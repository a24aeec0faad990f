package distiller_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// standing returns the contents of the active memories of a project.
func standing(t *testing.T, a *daemontest.Fixture, key string) (all string) {
	t.Helper()
	rows, err := a.Store.Rows(t.Context(), memory.Page{Project: key, Status: memory.StatusActive, Limit: 100})
	for _, row := range rows {
		if row.SupersededBy == "" {
			all += row.Memory.Content + "\n"
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// From the moment a project is off until it is on again, whoever asks, nothing of it is sent and nothing new is stored of it. Its
// sessions wait, and hold up no other project.
func TestNothingOfAProjectThatIsOffIsSent(t *testing.T) {
	write := func(t *testing.T, file string) func() {
		t.Helper()
		musttest.Do(t, os.MkdirAll(filepath.Dir(file), 0o700))
		musttest.Do(t, os.WriteFile(file, nil, 0o600))
		return func() { _ = os.Remove(file) }
	}
	off := func(t *testing.T, p project.Project, mark string, roots ...string) func() {
		t.Helper()
		musttest.Do(t, p.SwitchOff(roots, mark))
		return func() { musttest.Do(t, p.SwitchOn(mark, p.Key)) }
	}
	const fact = "Never join on the account."
	byKey := func(t *testing.T, a *daemontest.Fixture, p project.Project) func() {
		return off(t, p, a.Layout.OffMarker(p.Key))
	}
	for name, test := range map[string]struct {
		sub       string // where in the project the session ran
		switchOff func(t *testing.T, a *daemontest.Fixture, p project.Project) (on func())
		during    bool // while the model is asked
		all       bool // the other project is off, too
	}{
		"its key":                  {switchOff: byKey},
		"while the model is asked": {switchOff: byKey, during: true},
		"its file": {switchOff: func(t *testing.T, _ *daemontest.Fixture, p project.Project) func() {
			return write(t, filepath.Join(p.Root, project.OffFile))
		}},
		"its file, in a folder below": {sub: "a/b", switchOff: func(t *testing.T, _ *daemontest.Fixture, p project.Project) func() {
			return write(t, filepath.Join(p.Root, project.OffFile))
		}},
		"its file, while the model is asked": {during: true, switchOff: func(t *testing.T, _ *daemontest.Fixture, p project.Project) func() {
			return write(t, filepath.Join(p.Root, project.OffFile))
		}},
		"its folder, under another key": {switchOff: func(t *testing.T, a *daemontest.Fixture, p project.Project) func() {
			p.Key = "github.com/o/p"
			return off(t, p, a.Layout.OffMarker(p.Key))
		}},
		"only others are on": {all: true, switchOff: func(t *testing.T, a *daemontest.Fixture, p project.Project) func() {
			other := project.Project{Key: "q", Root: t.TempDir()}
			musttest.Do(t, other.List(a.Layout.OffMarker("q")))
			return func() { _ = os.RemoveAll(filepath.Dir(project.OnlyMarker(a.Layout.OffMarker("")))) }
		}},
		"all hooks": {all: true, switchOff: func(t *testing.T, a *daemontest.Fixture, _ project.Project) func() {
			isOff := true
			a.IsDisabled = func() bool { return isOff }
			a.Rebuild()
			return func() { isOff = false }
		}},
		"its key, and the folder is gone": {switchOff: func(t *testing.T, a *daemontest.Fixture, p project.Project) func() {
			musttest.Do(t, os.RemoveAll(p.Root))
			return byKey(t, a, p)
		}},
		"its folder moved, and has the file": {sub: "gone", switchOff: func(t *testing.T, a *daemontest.Fixture, p project.Project) func() {
			return write(t, filepath.Join(p.Root, project.OffFile))
		}},
		"the project that it is a part of": {all: true, switchOff: func(t *testing.T, a *daemontest.Fixture, p project.Project) func() {
			daemontest.Ingested(t, a, daemontest.Prompt(-90, "look at q"))
			musttest.Get(a.Projects.Merge(t.Context(), daemonapi.MergeParams{From: p.Key, Into: "p"}))(t)
			return off(t, project.Project{Key: "p", Root: "/p"}, a.Layout.OffMarker("p"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "shop")
			dir := filepath.Join(root, test.sub)
			musttest.Do(t, os.MkdirAll(dir, 0o700))
			if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", root).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			p := musttest.Get(project.Identify(dir))(t)
			a, model, s := distilling(t, func(q distill.Question) (distill.Reply, error) { return daemontest.Wrote("x", [2]string{fact, rule}) })
			a.Now = func() time.Time { return daemontest.Noon.AddDate(0, 0, 1) }
			a.Rebuild()
			model.Off.Store(!test.during)
			events := daemontest.Ended("s1", rule)
			for i := range events {
				events[i].Project, events[i].Dir = memory.Project{Key: p.Key, Name: p.Name, Root: p.Root}, dir
			}
			on := func() {}
			if test.during {
				model.Wait = func(context.Context) error {
					model.Wait = nil
					on = test.switchOff(t, a, p)
					return nil
				}
			}
			live(t, a, s, events...)
			if !test.during {
				on = test.switchOff(t, a, p)
			}
			asked := model.Calls()
			model.Off.Store(false)
			if test.sub == "gone" {
				_ = os.Remove(dir)
			}
			live(t, a, s, anHourLater(daemontest.Ended("s2", "the invoices are sorted by date"))...) // another project's
			workOff(t, a)
			byHand, err := a.Distiller.Distill(t.Context(), daemonapi.DistillParams{Session: "s1"})
			if err != nil || byHand.State != string(memory.DistillationWaiting) || !strings.Contains(byHand.Reason, "nothing of the session is sent") {
				t.Errorf("by hand it is %q: %q, %v", byHand.State, byHand.Reason, err)
			}
			backlog, err := a.Distiller.Estimate(t.Context(), daemonapi.DistillEstimateParams{Sessions: 10})
			if err != nil || len(backlog.Pending) > 0 {
				t.Errorf("the backlog is %v, %v", backlog.Pending, err)
			}
			stored := func() bool { return strings.Contains(standing(t, a, "p")+standing(t, a, p.Key), fact) }
			model.Mu.Lock()
			sent := strings.Count(strings.Join(model.Asked[asked:], "\n"), rule)
			model.Mu.Unlock()
			want := asked + 1
			if test.all {
				want = asked
			}
			if sent > 0 || stored() || model.Calls() != want {
				t.Errorf("sent %d times in %d calls, and stored: %v", sent, model.Calls(), stored())
			}
			on()
			workOff(t, a)
			if !stored() {
				t.Errorf("it is on again, and not distilled: %+v", queue(t, a, memory.DistillationWaiting, memory.DistillationDone))
			}
		})
	}
}
