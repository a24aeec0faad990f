package policy_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy"
)

var today = time.Date(2026, 5, 20, 12, 0, 0, 0, time.UTC)

// now has clocks that are apart, as they are in life: they read 200, 120.5 (it is noon of a day with activity) and 40.
func now() policy.Now {
	return policy.Now{Time: today, Clocks: map[string]policy.Clock{"": days(200, today), "shop": days(121, today.AddDate(0, 0, 1)), "blog": days(40, today)}}
}

// days returns the clock of the n days before the day of a time.
func days(n int, before time.Time) (clock policy.Clock) {
	for day := range n {
		clock = append(clock, before.AddDate(0, 0, day-n).Format(time.DateOnly))
	}
	return clock
}

// usedOn returns the time at which a clock of now had a reading.
func usedOn(project string, reading float64) time.Time {
	first := today.Truncate(24*time.Hour).AddDate(0, 0, -map[string]int{"": 200, "shop": 120, "blog": 40}[project])
	return first.Add(time.Duration(reading * float64(24*time.Hour)))
}

// worked returns now after days with activity in a project, at the midnight after the last of them.
func worked(n policy.Now, project string, more int) policy.Now {
	n.Time = n.Time.Truncate(24*time.Hour).AddDate(0, 0, more)
	n.Clocks[project] = memory.Union(n.Clocks[project], days(more, n.Time))
	return n
}

// row is an active note of the shop project; changes adapt it to a test.
func row(id, content string, changes ...func(*memory.Row)) memory.Row {
	r := memory.Row{
		Memory: memory.Memory{
			ID: id, Project: "shop", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: memory.KindNote,
			Status: memory.StatusActive, Source: memory.SourceAssistant, Content: content, Importance: 0.6, TokenCount: 20,
			CreatedAt: today.AddDate(0, 0, -30), LastSeenAt: today.AddDate(0, 0, -10),
		},
		Sessions: 1, Projects: 1, UsedAt: usedOn("shop", 115),
	}
	for _, change := range changes {
		change(&r)
	}
	return r
}

func actionOf(p policy.Plan, id string) memory.Action {
	for _, action := range p.Actions {
		if action.Memory == id {
			return action
		}
	}
	return memory.Action{}
}

// planner is one of the plans that take rows alone.
type planner struct {
	name string
	plan func(policy.Now, policy.Limits, []memory.Row) policy.Plan
}

var planners = []planner{
	{"prune", func(n policy.Now, limits policy.Limits, rows []memory.Row) policy.Plan {
		return policy.Prune(n, limits, rows, nil)
	}},
	{"promote", func(_ policy.Now, _ policy.Limits, rows []memory.Row) policy.Plan { return policy.Promote(rows) }},
	{"dedup", func(_ policy.Now, _ policy.Limits, rows []memory.Row) policy.Plan { return policy.Dedup(rows) }},
}

// sampleTexts are texts of which many are near others: rewordings, other numbers, other places, negations.
var sampleTexts = []string{
	"The API server listens on port 8080.", "The API server listens on port 9090.", "the api server listens on port 8080",
	"Never commit generated files to the repository.", "Commit generated files to the repository.", "Generated files are never committed to the repo.",
	"The migrations live in db/migrations.", "The migrations live in internal/migrations.", "Run the linter before each commit.",
	"Always run the linter before committing.", "Run the linter after each commit.", "The user prefers short answers.",
	"Request timeout of the gateway is 30 seconds and it retries 3 times on a connection error.",
	"Request timeout of the gateway is 30 seconds, and it retries three times on connection errors.",
	"Request timeout of the gateway is 45 seconds and it retries 3 times on a connection error.",
	"Please note that the request time-out of the gateway is 30 seconds and it retries 3 times on a connection error.",
	"each commit gets a `Report-Id` trailer", "we don't have `Report-Id` anymore", "use pnpm instead of npm", "we use npm for all installs", "we use pnpm",
	"Kafka messages are encoded with Avro.", "x", "", "7",
	// Each is like its neighbour, the first is not like the last.
	"alpha bravo charlie delta echo foxtrot", "alpha bravo charlie delta echo foxtrot golf", "alpha bravo charlie delta echo foxtrot golf hotel",
	"alpha bravo charlie delta echo foxtrot 1", "alpha bravo charlie delta echo foxtrot golf 2", "alpha bravo charlie delta echo foxtrot golf hotel 3",
}

// rows draws stores: consistent, small, and full of coincidences.
func rows(t *rapid.T) []memory.Row {
	count := rapid.IntRange(0, 24).Draw(t, "rows")
	drawn := make([]memory.Row, count)
	for i := range drawn {
		drawn[i] = drawRow(t, fmt.Sprintf("m%02d", i))
	}
	for i := range drawn {
		if i > 0 && rapid.IntRange(0, 4).Draw(t, "superseded") == 0 {
			drawn[i].SupersededBy = drawn[rapid.IntRange(0, i-1).Draw(t, "by")].Memory.ID
		}
	}
	return drawn
}

func drawRow(t *rapid.T, id string) memory.Row {
	r := row(id, rapid.SampledFrom(sampleTexts).Draw(t, "text"))
	m := &r.Memory
	m.Scope = rapid.SampledFrom([]memory.Scope{memory.ScopeProject, memory.ScopeProject, memory.ScopeUser}).Draw(t, "scope")
	m.Project = rapid.SampledFrom([]string{"shop", "blog"}).Draw(t, "project")
	if m.Scope == memory.ScopeUser {
		m.Project = ""
	}
	m.Type = rapid.SampledFrom([]memory.Type{memory.TypeEpisodic, memory.TypeSemantic, memory.TypeProcedural}).Draw(t, "type")
	m.Kind = rapid.SampledFrom([]memory.Kind{memory.KindNote, memory.KindNote, memory.KindConvention, memory.KindCorrection, memory.KindFix, memory.KindDecision, memory.KindTodo, memory.KindDiscovery}).Draw(t, "kind")
	m.Source = rapid.SampledFrom([]memory.Source{"", memory.SourceTool, memory.SourceImport, memory.SourceAssistant, memory.SourceUser}).Draw(t, "source")
	m.Status = rapid.SampledFrom([]memory.Status{memory.StatusActive, memory.StatusActive, memory.StatusActive, memory.StatusArchived, memory.StatusConsolidated}).Draw(t, "status")
	m.Importance = rapid.SampledFrom([]float64{0, 0.05, 0.29, 0.3, 0.49, 0.5, 0.69, 0.7, 0.9, 1}).Draw(t, "importance")
	m.Pinned = rapid.IntRange(0, 9).Draw(t, "pinned") == 0
	m.Title = rapid.SampledFrom([]string{"", "", "Exports join the account", "Exports never join the account", "Retry limit is 3", "Retry limit is 5"}).Draw(t, "title")
	m.Area = rapid.SampledFrom([]string{"", "exports"}).Draw(t, "area")
	m.TokenCount = rapid.SampledFrom([]int{0, 20, 30_000, 80_000}).Draw(t, "tokens")
	m.LastSeenAt = today.AddDate(0, 0, -rapid.IntRange(0, 9).Draw(t, "seen"))
	m.CreatedAt = m.LastSeenAt.AddDate(0, 0, -rapid.IntRange(0, 9).Draw(t, "made"))
	m.Tags = rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 2).Draw(t, "tags")
	r.Uses = rapid.SampledFrom([]int{0, 0, 1, 2, 3, 5, 80}).Draw(t, "uses")
	r.Sessions = rapid.IntRange(0, 3).Draw(t, "sessions")
	r.Projects = rapid.IntRange(0, 2).Draw(t, "projects")
	r.UsedAt = today.Add(-time.Duration(rapid.IntRange(-200, 3000).Draw(t, "used")) * time.Hour)
	r.UserWritten = rapid.IntRange(0, 5).Draw(t, "written") == 0
	r.Exempt = rapid.IntRange(0, 9).Draw(t, "exempt") == 0
	if m.Status == memory.StatusConsolidated {
		r.MergedInto = "elsewhere"
	}
	if m.Status == memory.StatusArchived {
		r.RetiredAt = today.Add(-time.Duration(rapid.IntRange(0, 2000).Draw(t, "retired")) * time.Hour)
	}
	return r
}

// ids of rows, in their order.
func ids(rows []memory.Row) []string {
	made := make([]string, len(rows))
	for i, r := range rows {
		made[i] = r.Memory.ID
	}
	return made
}

func byID(rows []memory.Row) map[string]memory.Row {
	made := map[string]memory.Row{}
	for _, r := range rows {
		made[r.Memory.ID] = r
	}
	return made
}

func inSight(r memory.Row) bool { return r.Memory.Status == memory.StatusActive }

// describe writes a plan the way a person reads it.
func describe(before []memory.Row, p policy.Plan) string {
	var out strings.Builder
	for _, action := range p.Actions {
		fmt.Fprintf(&out, "%s %s: %s\n", action.Kind, action.Memory, action.Reason)
		old, changed := fields(action.Before), fields(action.After)
		for _, name := range action.After.Changed(action.Before) {
			fmt.Fprintf(&out, "    %s: %s -> %s\n", name, old[name], changed[name])
		}
	}
	for _, note := range p.Notes {
		fmt.Fprintf(&out, "note: %s\n", note)
	}
	fmt.Fprintf(&out, "%d rows, %d actions\n", len(before), len(p.Actions))
	return out.String()
}

func fields(s memory.State) map[string]string {
	at := func(t time.Time) string {
		if t.IsZero() {
			return "never"
		}
		return t.Format(time.RFC3339)
	}
	return map[string]string{
		"project": fmt.Sprintf("%q", s.Project), "scope": string(s.Scope), "status": string(s.Status), "content": fmt.Sprintf("%q", s.Content),
		"detail": fmt.Sprintf("%q", s.Detail), "tags": fmt.Sprint(s.Tags), "cues": fmt.Sprintf("%q", s.Cues), "everywhere": fmt.Sprint(s.Everywhere), "importance": fmt.Sprint(s.Importance),
		"created_at": at(s.CreatedAt), "last_seen_at": at(s.LastSeenAt),
		"uses": fmt.Sprint(s.Uses), "sessions": fmt.Sprint(s.Sessions), "projects": fmt.Sprint(s.Projects), "used_at": at(s.UsedAt),
		"retired_at": at(s.RetiredAt), "superseded_by": fmt.Sprintf("%q", s.SupersededBy), "merged_into": fmt.Sprintf("%q", s.MergedInto),
		"derived_from": strings.Join(slices.Clone(s.DerivedFrom), " "),
	}
}
