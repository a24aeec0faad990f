package daemon_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/purged"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
)

// purging returns a recording that can purge.
func purging(t *testing.T) *recording {
	t.Helper()
	r := newRecording(t, t.TempDir())
	r.Scrub.Texts, r.Scrub.SweepRow = r.inner.(daemon.SweepStore), surreal.SweepRow
	return r
}

// contents returns the contents of all memories of a project, archived ones included, sorted.
func (r *recording) contents(t *testing.T, project string) []string {
	t.Helper()
	found := musttest.Get(memory.Memories(t.Context(), r.inner, memory.Filter{Project: project, Limit: 99, Statuses: []memory.Status{memory.StatusActive, memory.StatusArchived}}))(t)
	all := []string{}
	for _, m := range found {
		all = append(all, m.Content)
	}
	slices.Sort(all)
	return all
}

// TestAPurgeOfAWordOfOursTakesOnlyTexts: fields hold words of ours and the client's, such as user, active and prompt. Purging such words
// deletes what has one in a text, and nothing else; all is stored as before, and so is the next purge done.
func TestAPurgeOfAWordOfOursTakesOnlyTexts(t *testing.T) {
	words := []string{
		"user", "assistant", "tool", "active", "completed", "startup", "prompt", "remembered", "project", "note", "semantic", "decision", "archived",
		"debugging", "learned", "Bash", "cafe", "cli", "2026",
	}
	r := purging(t)
	start, end := daemontest.Event(0, memory.EventSessionStarted), daemontest.Event(9, memory.EventSessionEnded)
	start.Source, end.Reason = "startup", "prompt_input_exit"
	fact, cafe, today := daemontest.Stored(2, "the lift is repaired"), daemontest.Noted(3, "the gate is green"), daemontest.Noted(4, "doors open at nine")
	fact.Title, fact.Tags, fact.RememberedKind = "lift", []string{"decision"}, memory.KindDecision
	cafe.Session, today.Session = "5f0c9a52-1d0e-4b7c-cafe-2a1b3c4d5e6f", "cli-2026-11-20-0a1b2c3d"
	r.ingest(t, start, daemontest.Noted(1, "the port is 6543"), fact, cafe, today)
	r.ingest(t, append(daemontest.Story(), end)...)
	id := memory.NewID(memory.ScopeProject, "p", "the gate is green")
	daemontest.Changed(t, r.Fixture, id, 0, memory.Change{Status: memory.StatusArchived})
	want := r.contents(t, "p")
	for _, word := range words {
		r.ingest(t, daemontest.Noted(8, "the word is "+word))
	}
	if stored := r.contents(t, "p"); len(want) != 5 || len(stored) != len(want)+len(words) {
		t.Fatalf("stored: %q", stored)
	}
	for _, purged := range [][]string{words, {"zanzibar"}} {
		musttest.Do(t, scrubbed(t, r, daemonapi.ScrubParams{Words: purged}))
	}
	musttest.Same(t, want, r.contents(t, "p"), "left (-want +got)")
	later := daemontest.Prompt(20, "where are the doors?")
	later.Session = "s2"
	r.ingest(t, later, daemontest.Noted(21, "the stairs are wet"))
	if record := daemontest.RecordNamed(t, r.Fixture, "s2"); len(record.Prompts) != 1 {
		t.Errorf("the record: %+v", record)
	}
	if got := r.contents(t, "p"); !slices.Contains(got, "the stairs are wet") {
		t.Errorf("later: %q", got)
	}
}

// TestAProjectKeepsItsKeyWhenWordsInItArePurged, whichever way what is said there comes in, and after a rebuild: the key and the folder
// identify it.
func TestAProjectKeepsItsKeyWhenWordsInItArePurged(t *testing.T) {
	note := func(n int, text string, where memory.Project) memory.Event {
		e := daemontest.Noted(n, text)
		e.Project, e.Dir, e.Session = where, where.Root+"/web", "session of "+memory.NewID(memory.ScopeProject, where.Key, "")
		return e
	}
	folder := func(path string) memory.Project {
		return memory.Project{Key: path, Name: filepath.Base(path), Root: path}
	}
	r := purging(t)
	captured := func(where memory.Project) { r.ingest(t, note(3, "the stairs are wet", where)) }
	imported := func(where memory.Project, fate *memory.Fate) {
		e := daemontest.ImportedNote(3, "the stairs are wet")
		e.ID, e.Project, e.Import.Fate, e.Import.Memory.Project = memory.NewImportID("test", where.Key), where, fate, where.Key
		done := musttest.Get(r.Intake.Import(t.Context(), daemonapi.ImportParams{Events: []memory.Event{e}}))(t)
		if len(done.Refused) > 0 {
			t.Fatal(where.Key, done)
		}
	}
	all := []struct {
		where memory.Project
		comes func(memory.Project)
	}{
		{folder("/w/Quixotry-shop"), captured},
		{folder("/quixotry"), captured},
		{folder("/w/quixotry/shop"), captured},
		{folder("/w/Ｑｕｉｘｏｔｒｙ"), captured}, // in another alphabet
		{memory.Project{Key: "github.com/quixotry/shop", Name: "shop", Root: "/w/shop"}, captured},
		{memory.Project{Key: "k", Name: "Quixotry", Root: "/w/k"}, captured},
		{memory.Project{Key: "github.com/x/shop", Name: "shop", Root: "/w/QUIXOTRY/x"}, captured},
		{folder("/w/Quixotry-of-an-import"), func(where memory.Project) { imported(where, nil) }},
		{folder("/w/Quixotry-of-another-machine"), func(where memory.Project) { imported(where, &memory.Fate{UserWritten: true}) }},
		{folder("/w/Quixotry-of-a-model"), func(where memory.Project) {
			e := note(3, "the stairs are wet", where)
			e.ByUser = false
			musttest.Get(r.Intake.IngestOne(t.Context(), e))(t)
		}},
	}
	var first []memory.Event
	for _, one := range all {
		first = append(first, note(1, "the port is 6543", one.where), note(2, "quixotry pays late", one.where))
	}
	r.ingest(t, first...)
	musttest.Do(t, scrubbed(t, r, daemonapi.ScrubParams{Words: []string{"Quixotry"}}))
	r.clock = daemontest.Noon.Add(time.Hour)
	for _, one := range all {
		one.comes(one.where)
		r.ingest(t, note(4, "Quixotry is back", one.where))
	}
	roots := map[string]string{}
	for _, project := range musttest.Get(r.inner.Projects(t.Context()))(t) {
		roots[project.Key] = project.Root
	}
	for _, one := range all {
		if roots[one.where.Key] != one.where.Root || len(roots) != len(all) {
			t.Errorf("%s is in %q, of %d projects", one.where.Key, roots[one.where.Key], len(roots))
		}
		musttest.Same(t, []string{"the port is 6543", "the stairs are wet"}, r.contents(t, one.where.Key), "of the project %s (-want +got)", one.where.Key)
	}
	list := musttest.Get(purged.Load(r.Layout.Purged()))(t)
	made := musttest.Get(r.Upkeep.Backup(t.Context(), ""))(t)
	r.ingest(t, note(5, "the lamp is out", all[0].where))
	fresh, header := restored(t, made.File)
	r.replayed(t, fresh, header.JournalEnd)
	musttest.Get(fresh.(daemon.SweepStore).Sweep(t.Context(), true, list.Sweep()))(t)
	musttest.Same(t, rowsOf(t, r.inner), rowsOf(t, fresh), "rebuilt (-original +rebuilt)")
}

// refusing is a store that refuses a changed row, once.
type refusing struct {
	daemon.SweepStore
	refused *bool
}

func (s refusing) Sweep(ctx context.Context, apply bool, sweep memory.Sweep) (memory.Swept, error) {
	rows, err := s.SweepStore.Sweep(ctx, apply, sweep)
	if apply && !*s.refused {
		*s.refused, err = true, errors.New("rewrite a row: SurrealDB refused it")
	}
	return rows, err
}

// TestARefusedRowHoldsUpNoPurge: all else is purged, which the answer says, and the next purge is whole.
func TestARefusedRowHoldsUpNoPurge(t *testing.T) {
	r := purging(t)
	r.Scrub.Texts = refusing{r.Scrub.Texts, new(bool)}
	r.ingest(t, daemontest.Noted(1, "Quixotry pays late"), daemontest.Noted(2, "Zanzibar pays early"))
	for i, word := range []string{"Quixotry", "Zanzibar"} {
		done, err := r.Scrub.Run(t.Context(), daemonapi.ScrubParams{Words: []string{word}, Apply: true})
		if err != nil || done.Journal.Records == 0 || len(done.Failed) != 1-i {
			t.Errorf("%s: %+v, %v", word, done, err)
		}
	}
	if left := r.contents(t, "p"); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// TestWhoAsksToKeepPurgedWordsIsTold why it is not kept: a model by an error, a person who types it by a line.
func TestWhoAsksToKeepPurgedWordsIsTold(t *testing.T) {
	r := daemontest.Serve(t, daemontest.Ready)
	list, err := new(purged.List).With([]string{"Quixotry"}, nil, nil)
	if err == nil {
		err = list.Save(r.Daemon.Layout.Purged())
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Send(t.Context(), daemonapi.MethodRemember.Call(daemontest.Stored(1, "quixotry pays late"), nil)); !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), purged.Refusal) {
		t.Errorf("a model is told %v", err)
	}
	for prompt, isTold := range map[string]bool{"Remember: QUIXOTRY pays late": true, "Remember: the port is 6543": false, "where is Quixotry?": false} {
		var answer daemonapi.ContextResult
		ask := daemonapi.RecallParams{Purpose: daemonapi.ForPrompt, Project: "p", Session: "s1", Text: prompt, TokenBudget: 100, WaitMS: 60_000, ReportKept: true}
		if err := r.Send(t.Context(), daemonapi.MethodRecall.Call(ask, &answer)); err != nil || strings.Contains(answer.Kept, purged.Refusal) != isTold {
			t.Errorf("%q is told %q, %v", prompt, answer.Kept, err)
		}
	}
}

// TestAPurgedSessionIsAsIfItNeverWas: date, tags, importance and session of each memory are those of the same sessions without the
// purged one, and so they are after a rebuild from the journal or a backup.
func TestAPurgedSessionIsAsIfItNeverWas(t *testing.T) {
	texts := map[byte]string{'1': "We always deploy with bin/ship.", '2': "From now on we deploy with make release.", 'a': "Remember: the bucket is called larch."}
	scripts := []string{ // of each project: what is said, and in which session; x is purged
		"11 22 1x", "1x 22 13", "a1 22 ax", "ax 22 a3", "11 12 2x 1x", "11 1x 13", "1x 1x 21", "11 1x 1x 24", "11 22 1x 2x", "11 21 1x", "ax 1x 11 a1",
	}
	run := func(isSaid bool) *recording {
		r := purging(t)
		r.clock = daemontest.Noon.Add(time.Hour) // no event is ahead of it
		for i := range 4 {                       // all scripts, step by step
			var said []memory.Event
			for _, script := range scripts {
				steps := strings.Fields(script)
				if i >= len(steps) {
					continue
				}
				step := steps[i]
				prompt := daemontest.Prompt(10*i, texts[step[0]])
				prompt.Project, prompt.Session = memory.Project{Key: script, Name: script, Root: "/" + script}, step[1:]+" of "+script
				if isSaid || step[1] != 'x' {
					said = append(said, prompt)
				}
			}
			r.ingest(t, said...)
		}
		return r
	}
	states := func(store memory.RowReader) map[string]string {
		all := map[string]string{}
		for _, m := range musttest.Get(memory.Memories(t.Context(), store, memory.Filter{Limit: 99}))(t) {
			all[m.Project+": "+m.Content] = fmt.Sprintf("%s to %s, %q, importance %.2f, in %s", m.CreatedAt.Format(time.TimeOnly), m.LastSeenAt.Format(time.TimeOnly), m.Tags, m.Importance, m.Session)
		}
		return all
	}
	r, want := run(true), states(run(false).inner)
	made := musttest.Get(r.Upkeep.Backup(t.Context(), ""))(t)
	for _, script := range scripts {
		musttest.Get(r.Scrub.Run(t.Context(), daemonapi.ScrubParams{Session: "x of " + script, Apply: true}))(t)
	}
	fresh := surrealtest.Empty(t)
	r.replayed(t, fresh, "")
	backed, header := restored(t, made.File)
	r.replayed(t, backed, header.JournalEnd)
	forked := daemontest.Prompt(90, texts['a']) // a fork of a purged session has its lines
	forked.Project, forked.Session, forked.Origin = memory.Project{Key: "ax", Name: "ax", Root: "/ax"}, "fork", "x of "+scripts[3]
	musttest.Get(r.Intake.Import(t.Context(), daemonapi.ImportParams{Events: []memory.Event{forked}}))(t)
	for name, store := range map[string]memory.RowReader{"purged": r.inner, "purged and rebuilt": fresh, "purged and restored": backed} {
		musttest.Same(t, want, states(store), "(-never +%s)", name)
	}
}

// TestARefusedPurgeDeletesNothing, neither in the store nor of the events that wait outside of it.
func TestARefusedPurgeDeletesNothing(t *testing.T) {
	a, store, waiting := daemontest.New(t)
	other := daemontest.Noted(1, "labels are printed in Hamburg")
	other.Project = memory.Project{Key: "q", Name: "q", Root: "/q"}
	daemontest.Ingested(t, a, daemontest.Noted(0, "the port is 6543"), other)
	musttest.Get(a.Projects.Merge(t.Context(), daemonapi.MergeParams{From: "p", Into: "q"}))(t)
	daemontest.Put(t, waiting, daemontest.Prompt(2, "x"))
	for _, refused := range []daemonapi.PurgeParams{{Key: "p"}, {Key: "q", All: true}, {}} {
		if _, err := a.Projects.Purge(t.Context(), refused); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%+v: %v", refused, err)
		}
	}
	if left, err := memory.Memories(t.Context(), store, memory.Filter{Limit: 10}); err != nil || len(left) != 2 {
		t.Errorf("of 2 memories %d are left, %v", len(left), err)
	}
	if counts := daemontest.Counts(t, waiting); counts.New != 1 {
		t.Errorf("of 1 event %+v wait", counts)
	}
}

// lateIntake calls before just before a rewrite begins.
type lateIntake struct {
	*intake.Intake
	before func()
}

func (l lateIntake) Rewrite(ctx context.Context, change func(context.Context) error) error {
	l.before()
	return l.Intake.Rewrite(ctx, change)
}

// What is stored while a purge of another machine's begins, and was stated after it, stays, and so does a purge here.
func TestAPurgeElsewhereTakesNothingThatCameMeanwhile(t *testing.T) {
	a, store, _ := daemontest.New(t)
	a.Now = func() time.Time { return daemontest.Noon.Add(24 * time.Hour) }
	file, purgedAt := a.Layout.Purged(), daemontest.Noon.Add(30*time.Minute)
	daemontest.Kept(t, a, daemontest.Noted(0, "the port is 6543"))
	a.Scrub.Texts, a.Scrub.SweepRow = store.Store.(daemon.SweepStore), surreal.SweepRow
	a.Projects.Intake = lateIntake{a.Intake, func() {
		late := daemontest.Noted(1, "the lift is repaired")
		late.At = purgedAt.Add(time.Minute)
		daemontest.Kept(t, a, late)
		musttest.Do(t, (&purged.List{}).WithProjects([]string{"q"}, purgedAt).Save(file))
	}}
	elsewhere := musttest.Get(json.Marshal((&purged.List{}).WithProjects([]string{"p"}, purgedAt)))(t)
	musttest.Get(a.Scrub.Run(t.Context(), daemonapi.ScrubParams{Apply: true, Elsewhere: []json.RawMessage{elsewhere}}))(t)
	found := musttest.Get(memory.Memories(t.Context(), store, memory.Filter{Limit: 10}))(t)
	var left []string
	for _, m := range found {
		left = append(left, m.Content)
	}
	musttest.Same(t, []string{"the lift is repaired"}, left, "left (-want +got)")
	if list, err := purged.Load(file); err != nil || !list.PurgedAt("q").Equal(purgedAt) {
		t.Errorf("the list has %+v, %v: it lacks the purge of q", list, err)
	}
}

// TestWhatAPurgedSessionAsksToKeepIsRefusedInTrueWords: it is not stored because of the session, not because of its words, and user and model are told so.
func TestWhatAPurgedSessionAsksToKeepIsRefusedInTrueWords(t *testing.T) {
	r := purging(t)
	r.ingest(t, daemontest.Prompt(1, "Remember: the gate is green"))
	musttest.Get(r.Scrub.Run(t.Context(), daemonapi.ScrubParams{Session: "s1", Apply: true}))(t)
	e := daemontest.Stored(2, "the kea lives at 9292")
	if _, err := r.Intake.IngestOne(t.Context(), e); !errors.Is(err, purged.ErrSession) {
		t.Errorf("the model is told: %v", err)
	}
	if why, _ := r.Intake.NotKept("s1", "Remember: the kea lives at 9191"); !strings.Contains(why, purged.GoneSession) {
		t.Errorf("the user is told: %q", why)
	}
	for session, prompt := range map[string]string{"s2": "Remember: the kea lives at 9191", "s1": "does the kea live at 9191?"} {
		if why, _ := r.Intake.NotKept(session, prompt); why != "" {
			t.Errorf("in %s, at %q, the user is told: %q", session, prompt, why)
		}
	}
}
