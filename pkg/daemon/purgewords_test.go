package daemon_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
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

// TestAPurgeOfAWordOfOursTakesOnlyTexts: fields hold words of ours and the client's, such as user, active and prompt. Purging such a word
// deletes what has it in a text, and nothing else; all is stored as before, and so is the next purge done.
func TestAPurgeOfAWordOfOursTakesOnlyTexts(t *testing.T) {
	for _, word := range []string{
		"user", "assistant", "tool", "active", "completed", "startup", "prompt", "remembered", "project", "note", "semantic", "decision", "archived",
		"debugging", "learned", "Bash", "cafe", "cli", "2026",
	} {
		t.Run(word, func(t *testing.T) {
			r := purging(t)
			start, end := daemontest.Event(0, memory.EventSessionStarted), daemontest.Event(9, memory.EventSessionEnded)
			start.Source, end.Reason = "startup", "prompt_input_exit"
			fact, cafe, today := daemontest.Stored(2, "the lift is repaired"), daemontest.Noted(3, "the gate is green"), daemontest.Noted(4, "doors open at nine")
			fact.Title, fact.Tags, fact.RememberedKind = "lift", []string{"decision"}, memory.KindDecision
			cafe.Session, today.Session = "5f0c9a52-1d0e-4b7c-cafe-2a1b3c4d5e6f", "cli-2026-11-20-0a1b2c3d"
			r.ingest(t, start, daemontest.Noted(1, "the port is 6543"), fact, cafe, today, daemontest.Noted(8, "the word is "+word))
			r.ingest(t, append(daemontest.Story(), end)...)
			id := memory.NewID(memory.ScopeProject, "p", "the gate is green")
			musttest.Get(r.Intake.Amend(t.Context(), daemonapi.AmendParams{Project: "p", ID: id, Change: memory.Change{ID: "c", At: daemontest.Noon, By: memory.ByPerson, Status: memory.StatusArchived}}))(t)
			want := slices.DeleteFunc(r.contents(t, "p"), func(text string) bool { return strings.HasSuffix(text, " "+word) })
			if len(want) < 5 {
				t.Fatalf("stored: %q", want)
			}
			for _, one := range []string{word, "zanzibar"} {
				if err := scrubbed(t, r, daemonapi.ScrubParams{Words: []string{one}}); err != nil {
					t.Fatal(one, err)
				}
			}
			if diff := cmp.Diff(want, r.contents(t, "p")); diff != "" {
				t.Errorf("left (-want +got):\n%s", diff)
			}
			later := daemontest.Prompt(20, "where are the doors?")
			later.Session = "s2"
			r.ingest(t, later, daemontest.Noted(21, "the stairs are wet"))
			records, err := r.inner.Records(t.Context(), memory.RecordsOf([]string{"s2"}))
			if err != nil || len(records) != 1 || len(records[0].Prompts) != 1 {
				t.Errorf("records: %+v, %v", records, err)
			}
			if got := r.contents(t, "p"); !slices.Contains(got, "the stairs are wet") {
				t.Errorf("later: %q", got)
			}
		})
	}
}

// TestAProjectKeepsItsKeyWhenWordsInItArePurged, whichever way what is said there comes in: the key and the folder identify it.
func TestAProjectKeepsItsKeyWhenWordsInItArePurged(t *testing.T) {
	note := func(n int, text string, where memory.Project) memory.Event {
		e := daemontest.Noted(n, text)
		e.Project, e.Dir = where, where.Root+"/web"
		return e
	}
	imported := func(where memory.Project) memory.Event {
		e := daemontest.ImportedNote(3, "the stairs are wet")
		e.Project = where
		return e
	}
	folder := memory.Project{Key: "/w/Quixotry-shop", Name: "Quixotry-shop", Root: "/w/Quixotry-shop"}
	for name, one := range map[string]struct {
		where memory.Project
		comes func(t *testing.T, r *recording, where memory.Project)
	}{
		"a folder":         {where: folder},
		"the whole folder": {where: memory.Project{Key: "/quixotry", Name: "quixotry", Root: "/quixotry"}},
		"a parent folder":  {where: memory.Project{Key: "/w/quixotry/shop", Name: "shop", Root: "/w/quixotry/shop"}},
		"a remote":         {where: memory.Project{Key: "github.com/quixotry/shop", Name: "shop", Root: "/w/shop"}},
		"a name":           {where: memory.Project{Key: "k", Name: "Quixotry", Root: "/w/shop"}},
		"a root":           {where: memory.Project{Key: "github.com/x/shop", Name: "shop", Root: "/w/QUIXOTRY/shop"}},
		"another alphabet": {where: memory.Project{Key: "/w/Ｑｕｉｘｏｔｒｙ", Name: "Ｑｕｉｘｏｔｒｙ", Root: "/w/Ｑｕｉｘｏｔｒｙ"}},
		"an import": {folder, func(t *testing.T, r *recording, where memory.Project) {
			if done, err := r.Intake.Import(t.Context(), daemonapi.ImportParams{Events: []memory.Event{imported(where)}}); err != nil || len(done.Refused) > 0 {
				t.Fatal(done, err)
			}
		}},
		"another machine's letter": {folder, func(t *testing.T, r *recording, where memory.Project) {
			e := imported(where)
			e.Import.Fate, e.Import.Memory.Project = &memory.Fate{UserWritten: true}, where.Key
			if done, err := r.Intake.Import(t.Context(), daemonapi.ImportParams{Events: []memory.Event{e}}); err != nil || len(done.Refused) > 0 {
				t.Fatal(done, err)
			}
		}},
		"a model": {folder, func(t *testing.T, r *recording, where memory.Project) {
			e := note(3, "the stairs are wet", where)
			e.ByUser = false
			kept, err := r.Intake.IngestOne(t.Context(), e)
			if err != nil || kept.Memory.Project != where.Key {
				t.Fatal(kept, err)
			}
		}},
		"a rebuild": {folder, func(t *testing.T, r *recording, where memory.Project) {
			r.ingest(t, note(3, "the stairs are wet", where))
			list := musttest.Get(purged.Load(r.Daemon.Scrub.Layout.Purged()))(t)
			made := musttest.Get(r.Upkeep.Backup(t.Context(), ""))(t)
			r.ingest(t, note(5, "the lamp is out", where))
			fresh, header := restored(t, made.File)
			r.replayed(t, fresh, header.JournalEnd)
			musttest.Get(fresh.(daemon.SweepStore).Sweep(t.Context(), true, list.Sweep()))(t)
			if diff := cmp.Diff(rowsOf(t, r.inner), rowsOf(t, fresh)); diff != "" {
				t.Errorf("rebuilt (-original +rebuilt):\n%s", diff)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := purging(t)
			r.ingest(t, note(1, "the port is 6543", one.where), note(2, "quixotry pays late", one.where))
			musttest.Do(t, scrubbed(t, r, daemonapi.ScrubParams{Words: []string{"Quixotry"}}))
			r.clock = daemontest.Noon.Add(time.Hour)
			if one.comes == nil {
				one.comes = func(t *testing.T, r *recording, where memory.Project) {
					r.ingest(t, note(3, "the stairs are wet", where))
				}
			}
			one.comes(t, r, one.where)
			r.ingest(t, note(4, "Quixotry is back", one.where))
			projects, err := r.inner.Projects(t.Context())
			if err != nil || len(projects) != 1 || projects[0].Key != one.where.Key || projects[0].Root != one.where.Root {
				t.Errorf("the projects are %+v, %v", projects, err)
			}
			got := slices.DeleteFunc(r.contents(t, one.where.Key), func(text string) bool { return text == "the lamp is out" })
			if diff := cmp.Diff([]string{"the port is 6543", "the stairs are wet"}, got); diff != "" {
				t.Errorf("of the project (-want +got):\n%s", diff)
			}
		})
	}
}

// refusing is a store that refuses a changed row, once.
type refusing struct {
	daemon.SweepStore
	refused *bool
}

func (s refusing) Sweep(ctx context.Context, apply bool, sweep memory.Sweep) (map[string]int, error) {
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
	if err := r.Call(t, daemonapi.MethodRemember.Call(daemontest.Stored(1, "quixotry pays late"), nil)); !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), purged.Refusal) {
		t.Errorf("a model is told %v", err)
	}
	for prompt, isTold := range map[string]bool{"Remember: QUIXOTRY pays late": true, "Remember: the port is 6543": false, "where is Quixotry?": false} {
		var answer daemonapi.ContextResult
		ask := daemonapi.RecallParams{Purpose: daemonapi.ForPrompt, Project: "p", Session: "s1", Text: prompt, TokenBudget: 100, WaitMS: 60_000, ReportKept: true}
		if err := r.Call(t, daemonapi.MethodRecall.Call(ask, &answer)); err != nil || strings.Contains(answer.Kept, purged.Refusal) != isTold {
			t.Errorf("%q is told %q, %v", prompt, answer.Kept, err)
		}
	}
}

// TestAPurgedSessionIsAsIfItNeverWas: date, tags, importance and session of each memory are those of the same sessions without the
// purged one, and so they are after a rebuild from the journal or a backup.
func TestAPurgedSessionIsAsIfItNeverWas(t *testing.T) {
	texts := map[byte]string{'1': "We always deploy with bin/ship.", '2': "From now on we deploy with make release.", 'a': "Remember: the bucket is called larch."}
	run := func(t *testing.T, script string, isSaid bool) *recording {
		t.Helper()
		r := purging(t)
		for i, step := range strings.Fields(script) {
			prompt := daemontest.Prompt(10*i, texts[step[0]])
			prompt.Session = step[1:] + "-session"
			if isSaid || step[1] != 'x' {
				r.ingest(t, prompt)
			}
		}
		return r
	}
	states := func(t *testing.T, store memory.RowReader) map[string]string {
		t.Helper()
		found := musttest.Get(memory.Memories(t.Context(), store, memory.Filter{Project: "p", Limit: 9}))(t)
		all := map[string]string{}
		for _, m := range found {
			all[m.Content] = fmt.Sprintf("%s to %s, %q, importance %.2f, in %s", m.CreatedAt.Format(time.TimeOnly), m.LastSeenAt.Format(time.TimeOnly), m.Tags, m.Importance, m.Session)
		}
		return all
	}
	for _, script := range []string{
		"11 22 1x", "1x 22 13", "a1 22 ax", "ax 22 a3", "11 12 2x 1x", "11 1x 13", "1x 1x 21", "11 1x 1x 24", "11 22 1x 2x", "11 21 1x", "ax 1x 11 a1",
	} {
		t.Run(script, func(t *testing.T) {
			r, never := run(t, script, true), run(t, script, false)
			made := musttest.Get(r.Upkeep.Backup(t.Context(), ""))(t)
			musttest.Do(t, scrubbed(t, r, daemonapi.ScrubParams{Session: "x-session"}))
			want := states(t, never.inner)
			if diff := cmp.Diff(want, states(t, r.inner)); diff != "" {
				t.Errorf("(-never +purged):\n%s", diff)
			}
			fresh := surrealtest.Empty(t)
			r.replayed(t, fresh, "")
			if diff := cmp.Diff(want, states(t, fresh)); diff != "" {
				t.Errorf("(-never +purged and rebuilt):\n%s", diff)
			}
			backed, header := restored(t, made.File)
			r.replayed(t, backed, header.JournalEnd)
			if diff := cmp.Diff(want, states(t, backed)); diff != "" {
				t.Errorf("(-never +purged and restored):\n%s", diff)
			}
		})
	}
}
