package agent

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func noonFeed() *Feed { return newFeed(func() time.Time { return noon }) }

func since(t *testing.T, f *Feed, p agentapi.FeedParams) agentapi.FeedResult {
	t.Helper()
	result, err := f.Since(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func prompted(text string) intake.Committed {
	return intake.Committed{Events: []memory.Event{{At: noon, Kind: memory.EventPrompt, Session: "s1", Project: memory.Project{Key: "p"}, Prompt: text}}}
}

// TestEventsAreFed in the order in which they happen, each with its result.
func TestEventsAreFed(t *testing.T) {
	f := noonFeed()
	f.Committed(t.Context(), prompted("move\nthe port"))
	f.Injected("p", "s1", agentapi.ForPrompt, agentapi.ContextResult{Text: "<x>\n## Title\n- the port is 6543\n- it has moved\n</x>\n", Tokens: 30, Items: 2}, 1500*time.Microsecond)
	f.Injected("p", "s1", agentapi.ForPrompt, agentapi.ContextResult{}, time.Millisecond) // silence is fed, too
	f.Injected("p", "s1", agentapi.ForRead, agentapi.ContextResult{}, time.Millisecond)   // of prompts only
	f.Injected("p", "", "start", agentapi.ContextResult{Items: 1}, time.Millisecond)      // nobody's
	f.Committed(t.Context(), intake.Committed{Memories: []memory.Memory{{Content: "the port is 6543", TokenCount: 7}}})
	f.Committed(t.Context(), intake.Committed{All: true})
	f.Ran(memory.Run{Job: "prune", Trigger: "cron", Examined: 9, Changed: 2, TokensFreed: 40, EndedAt: noon})
	f.Ran(memory.Run{Job: "dedup", Examined: 9})
	var got []string
	for _, item := range since(t, f, agentapi.FeedParams{}).Items {
		got = append(got, fmt.Sprintf("%d %s %s %q %d %d %g", item.Number, item.Kind, item.Subject, item.Text, item.Memories, item.Tokens, item.TookMS))
	}
	want := `1 captured prompt "move the port" 0 0 0
2 injected prompt "the port is 6543 · it has moved" 2 30 1.5
3 injected prompt "" 0 0 1
4 changed  "the port is 6543" 1 7 0
5 maintained prune "2 of 9 looked at were changed, by cron" 2 40 0`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	f.Injected("p", "s1", agentapi.ForRead, agentapi.ContextResult{Text: "- it is read\n", Tokens: 10, Items: 1}, time.Millisecond)
	if glance, want := f.Glance("s1"), (agentapi.Glance{Memories: 3, Tokens: 40, Last: "it is read"}); glance != want {
		t.Errorf("at a glance %+v, want %+v", glance, want)
	}
	if glance := f.Glance("s2"); glance != (agentapi.Glance{}) {
		t.Errorf("a session without injections: %+v", glance)
	}
	if after := since(t, f, agentapi.FeedParams{After: 4}); len(after.Items) != 2 || after.Last != 6 {
		t.Errorf("after the fourth: %+v", after)
	}
}

// TestTheFeedForgets items beyond its last ones, and cuts long texts.
func TestTheFeedForgets(t *testing.T) {
	f := noonFeed()
	for i := range 2300 {
		f.Committed(t.Context(), prompted(fmt.Sprint(i, strings.Repeat(" x", 1000))))
	}
	result := since(t, f, agentapi.FeedParams{})
	if len(result.Items) != 500 || result.Last != 2300 || result.Items[499].Number != 2300 || len(result.Items[0].Text) > 610 {
		t.Errorf("%d items until %d, the first %+v", len(result.Items), result.Last, result.Items[0])
	}
}

// TestAWaitingReaderGetsAnEventAtOnce, and waits no longer than its limit. A number that another
// agent gave out begins anew.
func TestAWaitingReaderGetsAnEventAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := noonFeed()
		begun := time.Now()
		if result := since(t, f, agentapi.FeedParams{WaitMS: 5000}); len(result.Items) != 0 || time.Since(begun) != 5*time.Second {
			t.Errorf("nothing happened, and %+v was returned after %s", result, time.Since(begun))
		}
		results := make(chan agentapi.FeedResult)
		go func() {
			result, _ := f.Since(context.Background(), agentapi.FeedParams{WaitMS: 50_000})
			results <- result
		}()
		synctest.Wait()
		f.Committed(t.Context(), prompted("move the port"))
		if result := <-results; len(result.Items) != 1 {
			t.Errorf("got %+v", result)
		}
		if result := since(t, f, agentapi.FeedParams{After: 70}); len(result.Items) != 1 {
			t.Errorf("after a number of another agent: %+v", result)
		}
	})
}

// TestTheSumsAreThoseOfToday: they begin at the agent's start, and again at midnight.
func TestTheSumsAreThoseOfToday(t *testing.T) {
	now := time.Date(2026, 11, 22, 23, 0, 0, 0, time.Local)
	f := newFeed(func() time.Time { return now })
	told := agentapi.ContextResult{Text: "- it has moved\n", Tokens: 30, Items: 1}
	for range 600 { // more than the feed keeps
		f.Committed(t.Context(), prompted("move the port"))
	}
	f.Injected("p", "s1", agentapi.ForPrompt, told, time.Millisecond)
	f.Injected("p", "s1", agentapi.ForPrompt, agentapi.ContextResult{}, time.Millisecond)
	f.Ran(memory.Run{Job: "prune", Changed: 2, EndedAt: now})
	if got, want := since(t, f, agentapi.FeedParams{}).Today, (agentapi.FeedDay{Since: now, Captured: 600, Injected: 1, Tokens: 30, Silent: 1, Changed: 1}); got != want {
		t.Errorf("today %+v, want %+v", got, want)
	}
	now = now.Add(2 * time.Hour)
	midnight := time.Date(2026, 11, 23, 0, 0, 0, 0, time.Local)
	if got, want := since(t, f, agentapi.FeedParams{}).Today, (agentapi.FeedDay{Since: midnight}); got != want {
		t.Errorf("tomorrow %+v, want %+v", got, want)
	}
}
