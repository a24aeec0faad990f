package intake_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
)

// kept spools an event and returns its result.
func kept(t *testing.T, a *daemontest.Fixture, e memory.Event) daemonapi.RememberResult {
	t.Helper()
	daemontest.Put(t, a.Spools[0], e)
	return musttest.Get(a.Intake.IngestOne(t.Context(), e))(t)
}

// replacing is an event of a fact that the assistant stores, and that makes another false.
func replacing(n int, text, id string) memory.Event {
	e := daemontest.Stored(n, text)
	e.Replaces = id
	return e
}

// A text that the assistant stores is a fact like a distilled one, with its own title, area, cues
// and weight; its author stays the assistant.
func TestATextStoredByTheAssistantIsAFact(t *testing.T) {
	a, _, _ := daemontest.New(t)
	e := daemontest.Stored(1, "Exports never join on the account, because guests have none.")
	e.Title, e.Area, e.Cues, e.Everywhere, e.Weight = "Never join exports on the account.", "Exports", []string{"guests are missing", "export.sql"}, true, 3
	m := kept(t, a, e).Memory
	want := memory.Memory{
		Title: "Never join exports on the account", Area: "exports", Cues: []string{"export.sql", "guests are missing"}, Everywhere: true,
		Importance: memory.FactImportance(3), Type: memory.TypeProcedural, Scope: memory.ScopeProject, Kind: memory.KindNote, Source: memory.SourceAssistant, Files: []string{"export.sql"},
	}
	got := memory.Memory{Title: m.Title, Area: m.Area, Cues: m.Cues, Everywhere: m.Everywhere, Importance: m.Importance, Type: m.Type, Scope: m.Scope, Kind: m.Kind, Source: m.Source, Files: m.Files}
	if diff := cmp.Diff(want, got); diff != "" || !m.IsFact() || m.IsModelWritten() || m.Attribution() != "assistant" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		text, title string
		kind        memory.Kind
		scope       memory.Scope
		byUser      bool
	}{
		{"The queue is Redis, because the broker was slow", "The queue is Redis, because the broker was slow", memory.KindDecision, memory.ScopeProject, false},
		{"The user wants short answers", "The user wants short answers", memory.KindPreference, memory.ScopeProject, false},
		{"Migrate the queue", "", memory.KindTodo, memory.ScopeProject, false},
		{"We use tabs", "", memory.KindConvention, memory.ScopeProject, true},
	} {
		e := daemontest.Stored(2, c.text)
		e.RememberedKind, e.ByUser = c.kind, c.byUser
		if m := kept(t, a, e).Memory; m.Title != c.title || m.Scope != c.scope || m.IsFact() != (c.title != "") {
			t.Errorf("%q is stored as %+v", c.text, m)
		}
	}
}

// A fact replaces the one that it makes false at once, also of the same batch, and undoably;
// any other memory stays beside it, and the answer has the reason.
func TestAFactReplacesAnother(t *testing.T) {
	a, _, _ := daemontest.New(t)
	old := daemontest.Stored(1, "The queue is Rabbit")
	users := kept(t, a, daemontest.Noted(2, "The queue must never be polled")).Memory
	wish := daemontest.Stored(3, "The user wants queues explained")
	wish.RememberedKind = memory.KindPreference
	everywhere := daemontest.Changed(t, a, kept(t, a, wish).Memory.ID, 3, memory.Change{Scope: memory.ScopeUser})
	note := daemontest.ImportedNote(3, "Migrate the queue")
	musttest.Get(a.Intake.Import(t.Context(), daemonapi.ImportParams{Events: []memory.Event{note}}))(t)
	other := memory.NewID(memory.ScopeProject, "p", "Migrate the queue")
	oldID := memory.NewID(memory.ScopeProject, "p", old.Text)
	daemontest.Put(t, a.Spools[0], old)
	newer := kept(t, a, replacing(4, "The queue is Redis", oldID[:4]))
	if newer.Replaced != oldID || newer.Stands != "" {
		t.Errorf("replaced %q, stands %q", newer.Replaced, newer.Stands)
	}
	text := daemontest.Recalled(t, a, daemonapi.RecallParams{Session: "next", Purpose: daemonapi.ForPrompt, Text: "is the queue Rabbit or Redis?", MaxLines: 3})
	if strings.Contains(text, "Rabbit") || !strings.Contains(text, "Redis") {
		t.Errorf("a prompt gets %q", text)
	}
	for id, want := range map[string]string{
		users.ID: "it is the user's own: to replace it, set quote to a whole sentence, word for word, that the user typed after it in this session", other: "it is not a fact", everywhere.ID: "it applies to every project", "abcdef": "there is no such memory in this project",
		oldID: memory.ShortID(newer.Memory.ID) + " has replaced it already",
	} {
		if got := kept(t, a, replacing(5, "The queue is Kafka", id)); got.Replaced != "" || got.Stands != want {
			t.Errorf("%s: replaced %q, stands %q, want %q", id, got.Replaced, got.Stands, want)
		}
	}
	if got := kept(t, a, replacing(6, "The queue is Redis", newer.Memory.ID)); got.Stands != "it has the same text" {
		t.Errorf("itself: %+v", got)
	}

	runs, err := a.Store.Runs(t.Context(), memory.RunQuery{})
	runs = slices.DeleteFunc(runs, func(run memory.Run) bool { return run.Job != "replace" })
	if err != nil || len(runs) != 1 || runs[0].Changed != 1 {
		t.Fatalf("runs %+v, %v", runs, err)
	}
	musttest.Get(a.Upkeep.Undo(t.Context(), daemonapi.UndoParams{Run: runs[0].ID}))(t)
	if row := daemontest.RowOf(t, a, oldID); row.SupersededBy != "" || row.Memory.Status != memory.StatusActive {
		t.Errorf("after the undo it is %+v", row)
	}
	if got := kept(t, a, replacing(7, "The queue is Kafka", oldID)); got.Stands != "somebody brought it back" {
		t.Errorf("the restored memory: %+v", got)
	}
}

// TestAStatementAboutSomethingElseHindersNoReplacement, although the statement to be replaced shares half its words and may correct it, if the quoted
// words, which stay, may correct it, too. Otherwise the model is not told to replace it.
func TestAStatementAboutSomethingElseHindersNoReplacement(t *testing.T) {
	for _, c := range []struct {
		other, old, next string
		isReplaced       bool
	}{
		{"staging uses port 2222", "kea uses port 1234", "kea uses port 4321", true},
		{"Anna reviews changes of the billing module", "Boris reviews changes of the search module", "Carla reviews changes of the search module", true},
		{"the backend is deployed with make deploy-api", "the frontend is deployed with make deploy-web", "the frontend is deployed with vite-push", false},
	} {
		a, _, _ := daemontest.New(t)
		e := ofSession(replacing(4, c.next, idOf(c.old)), "s2")
		e.Quote = "From now on " + c.next + "."
		daemontest.Ingested(t, a, daemontest.Prompt(1, "Remember: "+c.other), daemontest.Prompt(2, "Remember: "+c.old), ofSession(daemontest.Prompt(3, e.Quote), "s2"))
		got := kept(t, a, e)
		if (got.Replaced == idOf(c.old)) != c.isReplaced || !c.isReplaced && !strings.Contains(got.Stands, "if it is about something else") {
			t.Errorf("%s replaces %q, and it stands: %s", c.next, got.Replaced, got.Stands)
		}
		if row := daemontest.RowOf(t, a, idOf(e.Quote)); c.isReplaced && row.SupersededBy != "" || daemontest.RowOf(t, a, idOf(c.other)).SupersededBy != "" {
			t.Errorf("the quoted words are replaced, or the other statement is: %+v", row)
		}
	}
}

// Stored while the store is away, and rebuilt from the journal, it is the same.
func TestAReplacementOutlivesTheStore(t *testing.T) {
	a, store, s := daemontest.New(t)
	dir := filepath.Join(t.TempDir(), "journal")
	a.Journal = journal.New(dir, a.Now)
	a.Rebuild()
	defer func() { _ = a.Journal.Close() }()
	old := kept(t, a, daemontest.Stored(1, "The queue is Rabbit")).Memory
	e := replacing(2, "The queue is Redis", old.ID[:6])
	e.Title, e.Cues = "The queue is Redis", []string{"which broker"}
	store.Fail = func(memory.Batch) error { return fmt.Errorf("no engine: %w", memory.ErrUnavailable) }
	daemontest.Put(t, s, e)
	if _, err := a.Intake.IngestOne(t.Context(), e); err == nil {
		t.Fatal("it was stored without a store")
	}
	store.Fail = nil
	musttest.Get(a.Intake.Ingest(t.Context()))(t)
	by := memory.NewID(memory.ScopeProject, "p", e.Text)
	if row := daemontest.RowOf(t, a, old.ID); row.SupersededBy != by {
		t.Errorf("it is %+v", row)
	}

	fresh, _, _ := daemontest.New(t)
	inner := surrealtest.Empty(t)
	fresh.Store = inner
	fresh.Rebuild()
	if done, err := intake.Replay(t.Context(), inner, redact.Clean, dir, ""); err != nil || len(done.Refused) > 0 {
		t.Fatalf("replayed %+v, %v", done, err)
	}
	for id, superseded := range map[string]string{old.ID: by, by: ""} {
		was, is := daemontest.RowOf(t, a, id), daemontest.RowOf(t, fresh, id)
		if diff := cmp.Diff(was.State(), is.State()); diff != "" || is.SupersededBy != superseded {
			t.Errorf("rebuilt (-original +rebuilt):\n%s", diff)
		}
	}
}

// What the assistant stores again after its correction holds again, but not in the place of what the user said.
func TestWhatIsStoredAgainHoldsAgain(t *testing.T) {
	for name, c := range map[string]struct {
		isUsers bool // the correction is the user's
		want    bool
	}{"its own": {want: true}, "the user's": {isUsers: true}} {
		a, _, _ := daemontest.New(t)
		first := daemontest.Stored(1, "The port is 6543.")
		old := kept(t, a, first).Memory
		next := replacing(2, "The port is 7654.", old.ID)
		next.ByUser = c.isUsers
		by := kept(t, a, next).Memory
		again := first
		again.At = first.At.Add(time.Hour)
		again.ID = memory.NewEventID(again.At)
		daemontest.Ingested(t, a, again)
		if got, other := daemontest.RowOf(t, a, old.ID), daemontest.RowOf(t, a, by.ID); (got.SupersededBy == "") != c.want || (other.SupersededBy == old.ID) != c.want {
			t.Errorf("%s: superseded are %q and %q", name, got.SupersededBy, other.SupersededBy)
		}
	}
}

// A model that stores what the user once said, in the user's own words and without new ones, however they are written, changes nothing of what the user said or
// decided since: not the order, and not an edit, a replacement or a forgetting. Where the user took it back, the model is told.
func TestTheModelDoesNotSayTheUsersWordsAgain(t *testing.T) {
	const old, next = "we always deploy on Fridays", "we always deploy on Mondays"
	for name, c := range map[string]struct {
		next   string
		fate   memory.Change
		isGone bool
	}{
		"said otherwise since": {next: next},
		"asked for otherwise":  {next: "Remember: " + next},
		"edited":               {fate: memory.Change{Content: next}, isGone: true},
		"forgotten":            {fate: memory.Change{Status: memory.StatusArchived}, isGone: true},
	} {
		for before, again := range map[string]string{"": old, "Remember: ": "**We always deploy on Fridays!**"} {
			a, _, _ := daemontest.New(t)
			a.Now = func() time.Time { return daemontest.Noon.Add(9 * time.Hour) }
			daemontest.Ingested(t, a, daemontest.Prompt(1, before+old))
			id := idOf(old)
			if c.next != "" {
				daemontest.Ingested(t, a, ofSession(daemontest.Prompt(2, c.next), "s2"))
			} else {
				daemontest.Changed(t, a, id, 1, c.fate)
			}
			was := daemontest.RowOf(t, a, id)
			e := ofSession(daemontest.Stored(3, again), "s3")
			e.At, e.Title = daemontest.Noon.Add(2*time.Hour), "Deploy on Fridays"
			e.ID = memory.NewEventID(e.At)
			daemontest.Put(t, a.Spools[0], e)
			if _, err := a.Intake.IngestOne(t.Context(), e); errors.Is(err, memory.ErrInvalid) != c.isGone || !c.isGone && err != nil {
				t.Errorf("%s%s: stored with the error %v", before, name, err)
			}
			if is := daemontest.RowOf(t, a, id); is.Memory.Status != was.Memory.Status || is.SupersededBy != was.SupersededBy || is.Rejected != was.Rejected || !is.Memory.LastSeenAt.Equal(was.Memory.LastSeenAt) {
				t.Errorf("%s%s: it becomes %+v, was %+v", before, name, is, was)
			}
			start := daemontest.StartOf(t, a, "next")
			if at := strings.Index(start, "Fridays"); at >= 0 && (c.isGone || at < strings.Index(start, "Mondays")) {
				t.Errorf("%s%s: a start has\n%s", before, name, start)
			}
		}
	}
}

// A text that was edited, once or twice, and is restored stands alone, as it was written; an undo brings the edit back. It is only
// restored if the edited text was forgotten.
func TestRestoringAnEditedTextEndsTheEdit(t *testing.T) {
	for name, c := range map[string]struct {
		edits       []string
		isForgotten bool
	}{
		"once": {edits: []string{"the port is 6544"}}, "twice": {edits: []string{"the port is 6544", "the port is 7655"}},
		"and forgotten": {edits: []string{"the port is 6544"}, isForgotten: true},
	} {
		a, _, _ := daemontest.New(t)
		a.Now = func() time.Time { return daemontest.Noon.AddDate(0, 0, 1) }
		first := kept(t, a, daemontest.Noted(1, "the port is\n5432")).Memory
		id := first.ID
		for i, text := range c.edits {
			id = daemontest.Changed(t, a, id, i+1, memory.Change{Content: text}).ID
		}
		if c.isForgotten {
			daemontest.Changed(t, a, id, 4, memory.Change{Status: memory.StatusArchived})
		}
		now := daemontest.Changed(t, a, first.ID, 5, memory.Change{Status: memory.StatusActive})
		last := daemontest.RowOf(t, a, id)
		if now.ID != first.ID || now.Detail != first.Detail || last.Memory.IsRecallable() {
			t.Errorf("%s: restored %+v beside %+v", name, now, last)
		}
		start := daemontest.StartOf(t, a, "next")
		if !strings.Contains(start, "5432") || strings.Contains(start, "6544") || strings.Contains(start, "7655") {
			t.Errorf("%s: a start has\n%s", name, start)
		}
		musttest.Get(a.Upkeep.Undo(t.Context(), daemonapi.UndoParams{Run: "change-5"}))(t)
		if row, again := daemontest.RowOf(t, a, first.ID), daemontest.RowOf(t, a, id); row.Memory.IsRecallable() || again.Memory.IsRecallable() == c.isForgotten {
			t.Errorf("%s: after the undo it is %+v beside %+v", name, row, again)
		}
	}
}

// TestWhateverBecameOfItSaidAgainItHolds has what the user said meet each fate, and then has the user say it again in another project or
// session, by each way: at once, without maintenance, it stands on top there, and what stood in its place does not stand. What was said
// before its fate, and is brought by an import, changes nothing, nor does a second import.
func TestWhateverBecameOfItSaidAgainItHolds(t *testing.T) {
	const text, other, everywhere = "we always deploy on Fridays", "we always deploy on Mondays", "in all my projects we always deploy on Fridays"
	const hook, cli, transcript = "a prompt", "memory remember", "an import"
	forget := memory.Change{Status: memory.StatusArchived}
	narrow := memory.Change{Scope: memory.ScopeProject}
	edit := memory.Change{Content: other}
	for name, c := range map[string]struct {
		first, again string
		by           string
		fates, after []memory.Change // before and after it is said again
		isFact       bool            // a fact that quotes the user stands in its place
		ofFact       []memory.Change // the fate of the fact
		next         string          // a fact in the place of the fact
		isOld        bool            // it was said before its fate
		isGone       bool
	}{
		"narrowed, asked for":                 {first: "Remember: " + everywhere, again: "Remember: " + everywhere, by: hook, fates: []memory.Change{narrow}},
		"narrowed, by the command":            {first: "Remember: " + everywhere, again: everywhere, by: cli, fates: []memory.Change{narrow}},
		"narrowed, by an import":              {first: "Remember: " + everywhere, again: "Remember: " + everywhere, by: transcript, fates: []memory.Change{narrow}},
		"narrowed, by an old import":          {first: "Remember: " + everywhere, again: "Remember: " + everywhere, by: transcript, fates: []memory.Change{narrow}, isOld: true, isGone: true},
		"narrowed and forgotten":              {first: "Remember: " + everywhere, again: "Remember: " + everywhere, by: hook, fates: []memory.Change{narrow, forget}},
		"narrowed again":                      {first: "Remember: " + everywhere, again: "Remember: " + everywhere, by: hook, fates: []memory.Change{narrow}, after: []memory.Change{narrow}, isGone: true},
		"forgotten, asked for":                {first: "Remember: " + text, again: "Remember: " + text, by: hook, fates: []memory.Change{forget}},
		"forgotten, in passing":               {first: text + ".", again: text + ".", by: hook, fates: []memory.Change{forget}},
		"asked for, forgotten, in passing":    {first: "Remember: " + text, again: text + ".", by: hook, fates: []memory.Change{forget}},
		"forgotten, beside another wish":      {first: text + ".", again: text + ".\n\nRemember: the port is 6543", by: hook, fates: []memory.Change{forget}},
		"forgotten, by the command":           {first: text + ".", again: text, by: cli, fates: []memory.Change{forget}},
		"forgotten, by an import":             {first: "Remember: " + text, again: "Remember: " + text, by: transcript, fates: []memory.Change{forget}},
		"forgotten, in passing, by an import": {first: text + ".", again: text + ".", by: transcript, fates: []memory.Change{forget}},
		"forgotten, by an old import":         {first: "Remember: " + text, again: "Remember: " + text, by: transcript, fates: []memory.Change{forget}, isOld: true, isGone: true},
		"forgotten again":                     {first: "Remember: " + text, again: "Remember: " + text, by: transcript, fates: []memory.Change{forget}, after: []memory.Change{forget}, isGone: true},
		"edited, asked for":                   {first: "Remember: " + text, again: "Remember: " + text, by: hook, fates: []memory.Change{edit}},
		"edited, in passing":                  {first: text + ".", again: text + ".", by: hook, fates: []memory.Change{edit}},
		"edited, by the command":              {first: "Remember: " + text, again: text, by: cli, fates: []memory.Change{edit}},
		"edited, by an import":                {first: "Remember: " + text, again: "Remember: " + text, by: transcript, fates: []memory.Change{edit}},
		"edited, by an old import":            {first: "Remember: " + text, again: "Remember: " + text, by: transcript, fates: []memory.Change{edit}, isOld: true, isGone: true},
		"superseded, asked for":               {first: "Remember: " + text, again: "Remember: " + text, by: hook, isFact: true},
		"superseded, said in passing":         {first: text + ".", again: text + ".", by: hook, isFact: true},
		"superseded, with other words":        {first: "Remember: " + text, again: "Please note one more thing.\nRemember: " + text, by: hook, isFact: true},
		"superseded, said before the fact":    {first: "Remember: " + text, again: "Remember: " + text, by: hook, isFact: true, isOld: true, isGone: true},
		"the fact was archived":               {first: "Remember: " + text, again: "Remember: " + text, by: hook, isFact: true, ofFact: []memory.Change{forget}},
		"in passing, fact archived":           {first: text + ".", again: text + ".", by: hook, isFact: true, ofFact: []memory.Change{forget}},
		"said before an archived fact":        {first: "Remember: " + text, again: "Remember: " + text, by: hook, isFact: true, ofFact: []memory.Change{forget}, isOld: true},
		"the fact was superseded":             {first: "Remember: " + text, again: "Remember: " + text, by: hook, isFact: true, next: "Deployments are on Mondays at noon."},
		"the fact was pinned":                 {first: "Remember: " + text, again: "Remember: " + text, by: hook, isFact: true, ofFact: []memory.Change{{Pinned: new(true)}}, isGone: true},
		"superseded, by an import":            {first: "Remember: " + text, again: "Remember: " + text, by: transcript, isFact: true},
		"superseded, in passing":              {first: "Remember: " + text, again: text + ".", by: hook, isFact: true},
		"superseded, by an old import":        {first: "Remember: " + text, again: "Remember: " + text, by: transcript, isFact: true, isOld: true, isGone: true},
		"superseded and forgotten":            {first: "Remember: " + text, again: "Remember: " + text, by: hook, isFact: true, fates: []memory.Change{forget}},
		"superseded and forgotten, an import": {first: "Remember: " + text, again: "Remember: " + text, by: transcript, isFact: true, fates: []memory.Change{forget}},
	} {
		t.Run(name, func(t *testing.T) {
			a, _, _ := daemontest.New(t)
			now := daemontest.Noon
			a.Now = func() time.Time { return now }
			n := 0
			say := func(by, project, text string, at time.Time) (id string) {
				n++
				e := daemontest.Prompt(0, text)
				e.At, e.Session, e.Project.Key = at, fmt.Sprint("session ", n), project
				e.ID = memory.NewEventID(at)
				switch by {
				case cli:
					e.Kind, e.RememberedKind, e.Prompt, e.Text, e.ByUser = memory.EventRemembered, memory.KindNote, "", strings.TrimPrefix(text, "Remember: "), true
					e.Everywhere = strings.Contains(text, "in all my projects")
					return kept(t, a, e).Memory.ID
				case transcript:
					e.ID = memory.NewImportID("transcript", fmt.Sprint(n))
					for range 2 {
						musttest.Do(t, receive(t, a, []memory.Event{e}))
					}
				default:
					daemontest.Ingested(t, a, e)
				}
				return a.Intake.MemoriesOf(e)[0].ID
			}
			id := say(hook, "p", c.first, now)
			between := now.Add(time.Minute)
			change := func(id string, change memory.Change) {
				now = now.Add(time.Hour)
				change.ID, change.At, change.By = memory.NewEventID(now), now, memory.ByPerson
				musttest.Get(a.Intake.Amend(t.Context(), daemonapi.AmendParams{Project: "p", ID: id, Change: change}))(t)
			}
			if c.isFact {
				now = now.Add(time.Hour)
				e := daemontest.Prompt(0, "from now on Monday is the day")
				e.At, e.ID, e.Session = now, memory.NewEventID(now), "s2"
				daemontest.Ingested(t, a, e)
				replace := func(text, id, quote string) string {
					now = now.Add(time.Minute)
					e := replacing(0, text, id)
					e.At, e.ID, e.Session, e.Quote = now, memory.NewEventID(now), "s2", quote
					got := kept(t, a, e)
					musttest.Same(t, id, got.Replaced, "the fact replaces (-want +got)")
					return got.Memory.ID
				}
				fact := replace("Deployments are on Mondays.", id, e.Prompt)
				if c.next != "" {
					replace(c.next, fact, "")
				}
				for _, one := range c.ofFact {
					change(fact, one)
				}
			}
			for _, one := range c.fates {
				change(id, one)
			}
			project := "p"
			if strings.Contains(c.first, everywhere) {
				project = "q"
			}
			if now = now.Add(time.Hour); c.isOld {
				say(c.by, project, c.again, between)
			} else {
				say(c.by, project, c.again, now)
			}
			for _, one := range c.after {
				change(id, one)
				say(transcript, project, c.again, now.Add(-time.Minute))
			}
			index := musttest.Get(a.Briefing.Index(t.Context(), project))(t)
			if got := slices.Contains(index.IDs(), id) && daemontest.RowOf(t, a, id).SupersededBy == ""; got == c.isGone {
				t.Errorf("it stands: %t", got)
			}
			hasOther := len(c.fates) > 0 && c.fates[0].Content != "" || c.isFact
			if start := daemontest.StartOf(t, a, "next"); strings.Contains(start, "Mondays") != (hasOther && c.isGone) || project == "p" && strings.Contains(start, "Fridays") == c.isGone {
				t.Errorf("a start has\n%s", start)
			}
		})
	}
}

// The user's words hold again when the fact that superseded them is gone, by whatever way, and when the user restores them: the newest words
// stand first. An undo brings the fact back in their place.
func TestTheUsersWordsHoldAgainWithoutTheirFact(t *testing.T) {
	const old, newer, text, edited = "the staging database is on port 5432", "from now on the staging database is on port 6543", "Staging DB: port 6543.", "Staging DB: port 7000."
	for name, changes := range map[string][]memory.Change{
		"forgotten by the model": {{Status: memory.StatusArchived, By: "mcp"}},
		"forgotten by the user":  {{Status: memory.StatusArchived, By: memory.ByPerson}},
		"edited, then forgotten": {{Content: edited, By: "mcp"}, {Status: memory.StatusArchived, By: "mcp"}},
		"the user's restored":    nil,
		"edited":                 {{Content: edited, By: "mcp"}},
	} {
		a, _, s := daemontest.New(t)
		a.Now = func() time.Time { return daemontest.Noon.AddDate(0, 0, 1) }
		daemontest.Put(t, s, ofSession(daemontest.Prompt(1, "Remember: "+old), "s0"), daemontest.Prompt(2, newer))
		e := replacing(3, text, idOf(old))
		e.Quote = newer
		fact := kept(t, a, e).Memory.ID
		if start := daemontest.StartOf(t, a, "n1"); strings.Contains(start, old) || !strings.Contains(start, text) {
			t.Fatalf("%s: before, a start has\n%s", name, start)
		}
		id := fact
		for i, c := range changes {
			c.ID, c.At = fmt.Sprint("change-", i+1), daemontest.Noon.Add(time.Duration(i+1)*time.Hour)
			id = musttest.Get(a.Intake.Amend(t.Context(), daemonapi.AmendParams{Project: "p", ID: id, Change: c}))(t).After.ID
		}
		if changes == nil {
			daemontest.Changed(t, a, idOf(old), 1, memory.Change{Status: memory.StatusActive})
		}
		start := daemontest.StartOf(t, a, "n2")
		first, second := strings.Index(start, newer), strings.Index(start, old)
		switch {
		case changes == nil && (second < 0 || strings.Index(start, text) < second),
			changes != nil && name != "edited" && (first < 0 || second < first || strings.Contains(start, text)),
			name == "edited" && (first+second != -2 || !strings.Contains(start, edited)):
			t.Errorf("%s: a start has\n%s", name, start)
		}
		musttest.Get(a.Upkeep.Undo(t.Context(), daemonapi.UndoParams{Run: fmt.Sprint("change-", max(len(changes), 1))}))(t)
		if row := daemontest.RowOf(t, a, idOf(old)); row.SupersededBy != fact {
			t.Errorf("%s: after the undo the old line is superseded by %q, not by %s", name, row.SupersededBy, fact)
		}
		if start := daemontest.StartOf(t, a, "n3"); strings.Contains(start, old) {
			t.Errorf("%s: after the undo a start has\n%s", name, start)
		}
	}
}
