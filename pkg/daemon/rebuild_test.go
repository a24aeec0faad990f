package daemon_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/robfig/cron/v3"
	"pgregory.net/rapid"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/purged"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/storetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wiretest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
)

func TestTheUsersStaysWhenItsProjectIsPurged(t *testing.T) {
	r := newRecording(t, t.TempDir())
	r.ingest(t, daemontest.Noted(1, "the port is 6543"), daemontest.Noted(2, "hunter2"))
	pinned := true
	for i, c := range []memory.Change{{Scope: memory.ScopeUser}, {Pinned: &pinned, AddTags: []string{"port"}}, {Content: "the port is 7001"}} {
		for _, text := range []string{"the port is 6543", "hunter2"} {
			c.ID, c.At, c.By = fmt.Sprint("c", i, text), daemontest.Noon.Add(time.Minute), "cli"
			id := memory.NewID(memory.ScopeProject, "p", text)
			if c.Content != "" && text == "hunter2" { // it goes back to its project, and so it is purged
				musttest.Get(r.Upkeep.Undo(t.Context(), daemonapi.UndoParams{Run: "c0hunter2"}))(t)
				continue
			}
			musttest.Get(r.Intake.Amend(t.Context(), daemonapi.AmendParams{Project: "p", ID: id, Change: c}))(t)
		}
	}
	musttest.Get(r.Projects.Purge(t.Context(), daemonapi.PurgeParams{Key: "p"}))(t)
	fresh := surrealtest.Empty(t)
	r.replayed(t, fresh, "")
	user := memory.Filter{Scope: memory.ScopeUser}
	want, errWant := memory.Memories(t.Context(), r.inner, user)
	got, err := memory.Memories(t.Context(), fresh, user)
	if diff := cmp.Diff(want, got); diff != "" || len(want) != 2 || err != nil || errWant != nil {
		t.Errorf("%v, %v; the user's (-original +rebuilt):\n%s", errWant, err, diff)
	}
	files, err := filepath.Glob(filepath.Join(r.Journal.Dir(), "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if text := journalText(t, file); strings.Contains(strings.ReplaceAll(text, "c0hunter2", ""), `"hunter2"`) {
			t.Errorf("the journal still has the purged text:\n%s", text)
		}
	}
}

// journalText is a segment as text.
func journalText(t *testing.T, path string) string {
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var content io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if content, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	}
	text := musttest.Get(io.ReadAll(content))(t)
	return string(text)
}

// home is where a row goes back to when a person narrows its scope.
var home = regexp.MustCompile(`"home":"[^"]*",`)

// rebuilt are the rows that a rebuild brings back; docs/backup.md names the others. Where
// projects were purged, stayed are the user's memories that came from them, and sessions theirs:
// TestTheUsersStaysWhenItsProjectIsPurged checks which of these come back.
func rebuilt(rows []string, stayed ...string) []string {
	all := []string{}
	for _, row := range rows {
		concerns := slices.ContainsFunc(stayed, func(id string) bool { return strings.Contains(row, id) })
		switch table, _, _ := strings.Cut(row, " "); table {
		case "maintenance_job", "injected_in":
			continue
		case "memory", "used_in", "seen_in", "maintenance_action":
			if concerns { // a backup may show it in a session that began later
				continue
			}
			if len(stayed) > 0 { // also for rows that replaced them
				row = home.ReplaceAllString(row, "")
			}
		}
		all = append(all, row)
	}
	return all
}

// historyDir is where a drawn history keeps its files: in memory, where that is possible.
func historyDir(t *rapid.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "history")
	if err != nil {
		dir, err = os.MkdirTemp("", "history")
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestARebuiltStoreIsTheStoreRowByRow(t *testing.T) {
	seen, drawn := map[string]int{}, 0
	rapid.Check(t, func(rt *rapid.T) {
		drawn++
		h := newLife(rt, historyDir(rt), surrealtest.Empty(rt))
		defer h.close()
		h.live(rapid.IntRange(1, 40).Draw(rt, "steps"))
		fresh := surrealtest.Empty(rt)
		if done := h.replayed(rt, fresh, ""); len(done.Refused)+len(done.Problems) > 0 {
			rt.Fatalf("replayed %+v", done)
		}
		if diff := cmp.Diff(rebuilt(rowsOf(rt, h.inner), h.stayed...), rebuilt(rowsOf(rt, fresh), h.stayed...)); diff != "" {
			rt.Fatalf("rebuilt (-original +rebuilt):\n%s", diff)
		}
		if h.backup != "" {
			saved, header := restored(t, h.backup)
			if done := h.replayed(rt, saved, header.JournalEnd); len(done.Refused)+len(done.Problems) > 0 {
				rt.Fatalf("replayed on a backup: %+v", done)
			}
			if diff := cmp.Diff(rebuilt(rowsOf(rt, h.inner), h.stayed...), rebuilt(rowsOf(rt, saved), h.stayed...)); diff != "" {
				rt.Fatalf("replayed on a backup (-original +rebuilt):\n%s", diff)
			}
		}
		for kind, n := range h.done {
			seen[kind] += n
		}
	})
	t.Log(seen)
	for _, kind := range []string{"letter", "reviewed active", "promote promote", "prune archive", "undo amend"} {
		if drawn >= 300 && seen[kind] == 0 {
			t.Errorf("no history has %s", kind)
		}
	}
}

// TestAMergedRowOfAnExportStopsNothing: an export does not name the row that it was merged into.
func TestAMergedRowOfAnExportStopsNothing(t *testing.T) {
	a, store, _ := daemontest.New(t)
	e := daemontest.ImportedNote(1, "run the time-out checks of the gateway")
	e.Import.Memory.Status = memory.StatusConsolidated
	musttest.Get(a.Intake.Import(t.Context(), daemonapi.ImportParams{Events: []memory.Event{e}}))(t)
	for _, job := range schedule.JobNames() {
		if _, err := a.Upkeep.Maintain(t.Context(), consolidate.Request{Job: job, Trigger: "manual", All: true}); err != nil {
			t.Errorf("%s: %v", job, err)
		}
	}
	kept, err := memory.Memories(t.Context(), store, memory.Filter{Project: e.Project.Key, Statuses: []memory.Status{memory.StatusArchived}})
	if err != nil || len(kept) != 1 {
		t.Errorf("%d are archived, error %v", len(kept), err)
	}
}

// recording is a daemon that keeps a journal, in a directory of its own.
type recording struct {
	*daemontest.Fixture
	dir   string
	inner storetest.Store
	spool *spool.Spool
	clock time.Time
}

func newRecording(t surrealtest.TB, dir string) *recording {
	t.Helper()
	r := &recording{dir: dir, inner: surrealtest.Empty(t), spool: spool.New(filepath.Join(dir, "spool")), clock: daemontest.Noon}
	now := func() time.Time { return r.clock }
	j := journal.New(filepath.Join(dir, "journal"), now)
	r.Fixture = daemontest.NewFixture(daemon.Options{
		Store: r.inner, Spools: []*spool.Spool{r.spool}, Counter: daemontest.WordCounter{}, Config: config.Default(), Layout: paths.Layout{Home: dir},
		Log: slog.New(slog.DiscardHandler), Now: now, Journal: j, Backups: filepath.Join(dir, "backups"),
	})
	return r
}

func (r *recording) ingest(t musttest.TB, events ...memory.Event) {
	for _, e := range events {
		musttest.Do(t, r.spool.Put(e))
	}
	musttest.Get(r.Intake.Ingest(context.Background()))(t)
}

// replayed is a store with the journal's records after a segment.
func (r *recording) replayed(t musttest.TB, into intake.Replayer, after string) intake.Replayed {
	return musttest.Get(intake.Replay(context.Background(), into, redact.Clean, filepath.Join(r.dir, "journal"), after))(t)
}

func rowsOf(t musttest.TB, store storetest.Store) []string {
	return musttest.Get(surrealtest.Texts(context.Background(), store))(t)
}

// restored is a store with the contents of a backup.
func restored(t *testing.T, file string) (storetest.Store, backup.Header) {
	t.Helper()
	store, where := surrealtest.Open(t)
	all := musttest.Get(migrate.Load(migrations.FS))(t)
	schema := surreal.NewMigrationStore(wiretest.Open(t, where))
	header := musttest.Get(backup.Fill(t.Context(), file, backup.Target{Store: store, Schema: schema, Migrations: all}))(t)
	return store, header
}

func TestAChangedMemoryThatIsOlderThanTheJournalComesBack(t *testing.T) {
	r := newRecording(t, t.TempDir())
	distilled := memory.Memory{
		ID: memory.NewID(memory.ScopeProject, "p", "make fails without yarn"), Project: "p", Scope: memory.ScopeProject, Type: memory.TypeSemantic,
		Kind: memory.KindNote, Status: memory.StatusActive, Content: "make fails without yarn", CreatedAt: daemontest.Noon, LastSeenAt: daemontest.Noon,
	}
	musttest.Do(t, r.inner.Ingest(t.Context(), memory.Batch{Memories: []memory.Memory{distilled}}))
	pinned := true
	c := memory.Change{ID: "c1", At: daemontest.Noon, Pinned: &pinned}
	musttest.Get(r.Intake.Amend(t.Context(), daemonapi.AmendParams{Project: "p", ID: distilled.ID, Change: c}))(t)
	fresh := surrealtest.Empty(t)
	r.replayed(t, fresh, "")
	if m, err := memory.Find(t.Context(), fresh, distilled.ID); err != nil || !m.Pinned {
		t.Errorf("it came back as %+v, %v", m, err)
	}
}

func TestAChangeThatIsAskedForAgainIsNotJournaledAgain(t *testing.T) {
	r := newRecording(t, t.TempDir())
	r.ingest(t, daemontest.Noted(1, "the port is 6543"))
	id := memory.NewID(memory.ScopeProject, "p", "the port is 6543")
	amend := func(c memory.Change) {
		t.Helper()
		musttest.Get(r.Intake.Amend(t.Context(), daemonapi.AmendParams{Project: "p", ID: id, Change: c}))(t)
	}
	pinned, loose := true, false
	pin := memory.Change{ID: "c1", At: daemontest.Noon, By: memory.ByPerson, Pinned: &pinned}
	amend(pin)
	amend(memory.Change{ID: "c2", At: daemontest.Noon.Add(time.Minute), By: memory.ByPerson, Pinned: &loose})
	amend(pin) // the answer to the first request was lost, and it comes once more
	fresh := surrealtest.Empty(t)
	r.replayed(t, fresh, "")
	musttest.Same(t, rowsOf(t, r.inner), rowsOf(t, fresh), "rebuilt (-original +rebuilt)")
}

func TestNothingIsAcknowledgedThatIsNotJournaled(t *testing.T) {
	r := newRecording(t, t.TempDir())
	blocked := filepath.Join(r.dir, "journal")
	musttest.Do(t, os.WriteFile(blocked, nil, 0o600)) // where the directory has to be
	musttest.Do(t, r.spool.Put(daemontest.Prompt(1, "one")))
	musttest.Is(t, memory.ErrUnavailable, musttest.Err(r.Intake.Ingest(t.Context())), "ingest")
	if counts, err := r.spool.Counts(); err != nil || counts != (spool.Counts{New: 1}) {
		t.Errorf("the spool has %+v, %v: the event has to wait there", counts, err)
	}
	musttest.Do(t, os.Remove(blocked))
	musttest.Get(r.Intake.Ingest(t.Context()))(t)
	fresh := surrealtest.Empty(t)
	r.replayed(t, fresh, "")
	musttest.Same(t, rowsOf(t, r.inner), rowsOf(t, fresh), "rebuilt (-original +rebuilt)")
}

func TestWhatIsPurgedIsInNoJournalAndDoesNotComeBack(t *testing.T) {
	for name, purge := range map[string]func(*testing.T, *recording) error{
		"a project": func(t *testing.T, r *recording) error {
			_, err := r.Projects.Purge(t.Context(), daemonapi.PurgeParams{Key: "p"})
			return err
		},
		"the last session": func(t *testing.T, r *recording) error {
			return scrubbed(t, r, daemonapi.ScrubParams{Session: "hunter2-1"})
		},
		"words in its id": func(t *testing.T, r *recording) error {
			musttest.Do(t, os.WriteFile(filepath.Join(r.spool.Dir(), "new", "broken.json"), []byte("{hunter2"), 0o600))
			return scrubbed(t, r, daemonapi.ScrubParams{Words: []string{"Hunter2"}})
		},
	} {
		t.Run(name, func(t *testing.T) { testPurge(t, purge) })
	}
}

// scrubbed purges, after a dry run that must count the same, and checks that the logs are empty afterwards.
func scrubbed(t *testing.T, r *recording, p daemonapi.ScrubParams) error {
	log := r.Layout.HookLog() + ".old"
	musttest.Do(t, errors.Join(os.MkdirAll(r.Layout.Logs(), 0o700), os.WriteFile(log, []byte("stop session=hunter2-1: no daemon\n"), 0o600)))
	dry, err := r.Scrub.Run(t.Context(), p)
	if err != nil {
		return err
	}
	p.Apply = true
	done, err := r.Scrub.Run(t.Context(), p)
	musttest.Same(t, done, dry, "the dry run (-done +dry)")
	if left, err := os.ReadFile(log); err != nil || len(left) > 0 || done.Logs != 1 {
		t.Errorf("%d logs were emptied, %q is left, %v", done.Logs, left, err)
	}
	return err
}

// testPurge purges one of two sessions, which is all of its project, and checks that it is nowhere.
func testPurge(t *testing.T, purge func(*testing.T, *recording) error) {
	r := newRecording(t, t.TempDir())
	kept := daemontest.Noted(2, "kept")
	kept.Project, kept.Session = memory.Project{Key: "q", Name: "q", Root: "/q"}, "s2"
	r.Scrub.Texts, r.Scrub.SweepRow = r.inner.(daemon.SweepStore), surreal.SweepRow
	its := []memory.Event{daemontest.Noted(1, "hunter2"), daemontest.Prompt(3, "where is hunter2 kept?"), daemontest.Event(4, memory.EventSessionEnded)}
	for i := range its {
		its[i].Session = "hunter2-1"
	}
	r.ingest(t, its[0], kept, its[1])
	r.ingest(t, its[2])
	id := memory.NewID(memory.ScopeProject, "p", "hunter2")
	musttest.Get(r.Intake.Amend(t.Context(), daemonapi.AmendParams{Project: "p", ID: id, Change: memory.Change{ID: "c", At: daemontest.Noon, By: memory.ByPerson, AddTags: []string{"x"}}}))(t)
	made := musttest.Get(r.Upkeep.Backup(t.Context(), ""))(t)
	musttest.Do(t, purge(t, r))
	var journaled strings.Builder
	musttest.Get(journal.Read(r.Journal.Dir(), "", func(record journal.Record) error {
		fmt.Fprintf(&journaled, "%+v\n", record)
		return nil
	}))(t)
	if strings.Contains(journaled.String(), "hunter2") || !strings.Contains(journaled.String(), "kept") {
		t.Errorf("the journal has\n%s", journaled.String())
	}
	fresh, header := restored(t, made.File)
	if done := r.replayed(t, fresh, header.JournalEnd); len(done.Refused) > 0 {
		t.Errorf("replayed %+v", done)
	}
	musttest.Same(t, rowsOf(t, r.inner), rowsOf(t, fresh), "rebuilt (-original +rebuilt)")
	sessions, err := r.inner.Sessions(t.Context(), memory.LastSessions{Limit: 9})
	if err != nil || len(sessions) != 1 || strings.Contains(journaled.String(), purged.Placeholder) {
		t.Errorf("the sessions are %+v, %v, the journal has\n%s", sessions, err, journaled.String())
	}
}

func TestADailyBackupIsMadeWhenItIsDue(t *testing.T) {
	r := newRecording(t, t.TempDir())
	when := musttest.Get(cron.ParseStandard("37 3 * * *"))(t)
	count := func(want int, moment string) {
		t.Helper()
		r.Upkeep.Archive(t.Context(), when)
		if got, err := backup.List(r.Backups); err != nil || len(got) != want {
			t.Errorf("%s: %d backups, %v, want %d", moment, len(got), err, want)
		}
	}
	count(0, "an empty store")
	r.ingest(t, daemontest.Prompt(1, "one"))
	count(1, "the first")
	r.clock = daemontest.Noon.Add(15 * time.Hour)
	count(1, "an hour too early")
	r.clock = daemontest.Noon.Add(16 * time.Hour)
	count(2, "the next night")
	wrong := filepath.Join(r.Backups, backup.Name(daemontest.Noon.AddDate(1, 0, 0)))
	musttest.Get(backup.Write(t.Context(), r.inner, wrong, "1.0", daemontest.Noon.AddDate(1, 0, 0), "", func() {}))(t)
	r.clock = daemontest.Noon.AddDate(0, 0, 2)
	count(4, "a night after a clock was wrong")
	listed := musttest.Get(backup.List(r.Backups))(t)
	musttest.Same(t, wrong, listed[len(listed)-1], "the last, though its name is the newest (-want +got)")
	musttest.Do(t, os.Remove(wrong))
	count(3, "without that of the wrong clock")
	r.clock = daemontest.Noon.AddDate(0, 0, 5)
	count(4, "after nights that were missed")
	for day := 6; day < 20; day++ {
		r.clock = daemontest.Noon.AddDate(0, 0, day)
		r.Upkeep.Archive(t.Context(), when)
	}
	count(7, "after two weeks")
}
