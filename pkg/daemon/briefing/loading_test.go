package briefing_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/storetest"
)

// pagedStore reads recallable memories in pages of one row, and calls between before it reads the second page.
type pagedStore struct {
	daemon.Store
	between func()
}

func (s *pagedStore) Rows(ctx context.Context, q memory.RowQuery) (rows []memory.Row, err error) {
	page, isPage := q.(memory.Page)
	if !isPage || page.Status == memory.StatusArchived {
		return s.Store.Rows(ctx, q)
	}
	for pages := 1; err == nil; pages++ {
		if pages == 2 && page.Project != "" && s.between != nil {
			s.between()
		}
		page.Limit = 1
		some, failed := s.Store.Rows(ctx, page)
		if rows, err = append(rows, some...), failed; len(some) == 0 {
			break
		}
		page.After = memory.PageOrder(some[0])
	}
	return rows, err
}

// paged gives a daemon with three notes a store that is read in pages.
func paged(t *testing.T, between func(a *daemontest.Fixture, notes []memory.Memory)) (a *daemontest.Fixture, notes []memory.Memory) {
	t.Helper()
	a, _, _ = daemontest.New(t)
	for i, text := range []string{"the staging database listens on port 6543", "labels are printed in Hamburg", "invoices are sent on Fridays"} {
		notes = append(notes, daemontest.Kept(t, a, daemontest.Noted(i+1, text)))
	}
	a = daemontest.Restarted(a)
	store := &pagedStore{Store: a.Store}
	store.between = func() { between(a, notes) }
	a.Store = store
	a.Rebuild()
	return a, notes
}

// A memory written while the pages of an index are read is in the index once, in its latest
// state; writes do not wait for the load.
func TestWritesDuringALoadAreInTheIndex(t *testing.T) {
	a, notes := paged(t, func(a *daemontest.Fixture, notes []memory.Memory) {
		daemontest.Kept(t, a, daemontest.Noted(4, "the canary lives in Oslo"))
		for i, note := range notes { // one of them is in the first page, and another in the last one
			daemontest.Changed(t, a, note.ID, i+1, memory.Change{Content: note.Content + ", since May"})
		}
		daemontest.Changed(t, a, daemontest.Kept(t, a, daemontest.Noted(5, "the gateway is in Bergen")).ID, 4, memory.Change{Status: memory.StatusArchived})
	})
	_, _ = a.Briefing.Index(t.Context(), "p")
	for _, note := range notes {
		if got := contents(t, a, note.Content); !slices.Contains(got, note.Content+", since May") || slices.Contains(got, note.Content) {
			t.Errorf("after the load %q finds %q", note.Content, got)
		}
	}
	musttest.Same(t, []string{"the canary lives in Oslo"}, contents(t, a, "where does the canary live"), "after the load the canary is in")
	if got := contents(t, a, "the gateway in Bergen"); slices.Contains(got, "the gateway is in Bergen") {
		t.Errorf("after the load an archived memory is found: %q", got)
	}
}

// A caller waits for a load at most until its deadline; the load goes on for the next caller.
func TestALoadGoesOnWithoutItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		a, _ := paged(t, func(*daemontest.Fixture, []memory.Memory) { <-goOn })
		prompt := daemonapi.RecallParams{Project: "p", Session: "s2", Purpose: daemonapi.ForPrompt, Text: "on which port does the staging database listen?", TokenBudget: 1000, MaxLines: 3}
		find := daemonapi.FindParams{Project: "p", Text: prompt.Text, Limit: 5}
		for range 2 { // the one that begins the load, and one that finds it
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			if got, err := a.Briefing.Recall(ctx, prompt); err != nil || got.Text != "" {
				t.Errorf("while the index was loaded a prompt got %q, %v", got.Text, err)
			}
			musttest.Is(t, context.DeadlineExceeded, musttest.Err(a.Answers.Find(ctx, find)), "a search while the index was loaded")
			cancel()
		}
		close(goOn)
		got := musttest.Get(a.Briefing.Recall(t.Context(), prompt))(t)
		musttest.Same(t, 1, got.Items, "after the load a prompt got %q", got.Text)
	})
}

// TestAStartHasWhatWasReadOfALargeProject stops the load of an index behind its first page, so that it lacks the fact
// that was seen first: a start whose time ends has what was read, and a start after the load has the fact, too.
func TestAStartHasWhatWasReadOfALargeProject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rows = 1001 // a page and one
		a, _, _ := daemontest.New(t)
		var all []memory.Memory
		for i := range rows {
			m := memory.Memory{
				Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: memory.KindNote, Status: memory.StatusActive, Session: "old", Source: memory.SourceUser,
				Content: fmt.Sprintf("the port of service %d is %d", i, 6000+i), Importance: 0.65,
				CreatedAt: daemontest.Noon, LastSeenAt: daemontest.Noon.Add(time.Duration(i) * time.Second),
			}
			if i == 0 {
				m.Content, m.Title, m.Source, m.Tags = "Invoices are sent on Fridays.", "Invoices are sent on Fridays", memory.SourceAssistant, []string{memory.TagModel}
			}
			m.ID = memory.NewID(m.Scope, m.Project, m.Content)
			all = append(all, m)
		}
		musttest.Do(t, storetest.Fill(t.Context(), a.Store, all))
		goOn := make(chan struct{})
		a.Store = &stoppedStore{a.Store, goOn}
		a.Rebuild()
		begin := func(session string) string {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			return musttest.Get(a.Briefing.SessionContext(ctx, daemonapi.SessionContextParams{Project: "p", Session: session, Source: "startup", TokenBudget: 1000, Before: "0"}))(t).Text
		}
		last := fmt.Sprintf("the port of service %d is", rows-1)
		if got := begin("s1"); !strings.Contains(got, last) || strings.Contains(got, "Fridays") {
			t.Errorf("while the index is loaded a start has:\n%s", got)
		}
		close(goOn)
		_, _ = a.Briefing.Index(t.Context(), "p")
		if got := begin("s2"); !strings.Contains(got, last) || !strings.Contains(got, "Fridays") {
			t.Errorf("after the load a start has:\n%s", got)
		}
	})
}

// stoppedStore waits before it reads the second page of recallable memories of a project.
type stoppedStore struct {
	daemon.Store
	goOn chan struct{}
}

func (s *stoppedStore) Rows(ctx context.Context, q memory.RowQuery) ([]memory.Row, error) {
	if page, isPage := q.(memory.Page); isPage && page.After != "" {
		<-s.goOn
	}
	return s.Store.Rows(ctx, q)
}

// A load that fails, or panics, is an error for those who wait, and the next caller loads again.
func TestALoadThatFailsIsTriedAgain(t *testing.T) {
	fails := 2
	a, _ := paged(t, func(*daemontest.Fixture, []memory.Memory) {
		if fails--; fails >= 0 {
			panic("a row that no one has thought of")
		}
	})
	for i := range 3 {
		hits, err := a.Answers.Find(t.Context(), daemonapi.FindParams{Project: "p", Text: "staging database port", Limit: 5})
		if isThere := err == nil && len(hits) == 1; isThere != (i == 2) {
			t.Errorf("call %d: found %d, %v", i, len(hits), err)
		}
	}
}

// A daemon reloads an index after a while to see the writes of other daemons on a shared store, even if it writes meanwhile itself.
func TestWritesDuringAReloadAreInTheIndex(t *testing.T) {
	n, now := 10, daemontest.Noon
	a, _ := paged(t, func(a *daemontest.Fixture, _ []memory.Memory) {
		n++
		daemontest.Kept(t, a, daemontest.Noted(n, fmt.Sprint("the canary lives in Oslo since ", n)))
	})
	a.Now = func() time.Time { return now }
	a.Config.Store.URL = "ws://db.example.com"
	a.Rebuild()
	_, _ = a.Briefing.Index(t.Context(), "p")
	behind := daemontest.Kept(t, a, daemontest.Noted(1, "the staging database listens on port 6543"))
	daemontest.Amended(t, a, behind.ID)
	for _, c := range []struct {
		later    time.Duration
		isShared bool // others write to the store, too
		isFound  bool
	}{{0, true, true}, {5 * time.Minute, false, true}, {0, true, false}} {
		now, a.Briefing.Shared = now.Add(c.later), c.isShared
		a.Briefing.Reload(t.Context())
		if got := contents(t, a, "which port does the staging database listen on"); slices.Contains(got, behind.Content) != c.isFound {
			t.Errorf("%+v: after another daemon has archived a memory are found %q", c, got)
		}
	}
	if got := contents(t, a, "where does the canary live"); len(got) != n-10 {
		t.Errorf("after %d writes during the loads are found %q", n-10, got)
	}
}

// contents is what a search for memories finds.
func contents(t *testing.T, a *daemontest.Fixture, text string) (found []string) {
	t.Helper()
	for _, hit := range musttest.Get(a.Answers.Find(t.Context(), daemonapi.FindParams{Project: "p", Text: text, Limit: 20}))(t) {
		found = append(found, hit.Memory.Content)
	}
	return found
}
