package daemon_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"

	"pgregory.net/rapid"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate/schedule"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/surrealtest"
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
