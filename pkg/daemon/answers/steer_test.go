package answers_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

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
	if _, err := a.Intake.Amend(t.Context(), daemonapi.AmendParams{Project: "p", ID: m.ID, Change: change}); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("changing it: error %v, want ErrNotFound", err)
	}
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
