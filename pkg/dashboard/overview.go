package dashboard

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// overview is the data of the first page.
type overview struct {
	Glance  agentapi.Glance
	Active  int // memories that recall can find
	Latest  []memory.Memory
	Answers []liveItem // to sessions of this project, the latest first
	Runs    []memory.Run

	Census  agentapi.Census
	Kinds   []share // the most frequent first
	Scopes  []share
	Types   []share
	Growth  plot
	Budgets []budget
	Today   agentapi.FeedDay
	Times   []timing
}

// share is the number of memories of one kind, type or scope.
type share struct {
	Name string
	Rows int
}

// budget is the tokens of a scope and its budget.
type budget struct {
	Scope       memory.Scope
	Tokens, May int
}

// timing is how long something takes, in milliseconds: half and 95 of 100 were at most so
// long.
type timing struct {
	Name     string
	Count    int
	P50, P95 float64
}

// How much of each the first page shows.
const (
	shownLatest = 6
	shownRuns   = 6
)

func (p *pages) overview(v *visit) page {
	feed := ask(v, agentapi.MethodFeed, agentapi.FeedParams{})
	data := overview{
		Glance: ask(v, agentapi.MethodGlance, ""),
		Latest: ask(v, agentapi.MethodList, agentapi.ListParams{Project: v.project, Limit: shownLatest}).Memories,
		Runs:   ask(v, agentapi.MethodRuns, shownRuns), Census: ask(v, agentapi.MethodCensus, agentapi.OfProject{Project: v.project}),
		Answers: p.lately(v, feed.Items, shownLatest, func(item agentapi.FeedItem) bool {
			return item.Kind == agentapi.FeedInjected && item.Memories > 0 && item.Project == v.project
		}),
		Today: feed.Today, Times: timings(feed.Items),
	}
	data.Kinds, data.Scopes, data.Types = shares(data.Census.Kinds), shares(data.Census.Scopes), shares(data.Census.Types)
	for _, one := range data.Kinds {
		data.Active += one.Rows
	}
	data.Growth = growthPlot(data.Census.Days)
	data.Budgets = []budget{
		{memory.ScopeProject, data.Census.Tokens[memory.ScopeProject], p.Budgets.Project},
		{memory.ScopeUser, data.Census.Tokens[memory.ScopeUser], p.Budgets.User},
	}
	return page{"overview", "Overview", data}
}

func shares[K ~string](counts map[K]int) []share {
	var all []share
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, share{string(name), counts[name]})
	}
	slices.SortStableFunc(all, func(x, y share) int { return y.Rows - x.Rows })
	return all
}

// timings are how long the agent took to answer, by purpose, and how long the events of
// hooks waited until they were stored, of the items still in the feed.
func timings(items []agentapi.FeedItem) []timing {
	took := map[string][]float64{}
	for _, item := range items {
		if doing := map[string]string{agentapi.FeedInjected: "answer: ", agentapi.FeedCaptured: "stored: "}[item.Kind]; doing != "" {
			took[doing+item.Subject] = append(took[doing+item.Subject], item.TookMS)
		}
	}
	var all []timing
	for _, what := range slices.Sorted(maps.Keys(took)) {
		times := took[what]
		slices.Sort(times)
		all = append(all, timing{what, len(times), quantile(times, 0.5), quantile(times, 0.95)})
	}
	return all
}

// quantile is the value that a share of the sorted values does not exceed; there is at
// least one.
func quantile(sorted []float64, share float64) float64 {
	return sorted[max(int(math.Ceil(share*float64(len(sorted))))-1, 0)]
}

// growthPlot is how many of the active memories were known on each day.
func growthPlot(days []agentapi.CensusDay) plot {
	var at, known []float64
	total := 0
	for _, day := range days {
		date, err := time.Parse(time.DateOnly, day.Day)
		if err != nil {
			continue
		}
		total += day.Learned
		at, known = append(at, float64(date.Unix())), append(known, float64(total))
	}
	if len(at) < 2 {
		return plot{}
	}
	return plot{
		Title: "Active memories, by the day they were learned", Across: "day", Dates: true,
		Lines: []string{"memories"}, Values: [][]float64{at, known},
	}
}

// state is the data of how agent, engine, store and plugin are.
type state struct {
	agentapi.StatusResult
	Findings findings
	Wrong    []Finding
}

// state shows the state of agent, engine and store, and the findings of memory doctor.
// That takes a second or more, so it is a page of its own that the first page loads
// later.
func (p *pages) state(v *visit) page {
	data := state{StatusResult: ask(v, agentapi.MethodStatus, agentapi.None{})}
	if p.health != nil {
		chosen := memory.Project{Key: v.project}
		if at := slices.IndexFunc(v.projects, func(one memory.Project) bool { return one.Key == v.project }); at >= 0 {
			chosen = v.projects[at]
		}
		data.Findings = p.health.of(v.Context(), chosen)
		for _, f := range data.Findings.All {
			if f.Severity != "ok" {
				data.Wrong = append(data.Wrong, f)
			}
		}
	}
	return page{"state", "The agent", data}
}
