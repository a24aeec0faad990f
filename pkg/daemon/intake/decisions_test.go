package intake_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/book"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
)

// letter returns the events of a letter with memories of project p as another machine has them, each stated at Noon.
func letter(n int, rows map[string]memory.Fate) (events []memory.Event) {
	for content, fate := range rows {
		e := daemontest.ImportedNote(n, content)
		e.Project, e.Import.Fate, e.Import.Sighting = memory.Project{Key: "p", Name: "p", Root: "/p"}, &fate, nil
		m := e.Import.Memory
		m.ID, m.Project, m.Scope, m.Source = idOf(content), "p", memory.ScopeProject, memory.SourceUser
		m.CreatedAt, m.LastSeenAt = daemontest.Noon, daemontest.Noon
		if m.Status = memory.StatusActive; fate.SupersededBy != "" || fate.Rejected {
			m.Status = memory.StatusArchived
		}
		e.ID, e.At = memory.NewImportID("letter", content), daemontest.Noon
		events = append(events, e)
	}
	return events
}

// ended returns decisions of one time about the fields that say whether a memory stands.
func ended(at time.Time) memory.Decided {
	return memory.Decided{"status": at, "superseded_by": at, "detail": at}
}

func receive(t *testing.T, a *daemontest.Fixture, events []memory.Event) error {
	t.Helper()
	_, err := a.Intake.Import(t.Context(), daemonapi.ImportParams{Events: events})
	return err
}

func idOf(content string) string { return memory.NewID(memory.ScopeProject, "p", content) }

// TestAnUndoLeavesOneText of a memory whose text was changed, on one machine or on two, whichever run is undone, and so does the undo
// of the undo.
func TestAnUndoLeavesOneText(t *testing.T) {
	const old, ours, theirs = "the staging port is 6543", "the staging port is 6544", "the staging port is 6545"
	edit := func(n int, from, to string) func(*testing.T, *daemontest.Fixture) {
		return func(t *testing.T, a *daemontest.Fixture) {
			daemontest.Changed(t, a, idOf(from), n, memory.Change{Content: to})
		}
	}
	elsewhere := func(t *testing.T, a *daemontest.Fixture) {
		at := daemontest.Noon.Add(5 * time.Hour)
		events := letter(1, map[string]memory.Fate{old: {Decided: ended(at), Rejected: true, SupersededBy: idOf(theirs)}, theirs: {Decided: ended(at), UserWritten: true}})
		for i, e := range events {
			if m := e.Import.Memory; m.ID == idOf(theirs) {
				events[i].At, m.CreatedAt, m.LastSeenAt = at, at, at
			}
		}
		musttest.Do(t, receive(t, a, events))
	}
	for name, c := range map[string]struct {
		runs   int
		happen []func(*testing.T, *daemontest.Fixture)
	}{
		"edited":                                {1, []func(*testing.T, *daemontest.Fixture){edit(1, old, ours)}},
		"edited twice":                          {2, []func(*testing.T, *daemontest.Fixture){edit(1, old, ours), edit(2, ours, theirs)}},
		"edited and back":                       {2, []func(*testing.T, *daemontest.Fixture){edit(1, old, ours), edit(2, ours, old)}},
		"edited elsewhere":                      {1, []func(*testing.T, *daemontest.Fixture){elsewhere}},
		"edited here and elsewhere":             {3, []func(*testing.T, *daemontest.Fixture){edit(1, old, ours), elsewhere}},
		"edited here, elsewhere and here again": {4, []func(*testing.T, *daemontest.Fixture){edit(1, old, ours), elsewhere, edit(6, theirs, "the staging port is 6546")}},
	} {
		for n := range c.runs {
			t.Run(fmt.Sprint(name, ", run ", n, " undone"), func(t *testing.T) {
				a, _, _ := daemontest.New(t)
				a.Now = func() time.Time { return daemontest.Noon.Add(24 * time.Hour) }
				daemontest.Kept(t, a, daemontest.Noted(0, old))
				for _, step := range c.happen {
					step(t, a)
				}
				stand := func() (texts []string) {
					for _, m := range musttest.Get(memory.Memories(t.Context(), a.Store, memory.Filter{Statuses: []memory.Status{memory.StatusActive}, Limit: 10}))(t) {
						texts = append(texts, m.Content)
					}
					return texts
				}
				runs, before := musttest.Get(a.Store.Runs(t.Context(), memory.RunQuery{}))(t), stand()
				if runs = slices.DeleteFunc(runs, func(r memory.Run) bool { return r.Changed == 0 }); len(runs) != c.runs {
					t.Fatalf("%d runs, not %d: %+v", len(runs), c.runs, runs)
				}
				undo := musttest.Get(a.Upkeep.Undo(t.Context(), daemonapi.UndoParams{Run: runs[n].ID, Trigger: "manual"}))(t)
				after := stand()
				if len(after) != 1 || (undo.Changed == 0) != slices.Equal(before, after) || (undo.Changed == 0) != (len(undo.Notes) > 0) {
					t.Errorf("of %q %q are left, %d changed, %q", before, after, undo.Changed, undo.Notes)
				}
				musttest.Get(a.Upkeep.Undo(t.Context(), daemonapi.UndoParams{Run: undo.ID, Trigger: "manual"}))(t)
				musttest.Same(t, before, stand(), "after its undo (-want +got)")
			})
		}
	}
}

// A memory that was given to prompts before is given to none after a letter has archived it, and again after one has restored it.
func TestWhatALetterArchivesIsNotRecalled(t *testing.T) {
	a, _, _ := daemontest.New(t)
	a.Now = func() time.Time { return daemontest.Noon.Add(24 * time.Hour) }
	const text = "the staging port is 6543"
	daemontest.Kept(t, a, daemontest.Noted(0, text))
	for i, c := range []struct {
		fate  memory.Fate
		given bool
	}{
		{memory.Fate{}, true},
		{memory.Fate{Decided: ended(daemontest.Noon.Add(time.Hour)), Rejected: true}, false},
		{memory.Fate{Decided: ended(daemontest.Noon.Add(2 * time.Hour))}, true},
	} {
		musttest.Do(t, receive(t, a, letter(i, map[string]memory.Fate{text: c.fate})))
		session := string(rune('a' + i))
		if got := daemontest.Recalled(t, a, daemonapi.RecallParams{Session: session, Purpose: daemonapi.ForPrompt, Text: "which staging port do we use"}); strings.Contains(got, "6543") != c.given {
			t.Errorf("after %+v a prompt is given %q", c.fate, got)
		}
	}
}

// TestADecisionLosesNoChangeOfTheSameMoment changes a memory while a letter's decision about it is committed: both hold.
func TestADecisionLosesNoChangeOfTheSameMoment(t *testing.T) {
	a, store, _ := daemontest.New(t)
	a.Now = func() time.Time { return daemontest.Noon.Add(24 * time.Hour) }
	const text = "the staging port is 6543"
	daemontest.Kept(t, a, daemontest.Noted(0, text))
	isChanged := false
	store.Fail = func(b memory.Batch) error {
		for _, m := range b.Memories {
			if m.ID == idOf(text) && m.Status == memory.StatusArchived && !isChanged {
				isChanged = true
				_, _, err := book.New(store.Store).Amend(t.Context(), m.ID, memory.Change{ID: "change-1", At: daemontest.Noon.Add(2 * time.Hour), By: memory.ByPerson, Pinned: new(true)})
				return err
			}
		}
		return nil
	}
	forgotten := letter(1, map[string]memory.Fate{text: {Decided: ended(daemontest.Noon.Add(time.Hour)), Rejected: true}})
	if err := receive(t, a, forgotten); err != nil || !isChanged {
		t.Fatalf("the import ends with %v, changed meanwhile: %t", err, isChanged)
	}
	if row := daemontest.RowOf(t, a, idOf(text)); row.Memory.Status != memory.StatusArchived || !row.Memory.Pinned {
		t.Errorf("not both hold: %+v", row.Memory)
	}
}

// mailed returns the events of a letter with memories of project p as they are on a machine.
func mailed(t *testing.T, from *daemontest.Fixture, contents ...string) (events []memory.Event) {
	t.Helper()
	var ids memory.WithIDs
	for _, content := range contents {
		ids = append(ids, idOf(content))
	}
	rows := musttest.Get(from.Store.Rows(t.Context(), ids))(t)
	decisions := memory.LastDecisions(musttest.Get(from.Store.Decisions(t.Context(), ids))(t))
	for i, row := range rows {
		e := letter(i, map[string]memory.Fate{row.Memory.Content: memory.FateOf(row, decisions[row.Memory.ID])})[0]
		e.Import.Memory = &row.Memory
		events = append(events, e)
	}
	return events
}

// TestADecisionAboutATextFollowsItsEdit on the other machine: it holds for the new text on both, whichever came first and
// whichever letter, unless there is a later decision about the new text.
func TestADecisionAboutATextFollowsItsEdit(t *testing.T) {
	const old, edited, again = "the staging port is 6543", "the staging port is 6544", "the staging port is 6545"
	weight := 0.9
	for name, o := range map[string]struct {
		edit, decide int  // the hours of both; the decision is one about the old text
		isFirst      bool // the letter of the decision
		isTwice      bool // it was edited on both machines, later on the other one
		later        int  // the hour of another decision about a pin of the new text, 0 for none
	}{
		"the edit first":   {edit: 1, decide: 2},
		"the edit last":    {edit: 2, decide: 1},
		"its letter first": {edit: 1, decide: 2, isFirst: true},
		"edited on both":   {edit: 3, decide: 2, isTwice: true},
		"decided anew":     {edit: 1, decide: 2, later: 3},
	} {
		t.Run(name, func(t *testing.T) {
			a, _, _ := daemontest.New(t)
			b, _, _ := daemontest.New(t)
			for _, one := range []*daemontest.Fixture{a, b} {
				one.Now = func() time.Time { return daemontest.Noon.Add(24 * time.Hour) }
				daemontest.Kept(t, one, daemontest.Noted(0, old))
			}
			daemontest.Changed(t, a, idOf(old), o.edit, memory.Change{Content: edited})
			about := old
			if o.isTwice {
				about = again
				daemontest.Changed(t, b, idOf(old), 1, memory.Change{Content: again})
			}
			daemontest.Changed(t, b, idOf(about), o.decide, memory.Change{Pinned: new(true), Kind: memory.KindDecision, AddTags: []string{"ports"}, Importance: &weight})
			if o.later > 0 {
				daemontest.Changed(t, a, idOf(edited), o.later, memory.Change{Pinned: new(true)})
				daemontest.Changed(t, a, idOf(edited), o.later+1, memory.Change{Pinned: new(false)})
			}
			from, to := a, b
			if o.isFirst {
				from, to = b, a
			}
			for range 4 {
				musttest.Do(t, receive(t, to, mailed(t, from, old, edited, again)))
				from, to = to, from
			}
			for i, one := range []*daemontest.Fixture{a, b} {
				m := daemontest.RowOf(t, one, idOf(edited)).Memory
				if m.Pinned != (o.later == 0) || m.Kind != memory.KindDecision || !slices.Equal(m.Tags, []string{"ports"}) || m.Importance != weight || m.Status != memory.StatusActive {
					t.Errorf("on machine %d the new text is %+v", i, m)
				}
				if old := daemontest.RowOf(t, one, idOf(about)); old.Memory.Status != memory.StatusArchived {
					t.Errorf("on machine %d the old text is %s", i, old.Memory.Status)
				}
			}
		})
	}
}

// TestADecisionHoldsAfterAnEditOnAnotherMachine edits a text on one machine, whose clock may be ahead, and changes the new text on the other
// one, which has received it: the change holds on both, and only the text that it leaves is active.
func TestADecisionHoldsAfterAnEditOnAnotherMachine(t *testing.T) {
	const old, edited, again = "the garage opens at seven", "the garage opens at eight", "the garage opens at nine"
	for name, c := range map[string]struct {
		change memory.Change
		active string
	}{
		"forgotten":    {memory.Change{Status: memory.StatusArchived}, ""},
		"edited again": {memory.Change{Content: again}, again},
		"edited back":  {memory.Change{Content: old}, old},
	} {
		for clocks, ahead := range map[string]int{"equal clocks": 0, "20 hours ahead": 20} {
			t.Run(name+", "+clocks, func(t *testing.T) {
				a, _, _ := daemontest.New(t)
				b, _, _ := daemontest.New(t)
				for one, hours := range map[*daemontest.Fixture]int{a: 2, b: 2 + ahead} {
					one.Now = func() time.Time { return daemontest.Noon.Add(time.Duration(hours) * time.Hour) }
					daemontest.Kept(t, one, daemontest.Noted(0, old))
				}
				daemontest.Changed(t, b, idOf(old), 1+ahead, memory.Change{Content: edited})
				musttest.Do(t, receive(t, a, mailed(t, b, old, edited)))
				daemontest.Changed(t, a, idOf(edited), 2, c.change)
				from, to := a, b
				for range 4 {
					musttest.Do(t, receive(t, to, mailed(t, from, old, edited, again)))
					from, to = to, from
				}
				for i, one := range []*daemontest.Fixture{a, b} {
					active, err := memory.Memories(t.Context(), one.Store, memory.Filter{Project: "p", Statuses: []memory.Status{memory.StatusActive}})
					if err != nil || len(active) > 1 || (len(active) == 1) != (c.active != "") || c.active != "" && active[0].Content != c.active {
						t.Errorf("machine %d has %+v, %v; want %q", i, active, err, c.active)
					}
				}
			})
		}
	}
}

// exchanging is a machine that exchanges letters with others, by a clock of its own.
type exchanging struct {
	*daemontest.Fixture
	name   string
	ahead  time.Duration
	passed int // the letters that it has read or written
}

// post has the letters of some machines.
type post struct {
	letters [][]memory.Event
	known   map[string]bool // their rows
}

// exchange lets a machine import the letters that are new to it, and write one with its rows that are in no letter yet.
func (p *post) exchange(t surrealtest.TB, ctx context.Context, m *exchanging) {
	t.Helper()
	for _, letter := range p.letters[m.passed:] {
		if done, err := m.Intake.Import(ctx, daemonapi.ImportParams{Events: letter}); err != nil || len(done.Refused) > 0 {
			t.Fatal(done, err)
		}
	}
	var text bytes.Buffer
	out, err := importer.NewEncoder(&text, "", m.Now())
	for _, section := range memory.Sections() {
		page, failed := m.Store.Export(ctx, memory.ExportQuery{Section: section})
		page.Fates = map[string]memory.Fate{}
		var ids memory.WithIDs
		for _, one := range page.Memories {
			ids = append(ids, one.ID)
		}
		if len(ids) > 0 {
			rows, errRows := m.Store.Rows(ctx, ids)
			decisions, errDecided := m.Store.Decisions(ctx, ids)
			for _, row := range rows {
				page.Fates[row.Memory.ID] = memory.FateOf(row, memory.LastDecisions(decisions)[row.Memory.ID])
			}
			err = errors.Join(err, errRows, errDecided)
		}
		err = errors.Join(err, failed, out.Page(page))
	}
	var rows []string
	for row := range strings.Lines(text.String()) {
		if len(rows) == 0 || !p.known[row] {
			rows, p.known[row] = append(rows, row), true
		}
	}
	in, failed := importer.NewDecoder(strings.NewReader(strings.Join(rows, "")))
	if err = errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	var letter []memory.Event
	for event, err := range in.Events() {
		if err != nil {
			t.Fatal(err)
		}
		letter = append(letter, event)
	}
	p.letters = append(p.letters, letter)
	m.passed = len(p.letters)
}

// TestMachinesThatExchangedAgree has machines with different clocks state the same texts, decide about them and exchange, at random: after
// full exchanges all have the same.
func TestMachinesThatExchangedAgree(t *testing.T) {
	texts := []string{"the garage opens at seven", "the garage opens at eight", "the garage opens at nine"}
	rapid.Check(t, func(rt *rapid.T) {
		ctx := t.Context()
		var machines []*exchanging
		letters := post{known: map[string]bool{}}
		exchange := func(m *exchanging) { letters.exchange(rt, ctx, m) }
		elapsed, n := time.Duration(0), 0
		clock := rapid.Custom(func(rt *rapid.T) time.Duration {
			return time.Duration(rapid.IntRange(-20, 20).Draw(rt, "hours"))*time.Hour + rand.N(time.Second)
		})
		for i := range rapid.IntRange(2, 3).Draw(rt, "machines") {
			a, _, _ := daemontest.Drawn(t, rt)
			m := &exchanging{Fixture: a, name: string(rune('a' + i)), ahead: clock.Draw(rt, "ahead")}
			a.Now = func() time.Time { return daemontest.Noon.Add(elapsed + m.ahead) }
			machines = append(machines, m)
		}
		say := func(m *exchanging, text string) {
			n++
			e := daemontest.Noted(0, text)
			e.ID, e.At, e.Session = memory.NewEventID(m.Now()), m.Now(), fmt.Sprint(m.name, n)
			daemontest.Kept(t, m.Fixture, e)
		}
		say(machines[0], texts[0])
		exchange(machines[0])
		for step := range rapid.IntRange(4, 14).Draw(rt, "steps") {
			const week = 7 * 24 * 60
			elapsed += time.Duration(rapid.OneOf(rapid.IntRange(1, 90), rapid.IntRange(1, week)).Draw(rt, "minutes"))*time.Minute + rand.N(time.Second)
			m := rapid.SampledFrom(machines).Draw(rt, "machine")
			text := rapid.SampledFrom(append(texts, texts[0], texts[0])).Draw(rt, "text")
			change := memory.Change{ID: memory.NewEventID(m.Now()), At: m.Now(), By: memory.ByPerson}
			switch what := rapid.SampledFrom([]string{"say", "say", "exchange", "exchange", "forget", "restore", "edit", "pin", "unpin", "kind", "tag", "untag", "undo"}).Draw(rt, "what"); what {
			case "say":
				say(m, text)
			case "exchange":
				exchange(m)
			case "undo":
				runs, err := m.Store.Runs(ctx, memory.RunQuery{Limit: 5})
				if len(runs) > 0 && err == nil {
					run := rapid.SampledFrom(runs).Draw(rt, "run")
					_, err = m.Upkeep.Undo(ctx, daemonapi.UndoParams{Run: run.ID, Trigger: "manual"})
				}
				if err != nil {
					rt.Fatal(err)
				}
			case "forget":
				change.Status = memory.StatusArchived
			case "restore":
				change.Status = memory.StatusActive
			case "edit":
				change.Content = rapid.SampledFrom(texts).Draw(rt, "to")
			case "pin", "unpin":
				change.Pinned = new(what == "pin")
			case "kind":
				change.Kind = rapid.SampledFrom([]memory.Kind{memory.KindNote, memory.KindDecision, memory.KindConvention}).Draw(rt, "of kind")
			case "tag":
				change.AddTags = []string{rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "tag")}
			case "untag":
				change.RemoveTags = []string{rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "tag")}
			}
			_, err := m.Intake.Amend(ctx, daemonapi.AmendParams{Project: "p", ID: idOf(text), Change: change})
			if err != nil && !errors.Is(err, memory.ErrNotFound) && !errors.Is(err, memory.ErrInvalid) {
				rt.Fatalf("step %d: %v", step, err)
			}
		}
		is := map[string]string{}
		for range 3 {
			for _, m := range machines {
				elapsed += time.Minute
				exchange(m)
			}
		}
		for _, m := range machines {
			for _, text := range texts {
				for _, row := range musttest.Get(m.Store.Rows(ctx, memory.WithIDs{idOf(text)}))(rt) {
					one := row.Memory
					if row.SupersededBy != "" {
						one.Status += " and superseded"
					}
					is[m.name] += fmt.Sprintf("%q is %s, pinned %t, a %s with tags %q\n", text, one.Status, one.Pinned, one.Kind, one.Tags)
				}
			}
			if diff := cmp.Diff(is[machines[0].name], is[m.name]); diff != "" {
				rt.Fatalf("machine %s (-the first +it):\n%s", m.name, diff)
			}
		}
	})
}

// TestAMachineThatHasTheTextTakesOverWhatAnEditPassedOn: a memory with a pin, a kind or a tag is edited into a text that another machine has already.
func TestAMachineThatHasTheTextTakesOverWhatAnEditPassedOn(t *testing.T) {
	const old, text = "the garage opens at seven", "the garage opens at eight"
	for name, change := range map[string]memory.Change{"pin": {Pinned: new(true)}, "kind": {Kind: memory.KindDecision}, "tag": {AddTags: []string{"x"}}} {
		letters := post{known: map[string]bool{}}
		var machines []*exchanging
		for i := range 2 {
			a, _, _ := daemontest.New(t)
			a.Now = func() time.Time { return daemontest.Noon.Add(time.Hour) }
			machines = append(machines, &exchanging{Fixture: a, name: string(rune('a' + i))})
			said := daemontest.Noted(i, []string{old, text}[i])
			said.Session = machines[i].name
			daemontest.Kept(t, a, said)
		}
		daemontest.Changed(t, machines[0].Fixture, idOf(old), 5, change)
		daemontest.Changed(t, machines[0].Fixture, idOf(old), 6, memory.Change{Content: text})
		for _, i := range []int{0, 1, 0} {
			letters.exchange(t, t.Context(), machines[i])
		}
		var is []memory.Memory
		for _, m := range machines {
			one := musttest.Get(m.Store.Rows(t.Context(), memory.WithIDs{idOf(text)}))(t)[0].Memory
			is = append(is, memory.Memory{Kind: one.Kind, Pinned: one.Pinned, Tags: one.Tags})
		}
		musttest.Same(t, is[0], is[1], "%s (-the machine of the edit +the other)", name)
	}
}

// TestWhatIsSaidLastIsTheNewestOnEachMachine: two machines whose clocks differ hear of each other after each thing that the user says.
func TestWhatIsSaidLastIsTheNewestOnEachMachine(t *testing.T) {
	for _, ahead := range []time.Duration{0, 20 * time.Second, 10 * time.Minute, -10 * time.Minute, 10 * time.Hour, -10 * time.Hour, 47 * time.Hour} {
		elapsed, letters := time.Duration(0), post{known: map[string]bool{}}
		var machines []*exchanging
		for i := range 2 {
			a, _, _ := daemontest.New(t)
			m := &exchanging{Fixture: a, name: string(rune('a' + i)), ahead: time.Duration(i) * ahead}
			a.Now = func() time.Time { return daemontest.Noon.Add(elapsed + m.ahead) }
			machines = append(machines, m)
		}
		for n := range 5 {
			elapsed += 5 * time.Second
			m, other, text := machines[(n+1)%2], machines[n%2], fmt.Sprintf("staging uses port %d", n)
			e := daemontest.Noted(0, text)
			e.ID, e.At, e.Session = memory.NewEventID(m.Now()), m.Now(), fmt.Sprint(m.name, n)
			daemontest.Kept(t, m.Fixture, e)
			letters.exchange(t, t.Context(), m)
			letters.exchange(t, t.Context(), other)
			for _, m := range machines {
				rows := musttest.Get(memory.Memories(t.Context(), m.Store, memory.Filter{Project: "p", Limit: 10}))(t)
				newest := slices.MaxFunc(rows, func(x, y memory.Memory) int { return x.LastSeenAt.Compare(y.LastSeenAt) })
				musttest.Same(t, text, newest.Content, "the newest on %s, %s ahead", m.name, ahead)
			}
		}
	}
}

// TestWhatIsSaidAgainOnAnotherMachineHolds has a machine decide about what the user said, and the user say it again on another machine, which
// has heard of it or not. After they have exchanged, one or the other first, both stand by what came later, and tell the same.
func TestWhatIsSaidAgainOnAnotherMachineHolds(t *testing.T) {
	const text, other, everywhere = "we always deploy on Fridays", "we always deploy on Mondays", "in all my projects we always deploy on Fridays"
	for name, c := range map[string]struct {
		first, again string
		change       memory.Change // zero for a fact in its place
		then         memory.Change // after both have heard that it was said again
		isOld        bool          // it is said again before the decision
		isGone       bool
		isFirst      bool // the machine with the decision exchanges first
		heard        bool
	}{
		"a fact in its place":    {first: "Remember: " + text, again: "Remember: " + text},
		"a fact, heard of":       {first: "Remember: " + text, again: "Remember: " + text, heard: true},
		"a fact, said before it": {first: "Remember: " + text, again: "Remember: " + text, isOld: true, isGone: true, isFirst: true},
		"a fact, forgotten then": {first: "Remember: " + text, again: "Remember: " + text, then: memory.Change{Status: memory.StatusArchived}, isGone: true, isFirst: true},
		"forgotten":              {first: "Remember: " + text, again: "Remember: " + text, change: memory.Change{Status: memory.StatusArchived}},
		"forgotten, heard of":    {first: "Remember: " + text, again: "Remember: " + text, change: memory.Change{Status: memory.StatusArchived}, heard: true},
		"forgotten later":        {first: text + ".", again: text + ".", change: memory.Change{Status: memory.StatusArchived}, isOld: true, isGone: true},
		"edited, in passing":     {first: text + ".", again: text + ".", change: memory.Change{Content: other}, isFirst: true},
		"narrowed":               {first: "Remember: " + everywhere, again: "Remember: " + everywhere, change: memory.Change{Scope: memory.ScopeProject}, isFirst: true},
		"narrowed later":         {first: "Remember: " + everywhere, again: "Remember: " + everywhere, change: memory.Change{Scope: memory.ScopeProject}, isOld: true, isGone: true},
	} {
		t.Run(name, func(t *testing.T) {
			letters, now, n := post{known: map[string]bool{}}, daemontest.Noon, 0
			tick := func() { now = now.Add(time.Hour) }
			machine := func(name string) *exchanging {
				a, _, _ := daemontest.New(t)
				a.Now = func() time.Time { return now }
				return &exchanging{Fixture: a, name: name}
			}
			a, b := machine("a"), machine("b")
			say := func(m *exchanging, text string) memory.Event {
				n++
				e := daemontest.Prompt(0, text)
				e.At, e.ID, e.Session = now, memory.NewEventID(now), fmt.Sprint(m.name, n)
				daemontest.Ingested(t, m.Fixture, e)
				return e
			}
			order := []*exchanging{a, b}
			exchange := func(order ...*exchanging) {
				for _, m := range order {
					now = now.Add(time.Minute)
					letters.exchange(t, t.Context(), m)
				}
			}
			decide := func(change memory.Change) {
				id := a.Intake.MemoriesOf(daemontest.Prompt(0, c.first))[0].ID
				if change.ID, change.At, change.By = memory.NewEventID(now), now, memory.ByPerson; change.Status+memory.Status(change.Scope)+memory.Status(change.Content) != "" {
					musttest.Get(a.Intake.Amend(t.Context(), daemonapi.AmendParams{Project: "p", ID: id, Change: change}))(t)
					return
				}
				e := say(a, "from now on Monday is the day")
				tick()
				fact := replacing(0, "Deployments are on Mondays.", id)
				fact.At, fact.ID, fact.Session, fact.Quote = now, memory.NewEventID(now), e.Session, e.Prompt
				if got := kept(t, a.Fixture, fact); got.Replaced != id {
					t.Fatalf("the fact replaces %+v", got)
				}
			}
			say(a, c.first)
			exchange(a, b)
			if tick(); !c.isFirst {
				order = []*exchanging{b, a}
			}
			if c.isOld {
				say(b, c.again)
				tick()
			}
			decide(c.change)
			tick()
			if c.heard {
				exchange(a, b)
				tick()
			}
			if !c.isOld {
				say(b, c.again)
			}
			exchange(slices.Concat(order, order)...)
			if tick(); c.then.Status != "" {
				decide(c.then)
				exchange(slices.Concat(order, order)...)
			}
			var starts []string
			for _, m := range []*exchanging{a, b} {
				index := musttest.Get(m.Briefing.Index(t.Context(), "q"))(t)
				starts = append(starts, fmt.Sprintf("%s|%d", daemontest.StartOf(t, m.Fixture, "next"), index.Len()))
			}
			if got := strings.Contains(starts[0], "Fridays"); c.first != "Remember: "+everywhere && (got == c.isGone || got && strings.Contains(starts[0], "Mondays")) {
				t.Errorf("a start has\n%s", starts[0])
			}
			if got := strings.HasSuffix(starts[0], "|1"); c.first == "Remember: "+everywhere && got == c.isGone {
				t.Errorf("another project has it: %t", got)
			}
			if diff := cmp.Diff(starts[0], starts[1]); diff != "" {
				t.Errorf("they tell (-a +b)\n%s", diff)
			}
		})
	}
}
