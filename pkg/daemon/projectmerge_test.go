package daemon_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/purged"
)

func of(project string, e memory.Event) memory.Event {
	e.Project, e.Dir, e.Session = memory.Project{Key: project, Name: project, Root: "/" + project}, "/"+project, "session of "+project
	return e
}

func facts(t *testing.T, r *daemontest.Running, project string) []string {
	t.Helper()
	found := musttest.Get(daemonapi.MethodMemories.Ask(t.Context(), r.Send, memory.Filter{Project: project}))(t)
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
	r := daemontest.Serve(t, daemontest.Ready)
	first := of("old", daemontest.Noted(1, "a fact"))
	daemontest.Put(t, r.Spool, first, of("p", daemontest.Noted(2, "the other fact")))
	before := musttest.Get(daemonapi.MethodRemember.Ask(t.Context(), r.Send, first))(t)
	for _, want := range []memory.Holding{{Memories: 1, Sessions: 1}, {}} { // doing it again is harmless
		moved := musttest.Get(daemonapi.MethodMergeProjects.Ask(t.Context(), r.Send, daemonapi.MergeParams{From: "old", Into: "p"}))(t)
		musttest.Same(t, want, moved, "moved (-want +got)")
	}
	var all []memory.ProjectHolding
	err := r.Send(t.Context(), daemonapi.MethodProjects.Call(daemonapi.ProjectsParams{Uncounted: true}, &all))
	all = slices.DeleteFunc(all, func(one memory.ProjectHolding) bool { return one.MergedInto != "" })
	if err != nil || len(all) != 1 || all[0].Key != "p" {
		t.Errorf("projects to choose from are %+v, %v", all, err)
	}
	for _, one := range []string{"old", "p"} {
		if keys, err := daemonapi.MethodKeys.Ask(t.Context(), r.Send, one); err != nil || !slices.Equal(keys, []string{"p", "old"}) {
			t.Errorf("the keys of %s are %q, %v", one, keys, err)
		}
	}
	again, newer := of("old", daemontest.Noted(3, "a fact")), of("old", daemontest.Noted(4, "a newer fact"))
	daemontest.Put(t, r.Spool, again, newer)
	after := musttest.Get(daemonapi.MethodRemember.Ask(t.Context(), r.Send, again))(t)
	if was, is := before.Memory, after.Memory; is.ID != was.ID || is.Project != "p" || !is.LastSeenAt.After(was.LastSeenAt) {
		t.Errorf("captured again, %+v became %+v", before, after)
	}
	for _, project := range []string{"old", "p"} {
		musttest.Same(t, []string{"a newer fact", "a fact", "the other fact"}, facts(t, r, project), "found for %s (-want +got)", project)
	}
	if got, err := daemonapi.MethodMemories.Ask(t.Context(), r.Send, memory.Filter{Project: "old"}); err != nil || len(got) != 3 {
		t.Errorf("listed %d memories, %v", len(got), err)
	}
	if projects, err := daemonapi.MethodProjects.Ask(t.Context(), r.Send, daemonapi.ProjectsParams{}); err != nil || len(projects) != 2 || projects[0].MergedInto != "p" {
		t.Errorf("projects %+v, %v", projects, err)
	}
}

func TestAPurgeLeavesNothingThatComesBack(t *testing.T) {
	r := daemontest.Serve(t, daemontest.Ready)
	daemontest.Put(t, r.Spool, of("old", daemontest.Noted(1, "a fact")), of("p", daemontest.Noted(2, "the other fact")))
	musttest.Get(daemonapi.MethodIngest.Ask(t.Context(), r.Send, daemonapi.None{}))(t)
	if got := facts(t, r, "p"); len(got) != 1 { // and now it is held
		t.Fatalf("found %q", got)
	}
	musttest.Get(daemonapi.MethodMergeProjects.Ask(t.Context(), r.Send, daemonapi.MergeParams{From: "old", Into: "p"}))(t)
	daemontest.Put(t, r.Spool, of("old", daemontest.Noted(3, "a fact that waits")), of("other", daemontest.Noted(4, "a fact of others")))
	purged := musttest.Get(daemonapi.MethodPurgeProject.Ask(t.Context(), r.Send, daemonapi.PurgeParams{Key: "p"}))(t)
	want := daemonapi.PurgeResult{Holding: memory.Holding{Memories: 2, Sessions: 2}, Spooled: 1}
	musttest.Same(t, want, purged, "purged (-want +got)")
	if got := facts(t, r, "p"); len(got) != 0 {
		t.Errorf("found %q after the purge", got)
	}
	musttest.Get(daemonapi.MethodIngest.Ask(t.Context(), r.Send, daemonapi.None{}))(t)
	if got := facts(t, r, "other"); len(got) != 1 {
		t.Errorf("found %q of another project", got)
	}
	musttest.Is(t, memory.ErrNotFound, r.Send(t.Context(), daemonapi.MethodPurgeProject.Call(daemonapi.PurgeParams{Key: "p"}, nil)), "purged twice")
}

// A start of a session that was purged says that nothing of it is stored.
func TestAStartOfAPurgedSessionSaysSo(t *testing.T) {
	r := daemontest.Serve(t, daemontest.Ready)
	list, err := new(purged.List).With(nil, nil, []string{"s1"})
	if err == nil {
		err = list.Save(r.Daemon.Layout.Purged())
	}
	if err != nil {
		t.Fatal(err)
	}
	for session, isSaid := range map[string]bool{"s1": true, "s2": false} {
		given := musttest.Get(daemonapi.MethodSessionContext.Ask(t.Context(), r.Send, daemonapi.SessionContextParams{Project: "p", Session: session, TokenBudget: 2000, WaitMS: 5000}))(t)
		musttest.Same(t, isSaid, strings.Contains(given.Doubt, "was purged"), "a start of %s says %q", session, given.Doubt)
	}
}

// A start names the project that a folder may be, while nothing is remembered of its own; a merge joins them, also before anything is stored.
func TestAStartNamesTheProjectThatAFolderMayBe(t *testing.T) {
	r := daemontest.Serve(t, daemontest.Ready)
	base := musttest.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	was, now := filepath.Join(base, "was"), filepath.Join(base, "now")
	musttest.Do(t, os.Mkdir(was, 0o700))
	known := daemontest.Noted(1, "amounts are integer cents")
	known.Project = memory.Project{Key: was, Name: "was", Root: was}
	musttest.Get(daemonapi.MethodRemember.Ask(t.Context(), r.Send, known))(t)
	everywhere := daemontest.Noted(3, "answers are short")
	everywhere.Project, everywhere.Everywhere = known.Project, true // a memory of every project is none of a folder's own
	musttest.Get(daemonapi.MethodRemember.Ask(t.Context(), r.Send, everywhere))(t)
	musttest.Do(t, os.Rename(was, now))
	begin := func() (given daemonapi.ContextResult) {
		t.Helper()
		musttest.Do(t, r.Send(t.Context(), daemonapi.MethodSessionContext.Call(daemonapi.SessionContextParams{Project: now, Root: now, Session: "s2", TokenBudget: 2000, WaitMS: 5000}, &given)))
		return given
	}
	if given := begin(); !strings.Contains(given.Doubt, "memory projects merge '"+was+"' '"+now+"'") || strings.Contains(given.Text, "cents") {
		t.Errorf("a start has %+v", given)
	}
	own := daemontest.Noted(2, "the port is 6543")
	own.Project = memory.Project{Key: now, Name: "now", Root: now}
	musttest.Get(daemonapi.MethodRemember.Ask(t.Context(), r.Send, own))(t)
	musttest.Same(t, "", begin().Doubt, "with a memory of its own a start says")
	var place daemonapi.PlaceResult // memory doctor says it all the same
	if err := r.Send(t.Context(), daemonapi.MethodPlace.Call(daemonapi.PlaceParams{Key: now, Root: now, Always: true}, &place)); err != nil || !strings.HasPrefix(place.Doubt, now+" may be the project "+was) {
		t.Errorf("the doubt is %q, %v", place.Doubt, err)
	}
	musttest.Get(daemonapi.MethodMergeProjects.Ask(t.Context(), r.Send, daemonapi.MergeParams{From: now, Into: was}))(t)
	if given := begin(); given.Doubt != "" || !strings.Contains(given.Text, "cents") {
		t.Errorf("after the merge a start has %+v", given)
	}
}

// What is typed in a worktree that is gone belongs to its project; in another repository at a path, to this one, which is told nothing of the one before.
func TestWhatIsTypedBelongsToTheRepositoryThatIsThere(t *testing.T) {
	r := daemontest.Serve(t, daemontest.Ready)
	base := musttest.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	p, tree := filepath.Join(base, "p"), filepath.Join(base, "tree")
	shell := func(lines string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "sh", "-ec", "git() { command git -c user.name=t -c user.email=t@localhost \"$@\"; }; "+lines)
		cmd.Dir = base
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", lines, err, out)
		}
	}
	start := func(key, root string) string {
		t.Helper()
		return musttest.Get(daemonapi.MethodSessionContext.Ask(t.Context(), r.Send, daemonapi.SessionContextParams{Project: key, Root: root, Session: "s2", TokenBudget: 2000, WaitMS: 5000}))(t).Text
	}
	say := func(n int, text, key, root string) {
		t.Helper()
		e := daemontest.Noted(n, text)
		e.Project = memory.Project{Key: key, Name: filepath.Base(key), Root: root}
		musttest.Get(daemonapi.MethodRemember.Ask(t.Context(), r.Send, e))(t)
	}
	shell("git init -q p; git -C p commit -q --allow-empty -m first; git -C p worktree add -q ../tree")
	start(p, p)
	start(p, tree)
	shell("git -C p worktree remove ../tree")
	say(1, "amounts are integer cents", tree, tree)
	if given := start(p, p); !strings.Contains(given, "cents") {
		t.Errorf("after words in a worktree that is gone, a start has %q", given)
	}
	shell("rm -rf p; git init -q p; touch -d 2020-01-01 p/.git/description; git -C p commit -q --allow-empty -m other") // before the test's clock
	say(2, "the port is 6543", p, p)                                                                                    // before any start
	if given := start(p, p); strings.Contains(given, "cents") || !strings.Contains(given, "6543") {
		t.Errorf("another repository's start has %q", given)
	}
}
