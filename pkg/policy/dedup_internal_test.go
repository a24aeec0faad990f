package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy/rules"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/statement"
)

// pairwise is Dedup by its plain rule: each row is compared with each that shares a key with it, and both are parsed
// again for each comparison.
func pairwise(rows []Row) Plan {
	d := dedup{draft: newDraft(rows)}
	var considered []Row
	for _, row := range rows {
		if row.alive() && row.Memory.Kind.Searchable() {
			considered = append(considered, row)
		}
	}
	for _, survivor := range slices.SortedFunc(slices.Values(considered), better) {
		if now, _ := d.row(survivor.Memory.ID); !now.alive() || survivor.Exempt {
			continue
		}
		var others []Row
		for _, other := range slices.SortedFunc(slices.Values(considered), better) {
			now, _ := d.row(other.Memory.ID)
			if better(survivor, other) < 0 && now.alive() && !other.Memory.Pinned && !other.Exempt && plainlySame(survivor, other) != "" {
				others = append(others, other)
			}
		}
		if len(others) > 0 {
			d.mergeInto(survivor, others, func(other Row) string { return plainlySame(survivor, other) })
		}
	}
	d.reinstate(considered)
	facts := slices.DeleteFunc(d.current(considered), func(row Row) bool { return row.Memory.Kind == memory.KindFailure })
	slices.SortFunc(facts, newer)
	for i, by := range facts {
		for _, old := range facts[i+1:] {
			byNow, _ := d.row(by.Memory.ID)
			oldNow, _ := d.row(old.Memory.ID)
			if byNow.SupersededBy != "" || oldNow.SupersededBy != "" || !old.correctable(by) {
				continue
			}
			if why := plainlyCorrects(by, old); why != "" {
				s := old.State()
				s.SupersededBy = by.Memory.ID
				d.change(KindSupersede, old.With(s), "corrected by the newer "+by.Memory.ID+": "+why)
				d.inherit(by, old)
			}
		}
	}
	return d.plan()
}

func plainlySame(a, b Row) string {
	if a.Memory.IsFact() != b.Memory.IsFact() {
		return ""
	}
	x, y := statement.Parse(a.Memory.Content), statement.Parse(b.Memory.Content)
	plain := intersect(a.plainKeys(), b.plainKeys())
	if !plain && (!intersect(x.Keys(a.group()), y.Keys(b.group())) || !slices.Equal(x.Values(), y.Values())) {
		return ""
	}
	if c := statement.Parse(a.Memory.Content).Compare(statement.Parse(b.Memory.Content)); c.Relation == statement.Duplicate {
		return c.Reason
	}
	if a.sentence() && b.sentence() && (plain || x.Similarity(y) >= nearlySimilar) && statement.Read(a.Memory.Content).Same(statement.Read(b.Memory.Content)) {
		return "the words differ only in spaces, hyphens or words without meaning"
	}
	return ""
}

func plainlyCorrects(by, old Row) string {
	if statement.Read(by.Memory.Content).Adds() {
		return ""
	}
	mayReword := !old.UserWritten || by.UserWritten
	x, y := statement.Parse(by.Memory.Content), statement.Parse(old.Memory.Content)
	if mayReword && by.group() == old.group() && intersect(x.Keys(by.group()), y.Keys(old.group())) {
		if c := statement.Parse(by.Memory.Content).Compare(statement.Parse(old.Memory.Content)); c.Relation == statement.Update {
			return c.Reason
		}
	}
	if mayReword && old.Memory.IsConclusion() && old.Memory.Source != memory.SourceUser && intersect(by.rejectedKeys(), old.plainKeys()) {
		return "the user rejected it"
	}
	if intersect(by.subjectKeys(), old.subjectKeys()) && (mayReword || statement.Read(by.Memory.Content).RetiresValue()) {
		if is, why := statement.Read(by.Memory.Content).Supersedes(statement.Read(old.Memory.Content)); is {
			return why
		}
	}
	return ""
}

var formNow = Now{Time: time.Date(2026, 5, 20, 12, 0, 0, 0, time.UTC), ActiveDays: map[string]float64{"": 10, "shop": 10}}

func rowOf(id, text string, at time.Time) Row {
	return Row{
		Memory: memory.Memory{
			ID: id, Project: "shop", Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: memory.KindConvention, Status: memory.StatusActive,
			Source: memory.SourceUser, Content: text, Importance: 0.6, TokenCount: 20, TokenEncoding: "o200k_base", CreatedAt: at, LastSeenAt: at,
		},
		Home: "shop", Sessions: 1, Projects: 1, UsedOn: 5,
	}
}

// Where no key is crowded, the plan is that of the plain rule.
func TestDedupIsThePairwiseRule(t *testing.T) {
	forms := []string{
		"the port of service %d is %d", "the worker of region %d answers on port %d after a restart", "please note that the worker of region %d answers on port %d after a restart",
		"the api listens on %d", "the api listens on %d now, not on %d anymore", "the time-out of the gateway is %d seconds", "the timeout of the gateway is %d seconds",
		"never deploy on day %d", "deploy on day %d", "we use npm for step %d", "we don't have npm anymore", "use pnpm instead of npm", "no, wrong", "migrations live in db/v%d",
	}
	merged, corrected := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		var rows []Row
		for i := range rapid.IntRange(2, 30).Draw(t, "rows") {
			text := rapid.SampledFrom(forms).Draw(t, "form")
			var values []any
			for range strings.Count(text, "%d") {
				values = append(values, rapid.IntRange(1, 3).Draw(t, "value"))
			}
			row := rowOf(fmt.Sprintf("m%02d", i), fmt.Sprintf(text, values...), formNow.Time.Add(-time.Duration(rapid.IntRange(1, 50).Draw(t, "hours"))*time.Hour))
			row.UserWritten, row.Exempt, row.Memory.Pinned = rapid.IntRange(0, 3).Draw(t, "written") == 0, rapid.IntRange(0, 9).Draw(t, "exempt") == 0, rapid.IntRange(0, 9).Draw(t, "pinned") == 0
			row.Memory.Kind = rapid.SampledFrom([]memory.Kind{memory.KindConvention, memory.KindNote, memory.KindFailure, memory.KindDiscovery, memory.KindCorrection}).Draw(t, "kind")
			row.Memory.Source = rapid.SampledFrom([]memory.Source{memory.SourceUser, memory.SourceUser, memory.SourceAssistant}).Draw(t, "source")
			if i > 0 && rapid.IntRange(0, 5).Draw(t, "superseded") == 0 {
				row.SupersededBy = rows[rapid.IntRange(0, i-1).Draw(t, "by")].Memory.ID
			}
			rows = append(rows, row)
		}
		got, err := Dedup(formNow, rows)
		if err != nil {
			t.Fatal(err)
		}
		want := pairwise(rows)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("-pairwise +Dedup:\n%s", diff)
		}
		for _, a := range got.Actions {
			switch a.Kind {
			case KindMerge:
				merged++
			case KindSupersede:
				corrected++
			}
		}
	})
	if merged == 0 || corrected == 0 {
		t.Errorf("%d merges, %d corrections: nothing was compared", merged, corrected)
	}
}

func ofOneForm(n int, form string) []Row {
	rows := make([]Row, n)
	for i := range rows {
		rows[i] = rowOf(fmt.Sprintf("m%06d", i), fmt.Sprintf(form, i), formNow.Time.Add(-time.Duration(i)*time.Second))
	}
	return rows
}

// The work for rows that are alike grows as their number does, and not as its square.
func TestRowsOfOneFormCostAsMuchAsOthers(t *testing.T) {
	for _, form := range []string{
		"the port of service %d is 6543",                       // two words: nothing is compared further
		"`svc-%d` listens on port 6543, never on another",      // names differ
		"use pnpm for step %d",                                 // a subject is shared
		"the worker of region x%d answers port 80 after start", // other words
	} {
		work := func(n int) float64 {
			rows := ofOneForm(n, form)
			return testing.AllocsPerRun(1, func() {
				if _, err := Dedup(formNow, rows); err != nil {
					t.Fatal(err)
				}
			})
		}
		few, many := work(200), work(800)
		if many > 6*few {
			t.Errorf("%q: 800 rows make %.0f allocations, %.1f times those of 200", form, many, many/few)
		}
	}
}

// A row is found among many of one form by its rarest key, and the plan notes that it did not compare all.
func TestACrowdIsCutWithANote(t *testing.T) {
	rows := ofOneForm(8*rules.MostCandidates, "never start `pnpm` from lib/part%d.go")
	plan, err := Dedup(formNow, rows)
	if err != nil || len(plan.Notes) != 1 {
		t.Fatalf("notes of a crowd: %q, %v", plan.Notes, err)
	}
	last := rows[len(rows)-1].Memory
	again := rowOf("again", "please "+last.Content, formNow.Time)
	plan, err = Dedup(formNow, append(rows, again))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(plan.Actions, func(a memory.Action) bool {
		return a.After.MergedInto != "" && (a.Memory == last.ID || a.Memory == "again")
	}) {
		t.Errorf("the duplicate of the oldest was not found: %v", plan.Actions)
	}
	plan, err = Dedup(formNow, ofOneForm(rules.MostCandidates/2, "never start `pnpm` from lib/part%d.go"))
	if err != nil || len(plan.Notes) != 0 {
		t.Errorf("notes of a few: %q, %v", plan.Notes, err)
	}
}

// BenchmarkDedupOfOneForm plans for 100,000 rows, as pages of a run do: 1,000 at a time.
func BenchmarkDedupOfOneForm(b *testing.B) {
	rows := ofOneForm(100_000, "the worker of region x%d answers port 80 after start")
	for b.Loop() {
		for page := range slices.Chunk(rows, 1000) {
			if _, err := Dedup(formNow, page); err != nil {
				b.Fatal(err)
			}
		}
	}
}
