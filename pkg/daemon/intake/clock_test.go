package intake_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

var ahead = time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)

// timesIn lists the times in a value that are later than the test's now, by their fields.
func timesIn(v reflect.Value, path string) []string {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		if v.Interface().(time.Time).After(daemontest.Noon.Add(5 * time.Minute)) {
			return []string{path}
		}
	case v.Kind() == reflect.Struct:
		var found []string
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				found = append(found, timesIn(v.Field(i), path+"."+v.Type().Field(i).Name)...)
			}
		}
		return found
	case v.Kind() == reflect.Slice:
		var found []string
		for i := range v.Len() {
			found = append(found, timesIn(v.Index(i), fmt.Sprintf("%s[%d]", path, i))...)
		}
		return found
	}
	return nil
}

// setAhead dates all times in a value ahead.
func setAhead(v reflect.Value) {
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		setAhead(v.Elem())
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(ahead))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				setAhead(v.Field(i))
			}
		}
	}
}

// TestNoTimeFromOutsideIsAhead: a row that a wrong clock, or somebody, dated in 2099 is dated when it arrived, so that
// it neither heads starts nor corrects later statements. Old dates stay.
func TestNoTimeFromOutsideIsAhead(t *testing.T) {
	a, store, _ := daemontest.New(t)
	late, early := daemontest.Prompt(1, "remember: the port is 6543"), daemontest.Prompt(2, "remember: the host is db1")
	late.At, early.At = ahead, daemontest.Noon.AddDate(-1, 0, 0)
	daemontest.Ingested(t, a, late, early, daemontest.Event(3, memory.EventSessionEnded))
	note, session := daemontest.ImportedNote(1, "a note"), daemontest.ImportedSession("what it came to.")
	row := daemontest.ImportedNote(2, "")
	row.Import = &memory.Import{Prompt: &memory.Prompt{ID: row.ID, Session: "s1", Project: "p", At: daemontest.Noon, Text: "hello"}}
	events := []memory.Event{note, session, row}
	for i := range events {
		setAhead(reflect.ValueOf(&events[i]))
	}
	musttest.Get(a.Intake.Import(t.Context(), daemonapi.ImportParams{Events: events}))(t)
	record, err := memory.RecordOf(t.Context(), store, "s1")
	if err != nil || len(record.Prompts) != 3 || len(record.Seen) == 0 {
		t.Fatalf("stored %+v, %v", record, err)
	}
	for i, seen := range record.Seen { // a decision is dated after it
		if seen.At.After(daemontest.Noon.Add(48 * time.Hour)) {
			t.Errorf("the sighting is dated %s", seen.At)
		}
		record.Seen[i].At = time.Time{}
	}
	if found := timesIn(reflect.ValueOf(record), "session"); len(found) > 0 {
		t.Errorf("dated ahead: %v", found)
	}
	if !record.Prompts[0].At.Equal(early.At) {
		t.Errorf("the first prompt is dated %s, want the year before", record.Prompts[0].At)
	}
	memories, err := memory.Memories(t.Context(), store, memory.Filter{Project: "p", Limit: 100})
	if err != nil || len(memories) < 3 {
		t.Fatalf("stored %+v, %v", memories, err)
	}
	if found := timesIn(reflect.ValueOf(memories), "memories"); len(found) > 0 {
		t.Errorf("dated ahead: %v", found)
	}
	change := memory.Change{ID: memory.NewEventID(ahead), At: ahead, By: "test", Reason: "x", AddTags: []string{"x"}, Status: memory.StatusArchived}
	changed := musttest.Get(a.Intake.Amend(t.Context(), daemonapi.AmendParams{Project: "p", ID: idOf("a note"), Change: change}))(t)
	if found := timesIn(reflect.ValueOf(changed.After), "changed"); len(found) > 0 {
		t.Errorf("dated ahead: %v", found)
	}
	if !strings.Contains(changed.After.Detail, "2026-11-20") {
		t.Errorf("the detail of the archived memory is %q", changed.After.Detail)
	}
}

// TestTimesAheadKeepTheirOrder: a session whose end is dated further ahead than its prompt is over.
func TestTimesAheadKeepTheirOrder(t *testing.T) {
	a, store, _ := daemontest.New(t)
	first, last := daemontest.Prompt(1, "hello"), daemontest.Event(2, memory.EventSessionEnded)
	first.At, last.At = daemontest.Noon.Add(4*time.Minute), daemontest.Noon.Add(6*time.Minute)
	daemontest.Ingested(t, a, first, last)
	record, err := memory.RecordOf(t.Context(), store, "s1")
	if err != nil || !record.Session.State.IsOver() {
		t.Errorf("stored %+v, %v", record.Session, err)
	}
}

// TestADecisionIsDatedAfterAllThatIsKnown: whoever makes it, on a machine whose clock is behind that of another one, from which it has
// received a decision about any memory, or one that was said then. What was decided on the other machine keeps its time.
func TestADecisionIsDatedAfterAllThatIsKnown(t *testing.T) {
	const text = "the port is 6543"
	known := daemontest.Noon.Add(20 * time.Hour)
	for name, c := range map[string]struct {
		field  string
		decide func(t *testing.T, a *daemontest.Fixture)
	}{
		"a person pins": {"pinned", func(t *testing.T, a *daemontest.Fixture) {
			daemontest.Changed(t, a, idOf(text), 0, memory.Change{Pinned: new(true)})
		}},
		"an undo": {"tags", func(t *testing.T, a *daemontest.Fixture) {
			runs, err := a.Store.Runs(t.Context(), memory.RunQuery{Limit: 2})
			if err != nil || len(runs) == 0 {
				t.Fatal(runs, err)
			}
			musttest.Get(a.Upkeep.Undo(t.Context(), daemonapi.UndoParams{Run: runs[len(runs)-1].ID, Trigger: "manual"}))(t)
		}},
		"the assistant stores another fact in its place": {"superseded_by", func(t *testing.T, a *daemontest.Fixture) {
			if result := kept(t, a, replacing(9, "the port is 6544 now", idOf(text))); result.Replaced == "" {
				t.Fatalf("it stands: %+v", result)
			}
		}},
		"a model that distils": {"superseded_by", func(t *testing.T, a *daemontest.Fixture) {
			row := daemontest.RowOf(t, a, idOf(text))
			after := row.State()
			after.SupersededBy = "x"
			run := memory.Run{ID: "run", Job: "distill", StartedAt: daemontest.Noon, Actions: []memory.Action{
				{ID: "run-0", Memory: row.Memory.ID, Kind: "supersede", Before: row.State(), After: after, Cursor: row.Cursor},
			}}
			for range 2 { // its end is recorded later
				musttest.Get(a.Store.Commit(t.Context(), memory.Commit{Run: run}))(t)
				run.Actions, run.EndedAt = nil, daemontest.Noon
			}
		}},
		"somebody asks again to keep it": {"status", func(t *testing.T, a *daemontest.Fixture) {
			daemontest.Changed(t, a, idOf(text), 0, memory.Change{Status: memory.StatusArchived})
			daemontest.Kept(t, a, daemontest.Stored(30, text))
		}},
	} {
		for how, fate := range map[string]memory.Fate{"a decision": {Decided: memory.Decided{"pinned": known}}, "what was said": {}} {
			t.Run(name+", after "+how, func(t *testing.T) {
				a, _, _ := daemontest.New(t)
				daemontest.Kept(t, a, daemontest.Stored(0, text))
				other := letter(1, map[string]memory.Fate{"the lift is broken": fate})
				if fate.Decided == nil {
					other[0].Import.Memory.LastSeenAt = known
				}
				mine := letter(1, map[string]memory.Fate{text: {Decided: memory.Decided{"tags": daemontest.Noon.Add(time.Minute)}}})
				mine[0].Import.Memory.Tags, mine[0].Import.Memory.Source = []string{"net"}, memory.SourceAssistant
				musttest.Do(t, receive(t, a, append(other, mine...)))
				decided := func() memory.Decided {
					decisions := musttest.Get(a.Store.Decisions(t.Context(), []string{idOf(text)}))(t)
					return memory.LastDecisions(decisions)[idOf(text)]
				}
				if at := decided()["tags"]; !at.Equal(daemontest.Noon.Add(time.Minute)) {
					t.Errorf("the decision of the other machine is dated %s", at)
				}
				c.decide(t, a)
				musttest.Do(t, receive(t, a, append(other, mine...))) // the same letter again
				if at := decided()[c.field]; !at.After(known) || at.Sub(known) > time.Second {
					t.Errorf("the %s was decided at %s; want just after %s", c.field, at, known)
				}
			})
		}
	}
}

// TestWhatIsSaidLaterStandsAbove what was said while a clock was ahead, here or on another machine. The prompts
// keep their time, because a transcript has it, too.
func TestWhatIsSaidLaterStandsAbove(t *testing.T) {
	texts := map[rune]string{
		'1': "We always deploy with bin/ship.", '2': "From now on we deploy with make release.", '3': "From now on we deploy with go run ./release.",
		'a': "Remember: deploys go to larch.", 'b': "Remember: deploys go to birch.",
	}
	for _, c := range []struct {
		ahead time.Duration
		said  string // the first one while the clock was ahead
	}{
		{15 * time.Second, "12"},
		{2 * time.Minute, "ab"},
		{2 * time.Minute, "121"},
		{6 * time.Minute, "12"},
		{3 * time.Hour, "ab"},
		{26 * time.Hour, "12"},
		{26 * time.Hour, "ab"},
		{3 * time.Hour, "123"},
		{3 * time.Hour, "121"},
		{3 * time.Hour, "1212"},
		{3 * time.Hour, "1a2b"},
		{0, "12"},
		{-time.Hour, "12"},
	} {
		t.Run(fmt.Sprint(c.said, " ", c.ahead), func(t *testing.T) {
			a, _, _ := daemontest.New(t)
			n, last := 0, time.Time{}
			for i, which := range c.said {
				e := daemontest.Prompt(0, texts[which])
				e.ID, e.Session = fmt.Sprint("event-", i), fmt.Sprint(i, "-session")
				now := daemontest.Noon.Add(time.Duration(n) * time.Second)
				if n += 10; i == 0 {
					now = now.Add(c.ahead)
				}
				a.Now, e.At = func() time.Time { return now }, now
				daemontest.Ingested(t, a, e)
				m := daemontest.RowOf(t, a, idOf(strings.TrimPrefix(texts[which], "Remember: "))).Memory
				if !m.LastSeenAt.After(last) {
					t.Errorf("statement %d is dated %s, before %s", i, m.LastSeenAt, last)
				}
				if last = m.LastSeenAt; c.ahead <= 0 && !last.Equal(now) {
					t.Errorf("statement %d is dated %s, want %s", i, last, now)
				}
				record := daemontest.RecordNamed(t, a, e.Session)
				if len(record.Prompts) != 1 || !record.Prompts[0].At.Equal(now) {
					t.Errorf("the prompt has another date: %+v", record.Prompts)
				}
			}
		})
	}
	t.Run("known by a letter", func(t *testing.T) {
		a, _, _ := daemontest.New(t)
		sent := letter(1, map[string]memory.Fate{texts['1']: {}})
		sent[0].Import.Memory.LastSeenAt = daemontest.Noon.Add(3 * time.Hour)
		musttest.Do(t, receive(t, a, sent))
		daemontest.Ingested(t, a, daemontest.Prompt(10, texts['2']))
		if at := daemontest.RowOf(t, a, idOf(texts['2'])).Memory.LastSeenAt; !at.After(sent[0].Import.Memory.LastSeenAt) {
			t.Errorf("the correction is dated %s", at)
		}
	})
}
