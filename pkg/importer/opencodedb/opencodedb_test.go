package opencodedb_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer/opencodedb"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
)

// recorded are the rows of the real OpenCode 1.18.33.
var recorded = filepath.Join("..", "..", "..", "testdata", "opencode", "opencode.sql")

// database makes a folder with a database of statements.
func database(t *testing.T, statements string) (folder string, db *sql.DB) {
	t.Helper()
	folder = t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(folder, "opencode.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
	return folder, db
}

func recordedSQL(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// eventsOf are the events of each session, one line each, and how many lines are broken.
func eventsOf(t *testing.T, folder string) (all map[string][]string, counts map[memory.EventKind]int, broken int) {
	t.Helper()
	d, err := opencodedb.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	transcripts, err := d.Transcripts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all, counts = map[string][]string{}, map[memory.EventKind]int{}
	for _, one := range transcripts {
		where, _ := project.Identify(one.Dir)
		reader := importer.Reader{Project: where, Wanted: func(context.Context, string) (bool, error) { return true, nil }}
		report, err := reader.Read(t.Context(), one, 0, func(p importer.Progress) error {
			for _, e := range p.Events {
				if err := e.Validate(); err != nil {
					t.Error(err)
				}
				counts[e.Kind]++
				line := fmt.Sprintf("%s %s", e.Kind, memory.OneLine(e.Source+e.Prompt+e.File+e.Command+" "+e.Error+e.Text+e.After))
				all[e.Session] = append(all[e.Session], strings.TrimSpace(line))
			}
			return nil
		})
		if err != nil || report.Offset != one.Size {
			t.Errorf("%s: %+v, %v", one.File, report, err)
		}
		broken += report.Broken
	}
	return all, counts, broken
}

func TestSessionsMakeTheEventsThatThePluginWouldHaveMade(t *testing.T) {
	folder, _ := database(t, recordedSQL(t))
	got, _, _ := eventsOf(t, folder)
	want := map[string][]string{
		"ses_df47ebe32ffe8a7S9xa9dz6n6n": {
			"session_started transcript",
			"prompt Remember: the staging database listens on port 6543. SCRIPT:work",
			"command_failed make deploy Exit code 2 quota of the staging cluster is used up make: *** [Makefile:2: deploy] Error 2",
			"tool_used rollout.sh",
			"file_changed rollout.sh replicas=3",
			"file_changed runbook.md # How to deploy Ask Ann first.",
			"command_succeeded make test",
			"turn_ended The script is changed; the deployment failed.",
			"prompt Where were we?",
			"turn_ended The script is changed; the deployment failed.",
			"session_ended",
		},
		"ses_df47deacdffe3sZ9mbOLtLzs6e": {
			"session_started transcript",
			"prompt Ask an agent: SCRIPT:agent",
			"subagent_reported exploreFind out who calls deploy() SCRIPT:find deploy() is called by main.go alone.",
			"turn_ended The agent said so.",
			"session_ended",
			"command_succeeded make lint", // by the subagent, in a session of its own
		},
		"ses_df47d8dd6ffeEeEZEkXQWDWqgl": { // an edit that failed
			"session_started transcript",
			"prompt Try: SCRIPT:bad",
			"turn_ended Fine.",
			"session_ended",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestNothingIsLost counts with queries of its own.
func TestNothingIsLost(t *testing.T) {
	folder, db := database(t, recordedSQL(t))
	count := func(where string) (n int) {
		t.Helper()
		query := "SELECT count(*) FROM part JOIN message ON message.id = part.message_id JOIN session ON session.id = part.session_id WHERE "
		if err := db.QueryRow(query + where).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const done = "part.data->>'$.state.status' = 'completed' AND part.data->>'$.tool' "
	want := map[memory.EventKind]int{
		memory.EventPrompt:           count("message.data->>'$.role' = 'user' AND part.data->>'$.synthetic' IS NULL AND session.parent_id IS NULL"),
		memory.EventFileChanged:      count(done + "IN ('edit', 'write')"),
		memory.EventCommandFailed:    count(done + "= 'bash' AND part.data->>'$.state.metadata.exit' > 0"),
		memory.EventCommandSucceeded: count(done + "= 'bash' AND part.data->>'$.state.metadata.exit' = 0"),
		memory.EventSubagentReported: count(done + "= 'task'"),
	}
	_, counts, broken := eventsOf(t, folder)
	for kind, n := range want {
		if n == 0 || counts[kind] != n {
			t.Errorf("%d of %s, a query counts %d", counts[kind], kind, n)
		}
	}
	if broken != 0 {
		t.Errorf("%d lines are broken", broken)
	}
}

// TestADatabaseInUseIsReadWithoutATrace: OpenCode has it open, with a write-ahead log.
func TestADatabaseInUseIsReadWithoutATrace(t *testing.T) {
	folder, db := database(t, "PRAGMA journal_mode = WAL;"+recordedSQL(t))
	before := names(t, folder)
	if got, _, _ := eventsOf(t, folder); len(got) != 3 {
		t.Errorf("%d sessions were read", len(got))
	}
	if diff := cmp.Diff(before, names(t, folder)); diff != "" {
		t.Errorf("the folder changed (-before +after):\n%s", diff)
	}
	if _, err := db.Exec("UPDATE session SET title = 'x'"); err != nil {
		t.Errorf("its owner cannot go on: %v", err)
	}
}

func names(t *testing.T, folder string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}

func TestAnotherDatabaseIsRefused(t *testing.T) {
	if _, err := opencodedb.Open(t.TempDir()); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("without a database: %v", err)
	}
	for name, statements := range map[string]string{"empty": "", "another": "CREATE TABLE session (id text);"} {
		folder, _ := database(t, statements)
		if name == "empty" {
			if err := os.WriteFile(filepath.Join(folder, "opencode.db"), []byte("no database at all, but long enough"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d, err := opencodedb.Open(folder)
		if err == nil {
			_, err = d.Transcripts(t.Context())
			_ = d.Close()
		}
		if !errors.Is(err, opencodedb.ErrNotOpenCode) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOddRowsAreBrokenLines: neither do they end the import, nor are they passed over in silence.
func TestOddRowsAreBrokenLines(t *testing.T) {
	folder, _ := database(t, recordedSQL(t)+`
		UPDATE part SET data = '{"type":"te' WHERE data LIKE '%Where were we%';
		UPDATE part SET data = '[]' WHERE data LIKE '%The agent said so%';`)
	got, _, broken := eventsOf(t, folder)
	if broken != 2 || len(got) != 3 {
		t.Errorf("%d lines are broken, %d sessions", broken, len(got))
	}
}
