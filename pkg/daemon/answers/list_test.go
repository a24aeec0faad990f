package answers_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/storetest"
)

// A shell may see the home read-only, although the daemon does not: an event that the shell cannot spool is handed to the daemon.
func TestAnEventThatCouldNotBeSpooledIsKept(t *testing.T) {
	a, _, _ := daemontest.New(t)
	for range 2 { // again changes nothing
		kept, err := a.Intake.IngestOne(t.Context(), daemontest.Noted(1, "the staging database listens on port 6543"))
		if err != nil || kept.Memory.Content != "the staging database listens on port 6543" {
			t.Fatalf("kept is %+v, %v", kept, err)
		}
	}
	if all := daemontest.Found(t, a, daemonapi.FindParams{Text: "staging database port"}); len(all) != 1 {
		t.Errorf("found is %q", all)
	}
}

// A query by properties needs no words.
func TestMemoriesAreListedByTheirProperties(t *testing.T) {
	a, _, _ := daemontest.New(t)
	a.Now = func() time.Time { return daemontest.Noon.AddDate(0, 0, 6) }
	ids := map[string]string{}
	keep := func(day int, kind memory.Kind, text string, files, tags []string) {
		t.Helper()
		e := daemontest.Event(0, memory.EventRemembered)
		e.At = daemontest.Noon.AddDate(0, 0, day)
		e.ID, e.RememberedKind, e.Text, e.Files, e.Tags, e.ByUser = memory.NewEventID(e.At), kind, text, files, tags, true
		e.Everywhere = kind == memory.KindPreference
		ids[text] = daemontest.Kept(t, a, e).ID
	}
	keep(1, memory.KindTodo, "write the runbook", nil, []string{"ops"})
	keep(2, memory.KindDecision, "we keep sessions in redis", []string{"api/session.go"}, nil)
	keep(3, memory.KindTodo, "drop the old index", []string{"db/index.sql"}, nil)
	keep(4, memory.KindTodo, "rename the flag", nil, nil)
	keep(5, memory.KindPreference, "answers in one paragraph", nil, nil)
	musttest.Get(a.Intake.Amend(t.Context(), daemonapi.AmendParams{Project: "p", ID: ids["rename the flag"], Change: memory.Change{
		ID: memory.NewEventID(daemontest.Noon), At: daemontest.Noon, By: memory.ByPerson, Status: memory.StatusArchived, Reason: "done",
	}}))(t)
	daemontest.Ingested(t, a, daemontest.Edit(9, "s1", "api/session.go"))
	for name, c := range map[string]struct {
		ask  daemonapi.ListParams
		want []string
	}{
		"open todos":     {daemonapi.ListParams{Kinds: []memory.Kind{memory.KindTodo}}, []string{"drop the old index", "write the runbook"}},
		"done todos":     {daemonapi.ListParams{Kinds: []memory.Kind{memory.KindTodo}, Status: memory.StatusArchived}, []string{"rename the flag"}},
		"a tag":          {daemonapi.ListParams{Tag: "ops"}, []string{"write the runbook"}},
		"a tag as typed": {daemonapi.ListParams{Tag: " Ops"}, []string{"write the runbook"}},
		"a file":         {daemonapi.ListParams{File: "db/index.sql"}, []string{"drop the old index"}},
		"a folder":       {daemonapi.ListParams{File: "api/"}, []string{"we keep sessions in redis"}},
		"a scope":        {daemonapi.ListParams{Scope: memory.ScopeUser}, []string{"answers in one paragraph"}},
		"the next page":  {daemonapi.ListParams{Skip: 3}, []string{"write the runbook"}},
		"beyond the end": {daemonapi.ListParams{Skip: 9}, nil},
		"all":            {daemonapi.ListParams{}, []string{"answers in one paragraph", "drop the old index", "we keep sessions in redis", "write the runbook"}},
	} {
		c.ask.Project, c.ask.Limit = "p", 10
		listed := musttest.Get(a.Answers.List(t.Context(), c.ask))(t)
		if diff := cmp.Diff(c.want, contents(listed.Memories)); diff != "" || listed.Left != 0 {
			t.Errorf("%s (-want +got):\n%s%d left", name, diff, listed.Left)
		}
	}
	listed, err := a.Answers.List(t.Context(), daemonapi.ListParams{Project: "p", Limit: 1})
	if err != nil || len(listed.Memories) != 1 || listed.Left != 3 {
		t.Errorf("limited to one: %+v, %v", listed, err)
	}
}

func contents(memories []memory.Memory) []string {
	var all []string
	for _, m := range memories {
		all = append(all, m.Content)
	}
	return all
}

// A model fetches facts by the short ids that a start shows beside their titles: an id that has become ambiguous, of a memory or
// a session, fails alone, a fact that is not true any more names the newer one, and the fetched memories are not injected again.
func TestFetchedMemoriesAreShown(t *testing.T) {
	a, store, _ := daemontest.New(t)
	keep := func(n int, text string, change func(*memory.Event)) memory.Memory {
		e := daemontest.Stored(n, text)
		change(&e)
		return daemontest.Kept(t, a, e)
	}
	gate := keep(1, "Berths are numbered from the gate", func(e *memory.Event) { e.Cues = []string{"which berth is the first one?"} })
	old := keep(2, "The tide table is replaced in january", func(*memory.Event) {})
	newer := keep(3, "The tide table is replaced in march", func(e *memory.Event) { e.Replaces = old.ID })
	twins := []memory.Memory{gate, gate}
	for i := range twins {
		twins[i].Cues, twins[i].Title = nil, fmt.Sprint("twin ", i)
		twins[i].ID, twins[i].Content = fmt.Sprintf("eeee%d%s", i, strings.Repeat("0", 27)), fmt.Sprint("the twin ", i)
	}
	musttest.Do(t, store.Ingest(t.Context(), memory.Batch{Memories: twins}))
	for n, id := range []string{"abcdef-1", "abcdef-2"} {
		e := daemontest.Prompt(n, "go on")
		e.Session = id
		daemontest.Ingested(t, a, e)
	}
	typed := daemontest.Prompt(5, "go on with the berths")
	typed.Session = "s7"
	daemontest.Ingested(t, a, typed)
	a.Now = func() time.Time { return typed.At.Add(time.Second) }
	got, err := a.Answers.Fetch(t.Context(), daemonapi.FetchParams{Session: "s7", Project: "p", IDs: []string{gate.ID[:4], "eeee", old.ID[:4], "0000", "abcdef"}})
	want := daemonapi.Fetched{
		Memories: []memory.Memory{a.Briefing.Count(gate), a.Briefing.Count(old)}, Superseded: map[string]string{old.ID: newer.ID},
		Refused: []daemonapi.Refusal{{ID: "eeee", Reason: "several ids begin with eeee, such as eeee00000000 and eeee10000000: give more digits"}, {ID: "abcdef", Reason: "several sessions begin with abcdef: give more of the id"}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("fetched (-want +got):\n%s%v", diff, err)
	}
	const prompt = "which berth is the first one?"
	for session, isInjected := range map[string]bool{"s7": false, "s8": true} {
		text := daemontest.Recalled(t, a, daemonapi.RecallParams{Session: session, Purpose: daemonapi.ForPrompt, Text: prompt, MaxLines: 3})
		if strings.Contains(text, "from the gate") != isInjected {
			t.Errorf("the prompt of %s gets %q", session, text)
		}
	}
	a.Sessions.Save(t.Context())
	injected, err := memory.Injections(t.Context(), store, memory.InjectedInto{Session: "s7"})
	if err != nil || len(injected) != 2 || injected[0].Hook != "fetch" {
		t.Errorf("injected %+v, %v", injected, err)
	}
	if row := daemontest.RowOf(t, a, gate.ID); row.Uses != 1 {
		t.Errorf("it counts as used %d times, want once: it was asked for", row.Uses)
	}
}

// TestArchivedMemoriesComeInPages: the newest of them, once, the last archived first.
func TestArchivedMemoriesComeInPages(t *testing.T) {
	a, _, _ := daemontest.New(t)
	var batch memory.Batch
	for i := range 1100 {
		m := memory.Memory{
			ID: fmt.Sprintf("%032x", i), Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: memory.KindNote,
			Status: memory.StatusArchived, Content: fmt.Sprint("berth ", i), CreatedAt: daemontest.Noon, LastSeenAt: daemontest.Noon.Add(time.Duration(i/3) * time.Second),
		}
		if i%5 == 0 {
			m.Project, m.Scope = "", memory.ScopeUser
		}
		batch.Memories = append(batch.Memories, m)
	}
	musttest.Do(t, storetest.Fill(t.Context(), a.Store, batch.Memories))
	seen, last := map[string]bool{}, daemontest.Noon.AddDate(1, 0, 0)
	for p := (daemonapi.ListParams{Project: "p", Status: memory.StatusArchived, Limit: 100}); ; p.Skip += 100 {
		listed := musttest.Get(a.Answers.List(t.Context(), p))(t)
		for _, m := range listed.Memories {
			if seen[m.ID] || m.LastSeenAt.After(last) {
				t.Fatalf("%q comes twice or too late", m.Content)
			}
			seen[m.ID], last = true, m.LastSeenAt
		}
		if listed.Left == 0 {
			break
		}
	}
	if oldest := fmt.Sprintf("%032x", 90); len(seen) != 1000 || seen[oldest] {
		t.Errorf("%d listed, want the newest 1,000", len(seen))
	}
}

func TestRecallSeesEveryChange(t *testing.T) {
	a, _, _ := daemontest.New(t)
	a.Now = func() time.Time { return daemontest.Noon.AddDate(0, 0, 1) }
	const text = "The staging database listens on port 6543"
	ask := daemonapi.FindParams{Text: "port of the staging database"}
	m := daemontest.Kept(t, a, daemontest.Noted(1, text))
	if got := daemontest.Found(t, a, ask); !cmp.Equal(got, []string{text}) {
		t.Fatalf("found %q", got)
	}
	next := daemontest.Changed(t, a, memory.ShortID(m.ID), 1, memory.Change{Content: "The staging database listens on port 7654"})
	if got := daemontest.Found(t, a, ask); !cmp.Equal(got, []string{next.Content}) {
		t.Errorf("after an update found %q", got)
	}
	if next.TokenCount != len(strings.Fields(render.Line(next))) {
		t.Errorf("the successor counts %d tokens", next.TokenCount)
	}
	daemontest.Changed(t, a, next.ID, 2, memory.Change{Status: memory.StatusArchived, Reason: "wrong"})
	if got := daemontest.Found(t, a, ask); len(got) > 0 {
		t.Errorf("after it was archived found %q", got)
	}
	ask.Archived = true
	if got := daemontest.Found(t, a, ask); !cmp.Equal(got, []string{next.Content, text}) {
		t.Errorf("among the archived found %q", got)
	}
	if got := daemontest.Found(t, a, daemonapi.FindParams{Archived: true, Text: "6543"}); !cmp.Equal(got, []string{text}) {
		t.Errorf("among the archived, by a word, found %q", got)
	}
	daemontest.Changed(t, a, m.ID, 3, memory.Change{Status: memory.StatusActive})
	if got := daemontest.Found(t, a, daemonapi.FindParams{Text: "port of the staging database"}); !cmp.Equal(got, []string{text}) {
		t.Errorf("after it was restored found %q", got)
	}
}

func TestOneWeakWordIsFoundOnPurpose(t *testing.T) {
	a, _, _ := daemontest.New(t)
	daemontest.Kept(t, a, daemontest.Noted(1, "Deploys go out on Mondays"))
	if got := daemontest.Found(t, a, daemonapi.FindParams{Text: "Mondays"}); len(got) != 1 {
		t.Errorf("found %q", got)
	}
	if got := daemontest.Found(t, a, daemonapi.FindParams{Text: "Mondays", Kinds: []memory.Kind{memory.KindTodo}}); len(got) > 0 {
		t.Errorf("of another kind found %q", got)
	}
}

func TestAnotherProjectsMemoriesAreNotThere(t *testing.T) {
	a, _, _ := daemontest.New(t)
	other := daemontest.Noted(1, "The other project's secret sauce")
	other.Project = memory.Project{Key: "q", Name: "q", Root: "/q"}
	m := daemontest.Kept(t, a, other)
	if got := daemontest.Found(t, a, daemonapi.FindParams{Text: "secret sauce of the project"}); len(got) > 0 {
		t.Errorf("found %q", got)
	}
	got, err := a.Answers.Fetch(t.Context(), daemonapi.FetchParams{Project: "p", IDs: []string{m.ID, "unknown"}})
	if err != nil || len(got.Memories) > 0 {
		t.Errorf("got %+v, %v", got, err)
	}
	change := memory.Change{ID: "c", At: daemontest.Noon, Status: memory.StatusArchived}
	musttest.Is(t, memory.ErrNotFound, musttest.Err(a.Intake.Amend(t.Context(), daemonapi.AmendParams{Project: "p", ID: m.ID, Change: change})), "changing it")
	if got, err := a.Answers.Fetch(t.Context(), daemonapi.FetchParams{Project: "q", IDs: []string{memory.ShortID(m.ID)}}); err != nil || len(got.Memories) != 1 {
		t.Errorf("its own project got %+v, %v", got, err)
	}
}

// The model is shown the answer as JSON: its tokens count against the budget.
func TestAnAnswerIsExactAndWithinItsBudget(t *testing.T) {
	a, _, _ := daemontest.New(t)
	a.Counter = daemontest.ExactCounter(t)
	var events []memory.Event
	for n := range 30 {
		events = append(events, daemontest.Noted(n, fmt.Sprintf("Port %d serves the <b>\"%s\"</b> database & its replicas", 6000+n, strings.Repeat("très ", n%7))))
	}
	daemontest.Ingested(t, a, events...)
	largest := 0
	for budget := 20; budget <= 3000; budget += 421 {
		answer := musttest.Get(a.Answers.Answer(t.Context(), daemonapi.AnswerParams{TokenBudget: budget, FindParams: daemonapi.FindParams{
			Project: "p", Session: "s1", Text: "which port serves the database and its replicas", Limit: 50,
		}}))(t)
		var text strings.Builder
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		musttest.Do(t, encoder.Encode(answer))
		musttest.Same(t, answer.Tokens, a.Counter.Count(strings.TrimSpace(text.String())), "budget %d: the tokens of the answer (-want +got)", budget)
		if len(answer.Memories) > 0 && answer.Tokens > budget {
			t.Errorf("budget %d: %d tokens", budget, answer.Tokens)
		}
		if len(answer.Memories) < largest {
			t.Errorf("budget %d holds %d memories, a smaller one held %d", budget, len(answer.Memories), largest)
		}
		largest = max(largest, len(answer.Memories))
	}
	if largest < 10 {
		t.Errorf("the largest budget held %d memories", largest)
	}
}

// The user's words that a fact superseded are no answer; where a list or an id shows them, it names the fact.
func TestReplacedWordsAreShownWithWhatReplacedThem(t *testing.T) {
	const old, newer = "the staging database is on port 5432", "from now on the staging database is on port 6543"
	a, _, s := daemontest.New(t)
	a.Now = func() time.Time { return daemontest.Noon.AddDate(0, 0, 1) }
	said := daemontest.Prompt(1, "Remember: "+old)
	said.Session = "s0"
	daemontest.Put(t, s, said, daemontest.Prompt(2, newer))
	e := daemontest.Stored(3, "Staging DB: port 6543.")
	e.Quote, e.Replaces = newer, memory.NewID(memory.ScopeProject, "p", old)
	fact := daemontest.Kept(t, a, e)
	for _, p := range []daemonapi.FindParams{{Text: "which port is the staging database on?"}, {Text: "staging", Words: true}} {
		for _, text := range daemontest.Found(t, a, p) {
			if strings.HasSuffix(text, old) || text == newer {
				t.Errorf("%+v finds %q", p, text)
			}
		}
	}
	listed := musttest.Get(a.Answers.List(t.Context(), daemonapi.ListParams{Project: "p", Limit: 9}))(t)
	got := musttest.Get(a.Answers.Fetch(t.Context(), daemonapi.FetchParams{Project: "p", IDs: []string{e.Replaces}}))(t)
	if len(listed.Memories) != 3 || len(listed.Superseded) != 2 || listed.Superseded[e.Replaces] != fact.ID || got.Superseded[e.Replaces] != fact.ID {
		t.Errorf("listed %+v, got %+v; want both sentences superseded by %s", listed, got, fact.ID)
	}
}
