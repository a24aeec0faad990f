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
	episodes []policy.Episode
	at       time.Time
}

func (d *diary) add(session string, e policy.Episode) {
	if d.at.IsZero() {
		d.at = today.AddDate(0, 0, -20)
	}
	d.at = d.at.Add(time.Minute)
	e.ID, e.Session, e.Project, e.At = fmt.Sprintf("e%02d", len(d.episodes)), session, "shop", d.at
	if e.Memory == "" {
		e.Memory = strings.ReplaceAll(string(e.Outcome)+"-"+e.Command+e.File, " ", "-")
	}
	d.episodes = append(d.episodes, e)
}

func (d *diary) failed(session, command, problem string) {
	d.add(session, policy.Episode{Outcome: policy.Failed, Command: command, Problem: problem})
}

func (d *diary) succeeded(session, command string) {
	d.add(session, policy.Episode{Outcome: policy.Succeeded, Command: command})
}

func (d *diary) edited(session string, files ...string) {
	for _, file := range files {
		d.add(session, policy.Episode{Outcome: policy.Edited, File: file})
	}
}

func (d *diary) nextDay() { d.at = d.at.AddDate(0, 0, 1) }

// threeDays has one of everything that Repeats looks for.
func threeDays() []policy.Episode {
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
			switch rapid.SampledFrom([]policy.Outcome{policy.Failed, policy.Succeeded, policy.Edited}).Draw(t, "outcome") {
			case policy.Failed:
				d.failed(session, command, rapid.SampledFrom([]string{"", "no space", "no such file"}).Draw(t, "problem"))
			case policy.Succeeded:
				d.succeeded(session, command)
			case policy.Edited:
				d.edited(session, rapid.SampledFrom([]string{"a.go", "b.go", "c.go", "d.go"}).Draw(t, "file"))
			}
		}
		first, err := policy.Repeats(now(), d.episodes, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, fact := range first.Facts {
			if !slices.IsSorted(fact.Sources) || len(fact.Sources) == 0 || !slices.Equal(fact.Sources, fact.Row.DerivedFrom) {
				t.Fatalf("sources %v, derived from %v", fact.Sources, fact.Row.DerivedFrom)
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
		if len(again.Actions)+len(again.Facts) > 0 {
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
	if p := mustPlan(t)(policy.Repeats(now(), d.episodes, nil)); len(p.Facts) > 0 {
		t.Errorf("two of each:\n%s", describe(nil, p))
	}
}

// A command that fails otherwise in each session fails because of what is being worked on.
func TestFailuresOfTheWorkItselfMakeNoFact(t *testing.T) {
	var d diary
	for session, name := range map[string]string{"s1": "parse", "s2": "render", "s3": "close"} {
		d.failed(session, "go test ./...", "undefined: "+name)
		d.failed(session, "go test ./...", "undefined: "+name)
	}
	if p := mustPlan(t)(policy.Repeats(now(), d.episodes, nil)); len(p.Facts) > 0 {
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
	if p := mustPlan(t)(policy.Repeats(now(), d.episodes, nil)); len(p.Facts) > 0 {
		t.Errorf("a rename over the whole tree:\n%s", describe(nil, p))
	}
}

// New evidence updates a fact in place, and brings it back from the archive, but
// not what was merged, forgotten, or seen as late already.
func TestNewEvidenceUpdatesAFact(t *testing.T) {
	var d diary
	for _, session := range []string{"s1", "s2", "s3"} {
		d.failed(session, "make", "no rule")
	}
	first := mustPlan(t)(policy.Repeats(now(), d.episodes, nil))
	if len(first.Facts) != 1 {
		t.Fatalf("%d facts", len(first.Facts))
	}
	known := first.Facts[0].Row
	known.Memory.TokenCount, known.Memory.TokenEncoding = 30, "o200k_base"
	d.failed("s4", "make", "no rule")

	for _, test := range []struct {
		status memory.Status
		kept   bool
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
		r.Kept = test.kept
		r.Memory.Status, r.MergedInto = test.status, map[bool]string{true: "elsewhere"}[test.status == memory.StatusConsolidated]
		p := mustPlan(t)(policy.Repeats(now(), d.episodes, []policy.Row{r}))
		if len(p.Facts) > 0 || (len(p.Actions) == 1) != test.want {
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

// A selection that ends before what a fact rests on must not take it back.
func TestOlderEvidenceChangesNothing(t *testing.T) {
	var d diary
	for _, session := range []string{"s1", "s2", "s3", "s4"} {
		d.failed(session, "make", "no rule")
	}
	known := []policy.Row{mustPlan(t)(policy.Repeats(now(), d.episodes, nil)).Facts[0].Row}
	if p := mustPlan(t)(policy.Repeats(now(), d.episodes[:3], known)); len(p.Actions)+len(p.Facts) > 0 {
		t.Errorf("three of four failures:\n%s", describe(known, p))
	}
}

func TestRepeatsRefusesInconsistentEpisodes(t *testing.T) {
	good := policy.Episode{ID: "e", Memory: "m", Project: "shop", Session: "s", At: today, Outcome: policy.Failed, Command: "make"}
	for says, change := range map[string]func(*policy.Episode){
		"has no id":                    func(e *policy.Episode) { e.ID = "" },
		"or time":                      func(e *policy.Episode) { e.At = time.Time{} },
		"project, session":             func(e *policy.Episode) { e.Session = "" },
		"memory":                       func(e *policy.Episode) { e.Memory = "" },
		"active days are not given":    func(e *policy.Episode) { e.Project = "other" },
		"ran no command":               func(e *policy.Episode) { e.Command = " " },
		"edited no file":               func(e *policy.Episode) { e.Outcome = policy.Edited },
		`has an unknown outcome "odd"`: func(e *policy.Episode) { e.Outcome = "odd" },
	} {
		bad := good
		change(&bad)
		_, err := policy.Repeats(now(), []policy.Episode{bad}, nil)
		if !errors.Is(err, policy.ErrInconsistent) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want one that says %q", err, says)
		}
	}
	_, err := policy.Repeats(now(), []policy.Episode{good, good}, nil)
	if !errors.Is(err, policy.ErrInconsistent) || !strings.Contains(err.Error(), "is there twice") {
		t.Errorf("an episode twice: %v", err)
	}
}
