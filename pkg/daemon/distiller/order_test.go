package distiller_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// said is a port that the user names in a session.
type said struct {
	Service string
	Port    int
}

func (p said) words() string {
	return fmt.Sprintf("from now on the %s port is %d, everywhere", p.Service, p.Port)
}

func (p said) fact() string { return fmt.Sprintf("The %s port is %d.", p.Service, p.Port) }

var (
	saidPort     = regexp.MustCompile(`from now on the (\w+) port is (\d+), everywhere`)
	standingPort = regexp.MustCompile(`(?m)^(\w+) .*The (\w+) port is (\d+)$`)
)

// portsOf answers as a model does that knows nothing of time: each port that the session names is a fact, which
// supersedes the lines with another port of the service, or confirms the line with the same.
func portsOf(confirms bool) func(distill.Question) (distill.Reply, error) {
	return func(q distill.Question) (distill.Reply, error) {
		standing, session, _ := strings.Cut(q.Prompt, "<session>")
		facts := []map[string]any{}
		for _, port := range saidPort.FindAllStringSubmatch(session, -1) {
			about, relation, ends := "", "", []string{}
			for _, line := range standingPort.FindAllStringSubmatch(standing, -1) {
				switch {
				case line[2] != port[1]:
				case line[3] == port[2] && confirms:
					about, relation = line[1], "confirms"
				case line[3] != port[2]:
					ends = append(ends, line[1])
				}
			}
			if about == "" && len(ends) > 0 {
				about, relation, ends = ends[0], "supersedes", ends[1:]
			}
			facts = append(facts, map[string]any{
				"text": fmt.Sprintf("The %s port is %s.", port[1], port[2]), "kind": "convention", "quotes": []string{port[0]},
				"about": about, "relation": relation, "ends": ends,
			})
		}
		text, err := json.Marshal(map[string]any{"summary": map[string]string{"request": "Ports"}, "facts": facts})
		return distill.Reply{Text: text, Usage: distill.Usage{Reported: true, Input: 500, Output: 50}}, err
	}
}

// portOf is the first port that the session of a question names.
func portOf(q distill.Question) string {
	_, session, _ := strings.Cut(q.Prompt, "<session>")
	return saidPort.FindStringSubmatch(session)[2]
}

// sessionOfPorts are the events of the session with a number; a later one has a greater number.
func sessionOfPorts(n int, ports []said) []memory.Event {
	var turns []string
	for _, p := range ports {
		turns = append(turns, p.words())
	}
	events := daemontest.Ended(fmt.Sprintf("s%d", n), turns...)
	for i := range events {
		events[i].At = events[i].At.Add(time.Duration(n) * 48 * time.Hour)
	}
	return events
}

// standingFacts are the facts that nothing supersedes.
func standingFacts(t testing.TB, a *daemontest.Fixture) []string {
	var all []string
	musttest.Do(t, memory.EachRecallable(t.Context(), a.Store, "p", 100, func(rows []memory.Row) error {
		for _, row := range rows {
			if row.Memory.IsFact() && row.SupersededBy == "" {
				all = append(all, row.Memory.Content)
			}
		}
		return nil
	}))
	slices.Sort(all)
	return all
}

// In whichever order sessions are distilled, the facts of the last words stand in the end, and no others.
func TestAnyOrderOfDistillingEndsInTheLastWords(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		port := rapid.Custom(func(r *rapid.T) said {
			return said{rapid.SampledFrom([]string{"db", "web"}).Draw(r, "service"), rapid.IntRange(5001, 5003).Draw(r, "port")}
		})
		oneEach := rapid.SliceOfNDistinct(port, 1, 2, func(p said) string { return p.Service })
		sessions := rapid.SliceOfN(oneEach, 2, 6).Draw(r, "sessions")
		var ids []string
		last := map[string]string{}
		a, model, s := distilling(t, portsOf(rapid.Bool().Draw(r, "confirms")))
		model.Off.Store(true)
		a.Now = func() time.Time { return daemontest.Noon.AddDate(0, 1, 0) }
		for n, ports := range sessions {
			ids = append(ids, fmt.Sprintf("s%d", n))
			for _, p := range ports {
				last[p.Service] = p.fact()
			}
			live(t, a, s, sessionOfPorts(n, ports)...)
		}
		model.Off.Store(false)
		for _, id := range rapid.Permutation(ids).Draw(r, "order") {
			musttest.Get(a.Distiller.Distill(t.Context(), daemonapi.DistillParams{Session: id}))(r)
		}
		if got, want := standingFacts(t, a), slices.Sorted(maps.Values(last)); !slices.Equal(got, want) {
			r.Errorf("%q stand, want %q", got, want)
		}
	})
}

// What is said again after its correction holds again, whether the model confirms the older line or only ends the newer one.
func TestWhatIsSaidAgainAfterItsCorrectionHolds(t *testing.T) {
	for _, confirms := range []bool{true, false} {
		a, _, s := distilling(t, portsOf(confirms))
		a.Now = func() time.Time { return daemontest.Noon.AddDate(0, 1, 0) }
		for n, port := range []int{5001, 5002, 5001} {
			live(t, a, s, sessionOfPorts(n, []said{{"db", port}})...)
		}
		if got := standingFacts(t, a); !slices.Equal(got, []string{"The db port is 5001."}) {
			t.Errorf("confirmed: %t, %q stand", confirms, got)
		}
	}
}

// The queue, the backlog and what is caught up with go by the end of the sessions, whatever their ids and
// the order in which they were queued.
func TestSessionsAreDistilledInTheOrderInWhichTheyEnded(t *testing.T) {
	var asked []string
	a, model, s := distilling(t, func(q distill.Question) (distill.Reply, error) {
		asked = append(asked, portOf(q))
		return portsOf(false)(q)
	})
	model.Off.Store(true)
	a.Now = func() time.Time { return daemontest.Noon.AddDate(0, 1, 0) }
	want := []string{}
	for _, n := range []int{3, 1, 4, 0, 2} {
		events := sessionOfPorts(n, []said{{"db", 5000 + n}})
		for i := range events {
			events[i].Session = fmt.Sprintf("s%d", 9-n)
		}
		live(t, a, s, events...)
	}
	for n := range 5 {
		want = append(want, fmt.Sprint(5000+n))
	}
	estimate, err := a.Distiller.Estimate(t.Context(), daemonapi.DistillEstimateParams{Sessions: 3})
	if err != nil || !slices.Equal(estimate.Pending, []string{"s7", "s6", "s5"}) {
		t.Errorf("the backlog of the newest three is %q, %v", estimate.Pending, err)
	}
	model.Off.Store(false)
	workOff(t, a)
	if !slices.Equal(asked, want) {
		t.Errorf("asked about %q, want %q", asked, want)
	}
}

// A session whose answer failed is tried again before the younger sessions of its project.
func TestASessionThatFailedGoesBeforeTheYounger(t *testing.T) {
	fails := true
	var asked []string
	a, _, s := distilling(t, func(q distill.Question) (distill.Reply, error) {
		if fails {
			fails = false
			return distill.Reply{Text: []byte(`{"summ`)}, nil
		}
		asked = append(asked, portOf(q))
		return portsOf(false)(q)
	})
	now := daemontest.Noon.AddDate(0, 1, 0)
	a.Now = func() time.Time { return now }
	live(t, a, s, sessionOfPorts(0, []said{{"db", 5001}})...)
	live(t, a, s, sessionOfPorts(1, []said{{"db", 5002}})...)
	if len(asked) != 0 {
		t.Errorf("the younger one was asked about first: %q", asked)
	}
	now = now.Add(time.Hour)
	workOff(t, a)
	if want := []string{"5001", "5002"}; !slices.Equal(asked, want) {
		t.Errorf("asked about %q, want %q", asked, want)
	}
	if got := standingFacts(t, a); !slices.Equal(got, []string{"The db port is 5002."}) {
		t.Errorf("%q stand", got)
	}
}

// A todo that a session shows to be done is over without a fact in its place, unless it was said again later, and comes
// back when the run is undone.
func TestATodoThatIsDoneIsOver(t *testing.T) {
	const todo = "The oven is to be cleaned."
	a, _, s := distilling(t, func(q distill.Question) (distill.Reply, error) {
		_, session, _ := strings.Cut(q.Prompt, "<session>")
		if strings.Contains(session, "clean the oven") {
			return distill.Reply{Text: fmt.Appendf(nil, `{"summary":{"request":"x"},"facts":[{"text":%q,"kind":"todo","quotes":["clean the oven some day"]}],"ended":[]}`, todo)}, nil
		}
		return distill.Reply{Text: fmt.Appendf(nil, `{"summary":{"request":"x"},"facts":[],"ended":[{"line":%q,"quote":"the oven is clean now"}]}`, daemontest.ShownID(q, todo))}, nil
	})
	a.Now = func() time.Time { return daemontest.Noon.AddDate(0, 0, 1) }
	id := memory.NewID(memory.ScopeProject, "p", todo)
	say := func(n int, words string) {
		events := daemontest.Ended(fmt.Sprintf("s%d", n), words)
		for i := range events {
			events[i].At = events[i].At.Add(time.Duration(n) * time.Hour)
		}
		live(t, a, s, events...)
	}
	status := func() memory.Status { return daemontest.RowOf(t, a, id).Memory.Status }
	say(1, "somebody should clean the oven some day")
	say(5, "somebody must clean the oven some day, again")
	say(4, "the oven is clean now, thanks")
	musttest.Same(t, memory.StatusActive, status(), "said again later, the todo (-want +got)")
	say(6, "the oven is clean now, at last")
	if got := status(); got != memory.StatusArchived {
		t.Fatalf("the todo is %s", got)
	}
	for _, run := range musttest.Get(a.Store.Runs(t.Context(), memory.RunQuery{Limit: 20}))(t) {
		full, err := a.Store.Runs(t.Context(), memory.RunQuery{ID: run.ID})
		if err != nil || len(full) != 1 {
			t.Fatalf("%v: %+v", err, full)
		}
		if len(full[0].Actions) == 1 && full[0].Actions[0].Memory == id {
			musttest.Get(a.Upkeep.Undo(t.Context(), daemonapi.UndoParams{Run: run.ID, Trigger: "manual"}))(t)
		}
	}
	musttest.Same(t, memory.StatusActive, status(), "after the undo the todo (-want +got)")
}

// Of two facts that no model has related the younger alone stands in a start, and both wait for a verdict.
func TestFactsThatDifferInAValueWaitForAVerdict(t *testing.T) {
	a, _, s := distilling(t, func(q distill.Question) (distill.Reply, error) {
		_, session, _ := strings.Cut(q.Prompt, "<session>")
		return portsOf(false)(distill.Question{Prompt: "<session>" + session})
	})
	a.Now = func() time.Time { return daemontest.Noon.AddDate(0, 0, 30) }
	live(t, a, s, sessionOfPorts(1, []said{{"staging", 5433}})...)
	live(t, a, s, sessionOfPorts(2, []said{{"staging", 6544}})...)
	if got := standingFacts(t, a); len(got) != 2 {
		t.Fatalf("%q stand", got)
	}
	_, start, _ := strings.Cut(daemontest.StartOf(t, a, "s9"), "## Facts") // the user's own words stand above
	if !strings.Contains(start, "staging port is 6544") || strings.Contains(start, "staging port is 5433") {
		t.Errorf("the start is\n%s", start)
	}
}
