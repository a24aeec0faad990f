package policy_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/policy"
)

// diary writes episodes of the shop project, one a minute.
type diary struct {
	episodes []memory.Activity
	at       time.Time
}

func (d *diary) add(session string, e memory.Activity) {
	if d.at.IsZero() {
		d.at = today.AddDate(0, 0, -20)
	}
	d.at = d.at.Add(time.Minute)
	e.ID, e.Session, e.Project, e.At = fmt.Sprintf("e%02d", len(d.episodes)), session, "shop", d.at
	if e.Memory == "" {
		e.Memory = strings.ReplaceAll(episodeName(e.Kind)+"-"+e.Command+e.File, " ", "-")
	}
	d.episodes = append(d.episodes, e)
}

func (d *diary) failed(session, command, problem string) {
	d.add(session, memory.Activity{Kind: memory.KindFailure, Command: command, Detail: problem})
}

func (d *diary) succeeded(session, command string) {
	d.add(session, memory.Activity{Kind: memory.KindCommand, Command: command})
}

func (d *diary) edited(session string, files ...string) {
	for _, file := range files {
		d.add(session, memory.Activity{Kind: memory.KindEdit, File: file})
	}
}

func (d *diary) nextDay() { d.at = d.at.AddDate(0, 0, 1) }

// threeDays has one of everything that Repeats looks for.
func threeDays() []memory.Activity {
	var d diary
	d.failed("s1", "make migrate", "connection refused")
	d.edited("s1", "compose.yaml")
	d.succeeded("s1", "make migrate")
	d.edited("s1", "schema/orders.sql", "migrations/001.sql", "src/orders.ts")
	d.nextDay()
	d.failed("s2", "make  migrate", "connection refused")
	d.failed("s2", "npm test", "2 tests failed")
	d.failed("s2", "make migrate", "relation orders exists")
	d.edited("s2", "migrations/002.sql", "schema/orders.sql", "README.md")
	d.succeeded("s2", "make migrate")
	d.succeeded("s2", "npm test")
	d.nextDay()
	d.edited("s3", "schema/orders.sql", "migrations/003.sql", "src/orders.ts", "migrations/002.sql")
	d.failed("s3", "npm test", "")
	d.succeeded("s3", "npm test") // without an edit: nothing was fixed
	d.edited("s3", "migrations/001.sql")
	d.nextDay()
	d.edited("s4", "schema/orders.sql", "migrations/001.sql", "migrations/002.sql")
	return d.episodes
}

func TestGoldenRepeats(t *testing.T) {
	golden(t, "repeats", describe(nil, mustPlan(t)(policy.Repeats(now(), threeDays(), nil))))
}

func TestRepeatsIsItsOwnFixpointAndForgetsNoOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d diary
		for range rapid.IntRange(0, 60).Draw(t, "episodes") {
			session := rapid.SampledFrom([]string{"s1", "s2", "s3", "s4"}).Draw(t, "session")
			command := rapid.SampledFrom([]string{"make", "npm test"}).Draw(t, "command")
			switch rapid.SampledFrom([]memory.Kind{memory.KindFailure, memory.KindCommand, memory.KindEdit}).Draw(t, "outcome") {
			case memory.KindFailure:
				d.failed(session, command, rapid.SampledFrom([]string{"", "no space", "no such file"}).Draw(t, "problem"))
			case memory.KindCommand:
				d.succeeded(session, command)
			case memory.KindEdit:
				d.edited(session, rapid.SampledFrom([]string{"a.go", "b.go", "c.go", "d.go"}).Draw(t, "file"))
			}
		}
		first, err := policy.Repeats(now(), d.episodes, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, fact := range factsOf(first) {
			if !slices.IsSorted(fact.Row.DerivedFrom) || len(fact.Row.DerivedFrom) == 0 {
				t.Fatalf("derived from %v", fact.Row.DerivedFrom)
			}
		}
		shuffled := rapid.Permutation(d.episodes).Draw(t, "shuffled")
		other, err := policy.Repeats(now(), shuffled, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(first, other) {
			t.Fatalf("one order:\n%s\nanother:\n%s", describe(nil, first), describe(nil, other))
		}
		known, err := policy.Apply(nil, first)
		if err != nil {
			t.Fatal(err)
		}
		again, err := policy.Repeats(now(), d.episodes, known)
		if err != nil {
			t.Fatal(err)
		}
		if len(again.Actions) > 0 {
			t.Fatalf("the second time:\n%s", describe(known, again))
		}
	})
}

func TestTwoEpisodesMakeNoFact(t *testing.T) {
	var d diary
	d.failed("s1", "make", "no rule")
	d.failed("s2", "make", "no rule")
	d.succeeded("s2", "make")
	d.edited("s1", "a.go", "b.go")
	d.edited("s2", "a.go", "b.go")
	if p := mustPlan(t)(policy.Repeats(now(), d.episodes, nil)); len(factsOf(p)) > 0 {
		t.Errorf("two of each:\n%s", describe(nil, p))
	}
}

// A command that fails differently in each session fails because of the work in progress.
func TestFailuresOfTheWorkItselfMakeNoFact(t *testing.T) {
	var d diary
	for session, name := range map[string]string{"s1": "parse", "s2": "render", "s3": "close"} {
		d.failed(session, "go test ./...", "undefined: "+name)
		d.failed(session, "go test ./...", "undefined: "+name)
	}
	if p := mustPlan(t)(policy.Repeats(now(), d.episodes, nil)); len(factsOf(p)) > 0 {
		t.Errorf("six failures:\n%s", describe(nil, p))
	}
}

func TestFilesOfHugeChangesBelongToNothing(t *testing.T) {
	var d diary
	for _, session := range []string{"s1", "s2", "s3"} {
		for i := range 31 {
			d.edited(session, fmt.Sprintf("f%d.go", i))
		}
	}
	if p := mustPlan(t)(policy.Repeats(now(), d.episodes, nil)); len(factsOf(p)) > 0 {
		t.Errorf("a rename over the whole tree:\n%s", describe(nil, p))
	}
}

// New evidence updates a fact in place, and brings it back from the archive, but
// not one that was merged, forgotten, or seen as late already.
func TestNewEvidenceUpdatesAFact(t *testing.T) {
	var d diary
	for _, session := range []string{"s1", "s2", "s3"} {
		d.failed(session, "make", "no rule")
	}
	first := mustPlan(t)(policy.Repeats(now(), d.episodes, nil))
	if len(factsOf(first)) != 1 {
		t.Fatalf("%d facts", len(factsOf(first)))
	}
	known := policy.Row(*factsOf(first)[0].Row)
	known.Memory.TokenCount, known.Memory.TokenEncoding = 30, "o200k_base"
	d.failed("s4", "make", "no rule")

	for _, test := range []struct {
		status memory.Status
		exempt bool
		want   bool
	}{
		{memory.StatusActive, false, true},
		{memory.StatusArchived, false, true},
		{memory.StatusForgotten, false, false},
		{memory.StatusConsolidated, false, false},
		{memory.StatusActive, true, false},
		{memory.StatusArchived, true, false},
	} {
		r := known
		r.Exempt = test.exempt
		r.Memory.Status, r.MergedInto = test.status, map[bool]string{true: "elsewhere"}[test.status == memory.StatusConsolidated]
		p := mustPlan(t)(policy.Repeats(now(), d.episodes, []policy.Row{r}))
		if len(factsOf(p)) > 0 || (len(p.Actions) == 1) != test.want {
			t.Errorf("%s:\n%s", test.status, describe([]policy.Row{r}, p))
			continue
		}
		if !test.want {
			continue
		}
		after := p.Actions[0].After
		if after.Status != memory.StatusActive || !strings.Contains(after.Content, "4 times in 4 sessions") || after.TokenEncoding != "" || after.Uses != 0 || after.Sessions != 4 {
			t.Errorf("%s: %+v", test.status, after)
		}
	}
}

// A selection that ends before the evidence of a fact must not retract it.
func TestOlderEvidenceChangesNothing(t *testing.T) {
	var d diary
	for _, session := range []string{"s1", "s2", "s3", "s4"} {
		d.failed(session, "make", "no rule")
	}
	known := []policy.Row{policy.Row(*factsOf(mustPlan(t)(policy.Repeats(now(), d.episodes, nil)))[0].Row)}
	if p := mustPlan(t)(policy.Repeats(now(), d.episodes[:3], known)); len(p.Actions) > 0 {
		t.Errorf("three of four failures:\n%s", describe(known, p))
	}
}

// Nothing is learned from an incomplete event; one that contradicts others is refused.
func TestRepeatsOfIncompleteEvents(t *testing.T) {
	event := func(i int, change func(*memory.Activity)) memory.Activity {
		e := memory.Activity{ID: fmt.Sprint("e", i), Memory: "m", Project: "shop", Session: fmt.Sprint("s", i), At: today, Kind: memory.KindFailure, Command: "make"}
		change(&e)
		return e
	}
	for name, change := range map[string]func(*memory.Activity){
		"no id":         func(e *memory.Activity) { e.ID = "" },
		"no time":       func(e *memory.Activity) { e.At = time.Time{} },
		"no session":    func(e *memory.Activity) { e.Session = "" },
		"no project":    func(e *memory.Activity) { e.Project = "" },
		"no memory":     func(e *memory.Activity) { e.Memory = "" },
		"no command":    func(e *memory.Activity) { e.Command = " " },
		"no file":       func(e *memory.Activity) { e.Kind = memory.KindEdit },
		"no such thing": func(e *memory.Activity) { e.Kind = "odd" },
	} {
		if p := mustPlan(t)(policy.Repeats(now(), []memory.Activity{event(1, change), event(2, change), event(3, change)}, nil)); len(p.Actions) > 0 {
			t.Errorf("%s:\n%s", name, describe(nil, p))
		}
	}
	good := event(1, func(*memory.Activity) {})
	for name, events := range map[string][]memory.Activity{
		"is there twice":            {good, good},
		"active days are not given": {event(1, func(e *memory.Activity) { e.Project = "other" })},
	} {
		_, err := policy.Repeats(now(), events, nil)
		if !errors.Is(err, policy.ErrInconsistent) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// factsOf are the actions of a plan that make rows.
func factsOf(p policy.Plan) []memory.Action {
	var facts []memory.Action
	for _, a := range p.Actions {
		if a.Row != nil {
			facts = append(facts, a)
		}
	}
	return facts
}

// episodeName is the kind of an activity in the golden file.
func episodeName(kind memory.Kind) string {
	return map[memory.Kind]string{memory.KindFailure: "failed", memory.KindCommand: "succeeded", memory.KindEdit: "edited"}[kind]
}
