package agent_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/agenttest"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func of(project string, e memory.Event) memory.Event {
	e.Project, e.Dir, e.Session = memory.Project{Key: project, Name: project, Root: "/" + project}, "/"+project, "session of "+project
	return e
}

func facts(t *testing.T, r *agenttest.Running, project string) []string {
	t.Helper()
	var found []memory.Memory
	if err := r.Call(t, agentapi.MethodMemories.Call(memory.Filter{Project: project}, &found)); err != nil {
		t.Fatal(err)
	}
	contents := []string{}
	for _, m := range found {
		if strings.Contains(m.Content, "fact") {
			contents = append(contents, m.Content)
		}
	}
	return contents
}

// TestAMergedProjectIsTheOther captures under both keys, before and after.
func TestAMergedProjectIsTheOther(t *testing.T) {
	r := agenttest.Serve(t, agenttest.Ready)
	first := of("old", agenttest.Noted(1, "a fact"))
	agenttest.Put(t, r.Spool, first, of("p", agenttest.Noted(2, "the other fact")))
	var before agentapi.KeptResult
	if err := r.Call(t, agentapi.MethodKept.Call(first, &before)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []memory.Holding{{Memories: 1, Sessions: 1}, {}} { // doing it again is harmless
		var moved memory.Holding
		if err := r.Call(t, agentapi.MethodMergeProjects.Call(agentapi.MergeParams{From: "old", Into: "p"}, &moved)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, moved); diff != "" {
			t.Errorf("moved (-want +got):\n%s", diff)
		}
	}
	var names []memory.Project
	if err := r.Call(t, agentapi.MethodProjectNames.Call(agentapi.None{}, &names)); err != nil || len(names) != 1 || names[0].Key != "p" {
		t.Errorf("projects to choose from are %+v, %v", names, err)
	}
	again, newer := of("old", agenttest.Noted(3, "a fact")), of("old", agenttest.Noted(4, "a newer fact"))
	agenttest.Put(t, r.Spool, again, newer)
	var after agentapi.KeptResult
	if err := r.Call(t, agentapi.MethodKept.Call(again, &after)); err != nil {
		t.Fatal(err)
	}
	if was, is := before.Memory, after.Memory; is.ID != was.ID || is.Project != "p" || !is.LastSeenAt.After(was.LastSeenAt) {
		t.Errorf("captured again, %+v became %+v", before, after)
	}
	for _, project := range []string{"old", "p"} {
		if diff := cmp.Diff([]string{"a newer fact", "a fact", "the other fact"}, facts(t, r, project)); diff != "" {
			t.Errorf("found for %s (-want +got):\n%s", project, diff)
		}
	}
	var got []memory.Memory
	if err := r.Call(t, agentapi.MethodMemories.Call(memory.Filter{Project: "old"}, &got)); err != nil || len(got) != 3 {
		t.Errorf("listed %d memories, %v", len(got), err)
	}
	var projects []memory.ProjectHolding
	if err := r.Call(t, agentapi.MethodProjects.Call(agentapi.ProjectsParams{}, &projects)); err != nil || len(projects) != 2 || projects[0].MergedInto != "p" {
		t.Errorf("projects %+v, %v", projects, err)
	}
}

func TestAPurgeLeavesNothingThatComesBack(t *testing.T) {
	r := agenttest.Serve(t, agenttest.Ready)
	agenttest.Put(t, r.Spool, of("old", agenttest.Noted(1, "a fact")), of("p", agenttest.Noted(2, "the other fact")))
	if err := r.Call(t, agentapi.MethodIngest.Call(agentapi.None{}, nil)); err != nil {
		t.Fatal(err)
	}
	if got := facts(t, r, "p"); len(got) != 1 { // and now it is held
		t.Fatalf("found %q", got)
	}
	var moved memory.Holding
	if err := r.Call(t, agentapi.MethodMergeProjects.Call(agentapi.MergeParams{From: "old", Into: "p"}, &moved)); err != nil {
		t.Fatal(err)
	}
	agenttest.Put(t, r.Spool, of("old", agenttest.Noted(3, "a fact that waits")), of("other", agenttest.Noted(4, "a fact of others")))
	var purged agentapi.PurgeResult
	if err := r.Call(t, agentapi.MethodPurge.Call(agentapi.PurgeParams{Key: "p"}, &purged)); err != nil {
		t.Fatal(err)
	}
	want := agentapi.PurgeResult{Holding: memory.Holding{Memories: 2, Sessions: 2}, Spooled: 1}
	if diff := cmp.Diff(want, purged); diff != "" {
		t.Errorf("purged (-want +got):\n%s", diff)
	}
	if got := facts(t, r, "p"); len(got) != 0 {
		t.Errorf("found %q after the purge", got)
	}
	if err := r.Call(t, agentapi.MethodIngest.Call(agentapi.None{}, nil)); err != nil {
		t.Fatal(err)
	}
	if got := facts(t, r, "other"); len(got) != 1 {
		t.Errorf("found %q of another project", got)
	}
	for _, wrong := range []agentapi.PurgeParams{{}, {Key: "p", All: true}} {
		if err := r.Call(t, agentapi.MethodPurge.Call(wrong, nil)); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("purge %+v: %v, want ErrInvalid", wrong, err)
		}
	}
	if err := r.Call(t, agentapi.MethodPurge.Call(agentapi.PurgeParams{Key: "p"}, nil)); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("purged twice: %v, want ErrNotFound", err)
	}
}

func TestAMemoryHasAHistory(t *testing.T) {
	r := agenttest.Serve(t, agenttest.Ready)
	e := of("p", agenttest.Noted(1, "a fact"))
	agenttest.Put(t, r.Spool, e)
	var kept agentapi.KeptResult
	if err := r.Call(t, agentapi.MethodKept.Call(e, &kept)); err != nil {
		t.Fatal(err)
	}
	m := kept.Memory
	var got agentapi.HistoryResult
	if err := r.Call(t, agentapi.MethodHistory.Call(agentapi.HistoryParams{Project: "p", ID: memory.ShortID(m.ID)}, &got)); err != nil {
		t.Fatal(err)
	}
	if got.Row.Memory.ID != m.ID || len(got.History.Seen) != 1 || got.History.Seen[0].ID != e.ID {
		t.Errorf("history %+v", got)
	}
	if err := r.Call(t, agentapi.MethodHistory.Call(agentapi.HistoryParams{Project: "q", ID: m.ID}, nil)); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("another project's memory: %v, want ErrNotFound", err)
	}
}

// TestForgottenMemoriesAreFound is about preferences, which are of no project.
func TestForgottenMemoriesAreFound(t *testing.T) {
	a, _, _ := agenttest.New(t)
	e := agenttest.Noted(1, "tabs are a preferred fact")
	e.RememberedKind = memory.KindPreference
	m := agenttest.Kept(t, a, e)
	agenttest.Changed(t, a, m.ID, 1, memory.Change{Status: memory.StatusArchived, Reason: "not any more"})
	for text, want := range map[string][]string{"tabs": {m.Content}, "": {m.Content}, "spaces": {}} {
		if diff := cmp.Diff(want, agenttest.Found(t, a, agentapi.FindParams{Text: text, Archived: true})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// A start names the project that a folder may be, while nothing is remembered of its own; a merge joins them, also before anything is stored.
func TestAStartNamesTheProjectThatAFolderMayBe(t *testing.T) {
	r := agenttest.Serve(t, agenttest.Ready)
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	was, now := filepath.Join(base, "was"), filepath.Join(base, "now")
	if err := os.Mkdir(was, 0o700); err != nil {
		t.Fatal(err)
	}
	known := agenttest.Noted(1, "amounts are integer cents")
	known.Project = memory.Project{Key: was, Name: "was", Root: was}
	if err := r.Call(t, agentapi.MethodKept.Call(known, &agentapi.KeptResult{})); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(was, now); err != nil {
		t.Fatal(err)
	}
	begin := func() (given agentapi.ContextResult) {
		t.Helper()
		if err := r.Call(t, agentapi.MethodSessionContext.Call(agentapi.SessionContextParams{Project: now, Root: now, Session: "s2", TokenBudget: 2000, WaitMS: 5000}, &given)); err != nil {
			t.Fatal(err)
		}
		return given
	}
	if given := begin(); !strings.Contains(given.Doubt, "memory projects merge '"+was+"' '"+now+"'") || strings.Contains(given.Text, "cents") {
		t.Errorf("a start has %+v", given)
	}
	if err := r.Call(t, agentapi.MethodMergeProjects.Call(agentapi.MergeParams{From: now, Into: was}, &memory.Holding{})); err != nil {
		t.Fatal(err)
	}
	if given := begin(); given.Doubt != "" || !strings.Contains(given.Text, "cents") {
		t.Errorf("after the merge a start has %+v", given)
	}
}
