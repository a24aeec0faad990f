package consolidate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/statement"
)

// outcomes is the state at the end of the year.
type outcomes struct {
	rows map[string]memory.Row
}

// plant decides which memories are planted, with their expected outcome.
func (p *planner) plant(t *testing.T) {
	const week = 7 * 24 * time.Hour
	for _, often := range []struct {
		name  string
		every time.Duration
	}{{"used weekly", week}, {"used fortnightly", 2 * week}, {"used monthly", 4 * week}} {
		p.group(often.name, stays, p.remarks(9, day(10, 1), func(i int, m *planted) {
			m.every = often.every
			if i%3 == 0 {
				m.mentions[0].kind = memory.KindConvention
			}
		}))
	}
	p.group("used once, not asserted", whatever, p.remarks(9, day(9, 1), func(_ int, m *planted) { m.every, m.once = week, true }))
	p.group("never used", goes, p.remarks(24, day(8, 20), func(int, *planted) {}))
	p.group("never used, written by the user", stays, p.remarks(9, day(9, 1), func(_ int, m *planted) { m.mentions[0].byUser = true }))
	p.group("never used, decisions", stays, p.remarks(9, day(9, 1), func(_ int, m *planted) { m.mentions[0].kind = memory.KindDecision }))
	p.group("never used, open todos", stays, p.remarks(9, day(9, 1), func(_ int, m *planted) { m.mentions[0].kind = memory.KindTodo }))
	p.group("repeated in the same words", oneRow, p.remarks(9, day(10, 1), func(i int, m *planted) {
		again := m.mentions[0]
		again.at = again.at.AddDate(0, 0, 4+i)
		m.mentions = append(m.mentions, again)
	}))
	p.labelled(t)
	p.group("preferences stated in two projects, used", promoted, p.inTwoProjects(preferences, memory.KindPreference, 2*week))
	p.group("preferences stated once, never used", goes, p.passing(40))
	p.group("conventions stated in two projects, used", promoted, p.inTwoProjects(conventions, memory.KindConvention, week))
	p.group("conventions stated in two projects, never used", notPromoted, p.inTwoProjects(unusedConventions, memory.KindConvention, 0))
}

func (p *planner) group(name string, outcome func(outcomes, planted) (string, bool), members []planted) {
	p.groups = append(p.groups, group{name, members, outcome})
}

// some day from the middle of January on, before a day.
func (p *planner) before(last time.Time) time.Time {
	first := day(1, 12)
	return first.AddDate(0, 0, p.rng.IntN(int(last.Sub(first).Hours()/24)))
}

// remarks are facts that the model notes, each about a file of its own.
func (p *planner) remarks(n int, last time.Time, change func(i int, m *planted)) []planted {
	c := &script{planner: p}
	var members []planted
	for i := range n {
		p.number++
		project := yearProjects[i%len(yearProjects)]
		c.s.project = project
		text, file := c.remark()
		own := fmt.Sprintf("cmd/%s/main%02d.go", project, p.number)
		m := planted{
			mentions: []mention{{p.before(last), project, memory.KindNote, strings.ReplaceAll(text, file, own), false}}, file: own,
		}
		change(i, &m)
		members = append(members, m)
	}
	return members
}

// labelled plants the labelled pairs. Pairs with texts that resemble other planted texts of the same
// project go to another project, or are left out. Of duplicates only those that are recognised are
// planted: TestNearDuplicates of package statement measures their share. All others are planted.
func (p *planner) labelled(t *testing.T) {
	there := map[string][]string{}
	pairs := map[string][]planted{}
	for _, pair := range labelledPairs(t) {
		isDuplicate := pair.Label == "duplicate"
		if pair.Category == "unrelated" || isDuplicate && !statement.Parse(pair.A).Same(statement.Parse(pair.B)) {
			continue
		}
		n := len(pairs[pair.Label])
		for try := range yearProjects {
			project := yearProjects[(n+try)%len(yearProjects)]
			if resembles(there[project], pair) {
				continue
			}
			there[project] = append(there[project], pair.A, pair.B)
			first := mention{p.before(day(11, 20)), project, memory.KindNote, pair.A, false}
			second := mention{first.at.AddDate(0, 0, 1+n%9), project, memory.KindNote, pair.B, false}
			pairs[pair.Label] = append(pairs[pair.Label], planted{mentions: []mention{first, second}})
			break
		}
	}
	p.group("labelled duplicates", merged, pairs["duplicate"])
	p.group("labelled pairs of other values", apart, pairs["update"])
	p.group("labelled distinct pairs that look alike", apart, pairs["distinct"])
}

func resembles(texts []string, pair labelled) bool {
	return slices.ContainsFunc(texts, func(text string) bool {
		return statement.Parse(text).Same(statement.Parse(pair.A)) || statement.Parse(text).Same(statement.Parse(pair.B))
	})
}

var (
	preferences = []string{
		"small commits with a reason in the message", "tables over prose in reviews", "German in chat and English in code",
		"errors wrapped with what was being done", "no emojis anywhere", "tests before the change that they check",
	}
	conventions = []string{
		"every exported name has a comment that says its units", "migrations are never edited once they are merged",
		"feature flags are removed within two releases", "a log line names the tenant it is about",
	}
	unusedConventions = []string{
		"abbreviations are spelt out in package names", "shell scripts are checked by shellcheck before a merge",
		"diagrams are kept as text beside the code",
	}
)

func (p *planner) inTwoProjects(texts []string, kind memory.Kind, every time.Duration) []planted {
	var members []planted
	byUser := kind == memory.KindPreference
	for i, text := range texts {
		at := p.before(day(9, 1))
		members = append(members, planted{
			mentions: []mention{
				{at, yearProjects[i%3], kind, text, byUser},
				{at.AddDate(0, 0, 4), yearProjects[(i+1)%3], kind, text, byUser},
			},
			every: every, file: fmt.Sprintf("docs/%s-%d.md", kind, i),
		})
	}
	return members
}

// passing are preferences that nobody comes back to.
func (p *planner) passing(n int) []planted {
	var members []planted
	for i := range n {
		text := fmt.Sprintf("the %s shown before the %s %s", pick(p, parts), pick(p, parts), pick(p, times))
		at := p.before(day(8, 20))
		members = append(members, planted{mentions: []mention{{at, yearProjects[i%3], memory.KindPreference, text, false}}})
	}
	return members
}

func (o outcomes) row(l mention) memory.Row { return o.rows[l.id()] }

func whatever(o outcomes, p planted) (string, bool) {
	return string(o.row(p.mentions[0]).Memory.Status), true
}

func stays(o outcomes, p planted) (string, bool) {
	row := o.row(p.mentions[0])
	return string(row.Memory.Status), row.Memory.Status == memory.StatusActive
}

func goes(o outcomes, p planted) (string, bool) {
	status := o.row(p.mentions[0]).Memory.Status
	return string(status), status == memory.StatusArchived
}

func oneRow(o outcomes, p planted) (string, bool) {
	row := o.row(p.mentions[0])
	if p.mentions[0].id() != p.mentions[1].id() || row.Sessions != 2 || row.MergedInto != "" {
		return fmt.Sprintf("seen in %d sessions, merged into %q", row.Sessions, row.MergedInto), false
	}
	return "one row seen in two sessions", true
}

// merged wants one of two merged into the other, which is not merged itself.
func merged(o outcomes, p planted) (string, bool) {
	a, b := o.row(p.mentions[0]), o.row(p.mentions[1])
	switch {
	case a.MergedInto == b.Memory.ID && b.MergedInto == "" && a.Memory.Status == memory.StatusConsolidated:
		return "the first merged into the second", true
	case b.MergedInto == a.Memory.ID && a.MergedInto == "" && b.Memory.Status == memory.StatusConsolidated:
		return "the second merged into the first", true
	case a.SupersededBy == "" && b.SupersededBy == "" && a.MergedInto == "" && b.MergedInto == "":
		return "left apart", false
	}
	return "otherwise", false
}

func apart(o outcomes, p planted) (string, bool) {
	a, b := o.row(p.mentions[0]), o.row(p.mentions[1])
	switch {
	case a.Memory.ID == "" || b.Memory.ID == "":
		return "gone", false
	case a.MergedInto != "" || b.MergedInto != "":
		return "merged", false
	case a.SupersededBy != "" || b.SupersededBy != "":
		return "superseded", false
	}
	return "both stayed", true
}

func promoted(o outcomes, p planted) (string, bool) {
	a, b := o.row(p.mentions[0]), o.row(p.mentions[1])
	if a.MergedInto != "" {
		a, b = b, a
	}
	state := fmt.Sprintf("%s, scope %s, the other %s", a.Memory.Status, a.Memory.Scope, b.Memory.Status)
	return state, a.Memory.Scope == memory.ScopeUser && a.Memory.Status == memory.StatusActive && b.MergedInto == a.Memory.ID
}

func notPromoted(o outcomes, p planted) (string, bool) {
	a, b := o.row(p.mentions[0]), o.row(p.mentions[1])
	state := fmt.Sprintf("scopes %s and %s, %s", a.Memory.Scope, b.Memory.Scope, a.Memory.Status)
	return state, a.Memory.Scope == memory.ScopeProject && b.Memory.Scope == memory.ScopeProject
}
