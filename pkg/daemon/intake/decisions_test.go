package intake_test

import (
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/book"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
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

// Two machines have corrected one memory. The later text holds on both, whichever letter comes, and prompts are given that one only.
func TestOfTwoCorrectionsTheLaterOneHolds(t *testing.T) {
	const old, ours, theirs = "the staging port is 6543", "the staging port is 6544", "the staging port is 6545"
	for name, c := range map[string]struct {
		at   time.Duration // of their correction; ours is of an hour after Noon
		want string
	}{"theirs is later": {5 * time.Hour, theirs}, "ours is later": {30 * time.Minute, ours}} {
		t.Run(name, func(t *testing.T) {
			a, _, _ := daemontest.New(t)
			a.Now = func() time.Time { return daemontest.Noon.Add(24 * time.Hour) }
			daemontest.Kept(t, a, daemontest.Noted(0, old))
			daemontest.Changed(t, a, idOf(old), 1, memory.Change{Content: ours})
			if err := receive(t, a, letter(1, map[string]memory.Fate{
				old: {Decided: ended(daemontest.Noon.Add(c.at)), Rejected: true, SupersededBy: idOf(theirs)}, theirs: {Decided: ended(daemontest.Noon.Add(c.at)), UserWritten: true},
			})); err != nil {
				t.Fatal(err)
			}
			if row := daemontest.RowOf(t, a, idOf(old)); row.SupersededBy != idOf(c.want) || row.Memory.Status != memory.StatusArchived {
				t.Errorf("the corrected memory is %s, superseded by %s", row.Memory.Status, row.SupersededBy)
			}
			if c.want == ours {
				return // the letter with ours archives theirs on the other machine, and that letter archives it here
			}
			if row := daemontest.RowOf(t, a, idOf(ours)); row.SupersededBy != idOf(theirs) || row.Memory.Status != memory.StatusArchived {
				t.Errorf("the earlier correction is %s, superseded by %q", row.Memory.Status, row.SupersededBy)
			}
			if text := daemontest.Recalled(t, a, daemonapi.RecallParams{Session: "s2", Purpose: daemonapi.ForPrompt, Text: "which staging port do we use"}); !strings.Contains(text, "6545") || strings.Contains(text, "6543") || strings.Contains(text, "6544") {
				t.Errorf("a prompt is given %q", text)
			}
		})
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
		if err := receive(t, a, letter(i, map[string]memory.Fate{text: c.fate})); err != nil {
			t.Fatal(err)
		}
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
				_, _, err := book.New(store.Store).Amend(t.Context(), m.ID, memory.Change{
					ID: "change-1", At: daemontest.Noon.Add(2 * time.Hour), By: memory.ByPerson, Pinned: new(true),
				})
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

// TestADecisionHoldsAgainstAClockThatIsAhead receives what was forgotten on a machine whose clock is ahead, and restores it: the
// same letter does not forget it again, and the decision here is the later one on each machine.
func TestADecisionHoldsAgainstAClockThatIsAhead(t *testing.T) {
	a, store, _ := daemontest.New(t)
	ahead := daemontest.Noon.Add(time.Hour)
	note := daemontest.ImportedNote(1, "fact")
	id := memory.NewID(memory.ScopeProject, "p", "fact")
	sent := note
	there := *note.Import
	forgotten := *there.Memory
	forgotten.ID, forgotten.Status = id, memory.StatusArchived
	there.Memory, there.Fate = &forgotten, &memory.Fate{Rejected: true, Decided: ended(ahead)}
	sent.Import = &there
	again := func() {
		t.Helper()
		if _, err := a.Intake.Import(t.Context(), daemonapi.ImportParams{Events: []memory.Event{sent}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.Intake.Import(t.Context(), daemonapi.ImportParams{Events: []memory.Event{note}}); err != nil {
		t.Fatal(err)
	}
	again()
	if m, err := memory.Find(t.Context(), store, id); err != nil || m.Status != memory.StatusArchived {
		t.Fatalf("after the letter the memory is %s, %v; want archived", m.Status, err)
	}
	change := memory.Change{ID: "c", By: memory.ByPerson, At: daemontest.Noon, Status: memory.StatusActive}
	if _, err := a.Intake.Amend(t.Context(), daemonapi.AmendParams{Project: "p", ID: id, Change: change}); err != nil {
		t.Fatal(err)
	}
	again()
	if m, err := memory.Find(t.Context(), store, id); err != nil || m.Status != memory.StatusActive {
		t.Errorf("after the same letter the memory is %s, %v; want active", m.Status, err)
	}
	decisions, err := store.Decisions(t.Context(), []string{id})
	if last := memory.LastDecisions(decisions)[id]["status"]; err != nil || !last.After(ahead) {
		t.Errorf("it was restored at %s, %v; want after %s", last, err, ahead)
	}
}

// mailed returns the events of a letter with memories of project p as they are on a machine.
func mailed(t *testing.T, from *daemontest.Fixture, contents ...string) (events []memory.Event) {
	t.Helper()
	for i, content := range contents {
		rows, err := from.Store.Rows(t.Context(), memory.WithIDs{idOf(content)})
		if err != nil {
			t.Fatal(err)
		}
		decisions, err := from.Store.Decisions(t.Context(), []string{idOf(content)})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			e := letter(i, map[string]memory.Fate{content: memory.FateOf(row, memory.LastDecisions(decisions)[row.Memory.ID])})[0]
			e.Import.Memory = &row.Memory
			events = append(events, e)
		}
	}
	return events
}

// TestADecisionAboutATextFollowsItsEdit on the other machine: it holds for the new text on both, whichever came first and
// whichever letter, unless there is a later decision about the new text.
func TestADecisionAboutATextFollowsItsEdit(t *testing.T) {
	const old, edited, again = "the staging port is 6543", "the staging port is 6544", "the staging port is 6545"
	weight := 0.9
	for name, c := range map[string]struct {
		change memory.Change // about the old text, an hour after its edit on the other machine
		is     func(memory.Memory) bool
	}{
		"a pin":    {memory.Change{Pinned: new(true)}, func(m memory.Memory) bool { return m.Pinned }},
		"a kind":   {memory.Change{Kind: memory.KindDecision}, func(m memory.Memory) bool { return m.Kind == memory.KindDecision }},
		"a tag":    {memory.Change{AddTags: []string{"ports"}}, func(m memory.Memory) bool { return len(m.Tags) == 1 && m.Tags[0] == "ports" }},
		"a weight": {memory.Change{Importance: &weight}, func(m memory.Memory) bool { return m.Importance == weight }},
	} {
		for order, o := range map[string]struct {
			edit, decide int  // the hours of both
			isFirst      bool // the letter of the decision
			isTwice      bool // it was edited on both machines, later on the other one
			later        int  // the hour of another decision about the new text, 0 for none
		}{
			"the edit first":        {edit: 1, decide: 2},
			"the edit last":         {edit: 2, decide: 1},
			"its letter first":      {edit: 1, decide: 2, isFirst: true},
			"edited on both":        {edit: 3, decide: 2, isTwice: true},
			"decided anew, by pins": {edit: 1, decide: 2, later: 3},
		} {
			if o.later > 0 && c.change.Pinned == nil {
				continue
			}
			t.Run(name+", "+order, func(t *testing.T) {
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
				daemontest.Changed(t, b, idOf(about), o.decide, c.change)
				if o.later > 0 {
					daemontest.Changed(t, a, idOf(edited), o.later, memory.Change{Pinned: new(true)})
					daemontest.Changed(t, a, idOf(edited), o.later+1, memory.Change{Pinned: new(false)})
				}
				from, to := a, b
				if o.isFirst {
					from, to = b, a
				}
				for range 4 {
					if err := receive(t, to, mailed(t, from, old, edited, again)); err != nil {
						t.Fatal(err)
					}
					from, to = to, from
				}
				for i, one := range []*daemontest.Fixture{a, b} {
					row := daemontest.RowOf(t, one, idOf(edited))
					if c.is(row.Memory) != (o.later == 0) || row.Memory.Status != memory.StatusActive {
						t.Errorf("on machine %d the new text is %+v", i, row.Memory)
					}
					if old := daemontest.RowOf(t, one, idOf(about)); old.Memory.Status != memory.StatusArchived {
						t.Errorf("on machine %d the old text is %s", i, old.Memory.Status)
					}
				}
			})
		}
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
				if err := receive(t, a, mailed(t, b, old, edited)); err != nil {
					t.Fatal(err)
				}
				daemontest.Changed(t, a, idOf(edited), 2, c.change)
				from, to := a, b
				for range 4 {
					if err := receive(t, to, mailed(t, from, old, edited, again)); err != nil {
						t.Fatal(err)
					}
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
