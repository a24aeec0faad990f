package storetest

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// administration is one sequence of steps: the purge must find the rows that the merge before it leaves.
func administration(t *testing.T, store Store) {
	other, user := note("q", "q is built with make", minute(3)), note("", "the user prefers tabs", minute(4))
	other.Files = []string{"Makefile"}
	user.Scope, user.ID = memory.ScopeUser, memory.NewID(memory.ScopeUser, "", user.Content)
	newer := session("s2", "q")
	newer.LastEventAt = minute(5)
	ingest(t, store, FullBatch(), memory.Batch{
		Projects:  []memory.Project{{Key: "q", Name: "q", Root: "/q", SeenAt: minute(5)}, {Key: "r", Name: "r", Root: "/r", SeenAt: minute(6)}},
		Sessions:  []memory.Session{newer},
		Prompts:   []memory.Prompt{{ID: "e5", Session: "s2", Project: "q", Text: "build", At: minute(3)}, {ID: "e6", Session: "s2", Project: "q", Text: "again", At: minute(4)}},
		Memories:  []memory.Memory{other, user},
		Sightings: []memory.Sighting{{ID: "e5", Memory: other.ID, Session: "s2", At: minute(3)}, {ID: "e6", Memory: user.ID, Session: "s2", At: minute(4)}},
	})
	listed(t, store)
	history(t, store)
	merged(t, store, other)
	purged(t, store, user)
}

func listed(t *testing.T, store Store) {
	projects := musttest.Get(store.Projects(t.Context()))(t)
	equal(t, "projects, the last seen first", []string{"r", "q", "p"}, each(projects, func(p memory.ProjectHolding) string { return p.Key }))
	equal(t, "a project", memory.ProjectHolding{Project: memory.Project{Key: "q", Name: "q", Root: "/q", SeenAt: minute(5)}}, projects[1])
	holding := func(project string) memory.Stats {
		return musttest.Get(store.Totals(t.Context(), memory.Counts(project)))(t).Stats
	}
	equal(t, "counts of a project", memory.Stats{Memories: 1, Sessions: 1, Prompts: 2}, holding("q"))
	equal(t, "counts of an empty project", memory.Stats{}, holding("r"))
	equal(t, "counts of an unknown project", memory.Stats{}, holding("nowhere"))
	sessions := musttest.Get(store.Sessions(t.Context(), memory.LastSessions{Limit: 10, Counted: true}))(t)
	equal(t, "all sessions, the newest first", []string{"s2", "s1"}, sessionIDs(sessions))
	equal(t, "prompts of a session", 2, sessions[0].PromptCount)
	equal(t, "sessions of a project", []string{"s1"}, sessionIDs(musttest.Get(store.Sessions(t.Context(), memory.LastSessions{Project: "p", Limit: 10, Counted: true}))(t)))
	equal(t, "the newest session", []string{"s2"}, sessionIDs(musttest.Get(store.Sessions(t.Context(), memory.LastSessions{Limit: 1, Counted: true}))(t)))
}

func history(t *testing.T, store Store) {
	m := note("p", "the port is 6543", minute(1))
	tagged := change(1)
	tagged.AddTags, tagged.Reason = []string{"db"}, "found by it"
	amend(t, store, m.ID, tagged)
	got := musttest.Get(store.History(t.Context(), m.ID))(t)
	equal(t, "history of a memory", memory.History{
		Seen:     []memory.Sighting{{ID: "e1", Memory: m.ID, Session: "s1", At: minute(1)}},
		Injected: []memory.Injection{{ID: "i1", Memory: m.ID, Session: "s1", Subagent: "a1", Hook: "prompt", At: minute(2)}},
		Changes:  []memory.ChangeRecord{{Run: tagged.ID, Job: memory.Amend, By: "mcp", Reason: "found by it", At: tagged.At}},
	}, got)
	equal(t, "the decisions", []memory.Decision{{Memory: m.ID, At: tagged.At, Fields: []string{"tags"}}}, musttest.Get(store.Decisions(t.Context(), []string{m.ID, "none"}))(t))
	none := musttest.Get(store.History(t.Context(), memory.NewID(memory.ScopeProject, "p", "nothing")))(t)
	equal(t, "history of a missing memory", memory.History{Seen: []memory.Sighting{}, Injected: []memory.Injection{}, Changes: []memory.ChangeRecord{}}, none)
}

func aliases(t *testing.T, store Store) map[string]string {
	t.Helper()
	return memory.AliasesOf(musttest.Get(store.Projects(t.Context()))(t))
}

func merged(t *testing.T, store Store, moved memory.Memory) {
	holding := musttest.Get(store.MergeProjects(t.Context(), "q", "p"))(t)
	equal(t, "moved rows", memory.Holding{Memories: 1, Sessions: 1, Prompts: 2}, holding)
	moved.Project = "p"
	equal(t, "a memory that was moved", moved, musttest.Get(memory.Find(t.Context(), store, moved.ID))(t))
	equal(t, "sessions that were moved", []string{"s2", "s1"}, sessionIDs(musttest.Get(store.Sessions(t.Context(), memory.LastSessions{Project: "p", Limit: 10, Counted: true}))(t)))
	equal(t, "the record of a moved session", 1, len(musttest.Get(memory.RecordOf(t.Context(), store, "s1"))(t).Seen))
	holding = musttest.Get(store.MergeProjects(t.Context(), "q", "p"))(t)
	equal(t, "rows moved again", memory.Holding{}, holding)
	equal(t, "aliases", map[string]string{"q": "p"}, aliases(t, store))
	for _, test := range []struct {
		from, into string
		want       error
	}{
		{"p", "p", memory.ErrInvalid}, {"p", "q", memory.ErrInvalid}, {"none", "p", memory.ErrNotFound}, {"p", "none", memory.ErrNotFound},
	} {
		musttest.Is(t, test.want, musttest.Err(store.MergeProjects(t.Context(), test.from, test.into)), "merging %s into %s", test.from, test.into)
	}
	musttest.Get(store.MergeProjects(t.Context(), "p", "r"))(t)
	equal(t, "aliases of aliases", map[string]string{"q": "r", "p": "r"}, aliases(t, store))
	for _, p := range musttest.Get(store.Projects(t.Context()))(t) {
		want, into := memory.Stats{}, "r"
		if p.Key == "r" {
			want, into = memory.Stats{Memories: 2, Sessions: 2, Prompts: 3}, ""
		}
		equal(t, "counts after the merge: "+p.Key, want, musttest.Get(store.Totals(t.Context(), memory.Counts(p.Key)))(t).Stats)
		equal(t, "target of the merge: "+p.Key, into, p.MergedInto)
	}
}

func purged(t *testing.T, store Store, user memory.Memory) {
	musttest.Is(t, memory.ErrNotFound, musttest.Err(store.Purge(t.Context(), "none")), "purging a missing project")
	holding := musttest.Get(store.Purge(t.Context(), "r"))(t)
	equal(t, "purged rows", memory.Holding{Memories: 2, Sessions: 2, Prompts: 3}, holding)
	equal(t, "projects after the purge", 0, len(musttest.Get(store.Projects(t.Context()))(t)))
	equal(t, "aliases after the purge", 0, len(aliases(t, store)))
	equal(t, "the user's memory after the purge", user, musttest.Get(memory.Find(t.Context(), store, user.ID))(t))
	equal(t, "rows after the purge", memory.Stats{Memories: 1, Runs: 1}, musttest.Get(store.Totals(t.Context(), memory.Counts("")))(t).Stats)
	changed := musttest.Get(store.History(t.Context(), memory.NewID(memory.ScopeProject, "p", "the port is 6543")))(t)
	equal(t, "changes of a purged memory", 0, len(changed.Changes))

	ingest(t, store, FullBatch())
	equal(t, "a purged memory captured again", FullBatch().Memories[0], musttest.Get(memory.Find(t.Context(), store, FullBatch().Memories[0].ID))(t))
	holding = musttest.Get(store.Purge(t.Context(), ""))(t)
	equal(t, "rows of the last purge", memory.Holding{Memories: 2, Sessions: 1, Prompts: 1}, holding)
	equal(t, "rows at last", memory.Stats{}, musttest.Get(store.Totals(t.Context(), memory.Counts("")))(t).Stats)
}
