package sqlite_test

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
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer/sqlite"
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
	d, err := sqlite.OpenOpenCode(folder)
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
	if _, err := sqlite.OpenOpenCode(t.TempDir()); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("without a database: %v", err)
	}
	for name, statements := range map[string]string{"empty": "", "another": "CREATE TABLE session (id text);"} {
		folder, _ := database(t, statements)
		if name == "empty" {
			if err := os.WriteFile(filepath.Join(folder, "opencode.db"), []byte("no database at all, but long enough"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d, err := sqlite.OpenOpenCode(folder)
		if err == nil {
			_, err = d.Transcripts(t.Context())
			_ = d.Close()
		}
		if !errors.Is(err, sqlite.ErrNotOpenCode) {
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

const tables = `CREATE TABLE session (id text, parent_id text, directory text, time_created integer, revert text);
CREATE TABLE message (id text, session_id text, data text);
CREATE TABLE part (id text, message_id text, session_id text, time_created integer, data text);
`

// TestAForkAndARevertOfASession: a fork copies messages under other ids, and reverted messages stay in the database
// until the next prompt.
func TestAForkAndARevertOfASession(t *testing.T) {
	statements := tables
	add := func(session, id, role, text string, created, inserted int) {
		statements += fmt.Sprintf("INSERT INTO message VALUES ('msg_%[1]s', '%[2]s', '{\"role\":\"%[3]s\",\"time\":{\"created\":%[4]d}}');\nINSERT INTO part VALUES ('prt_%[1]s', 'msg_%[1]s', '%[2]s', %[5]d, '{\"type\":\"text\",\"text\":\"%[6]s\"}');\n",
			id, session, role, created, inserted, text)
	}
	statements += "INSERT INTO session VALUES ('ses_1', NULL, '/home/dev/shop', 1795489350000, '{\"messageID\":\"msg_3\"}'), ('ses_2', NULL, '/home/dev/shop', 1795489360000, NULL);\n"
	add("ses_1", "1", "user", "we trust no client clock", 1795489350000, 1795489350000)
	add("ses_1", "2", "assistant", "ok", 1795489351000, 1795489351000)
	add("ses_1", "3", "user", "taken back", 1795489352000, 1795489352000)
	add("ses_2", "4", "user", "we trust no client clock", 1795489350000, 1795489360000)
	add("ses_2", "5", "user", "another way", 1795489361000, 1795489361000)
	folder, _ := database(t, statements)
	ids := map[string]int{}
	d, err := sqlite.OpenOpenCode(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	transcripts, err := d.Transcripts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range transcripts {
		reader := importer.Reader{Project: project.Project{Key: "p"}, Wanted: func(context.Context, string) (bool, error) { return true, nil }}
		if _, err := reader.Read(t.Context(), one, 0, func(p importer.Progress) error {
			for _, e := range p.Events {
				if e.Prompt != "" {
					ids[e.Prompt+" "+e.ID]++
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	copied := 0
	for id, n := range ids {
		if strings.HasPrefix(id, "we trust") && n == 2 {
			copied++
		}
	}
	if len(ids) != 2 || copied != 1 {
		t.Errorf("the prompts are %v", ids)
	}
}

func TestSessionsThatAreNotReadAreNamed(t *testing.T) {
	const second = `CREATE TABLE session_v2(id text, directory text, data text); CREATE TABLE session_message(id text, session_id text, type text, data text);
		INSERT INTO session_v2 VALUES ('ses_1', '/w', '{}'), ('ses_2', '/w', '{}'); INSERT INTO session_message VALUES ('m1', 'ses_2', 'user', '{}'), ('m2', 'ses_3', 'user', '{}');`
	for name, c := range map[string]struct {
		statements string
		want       []string
	}{
		"none":         {tables, nil},
		"both":         {tables + second + "INSERT INTO part VALUES ('p', 'm', 'ses_3', 1, '{}');", []string{"2 sessions of OpenCode 2, whose tables are not read"}},
		"only newer":   {second, []string{"3 sessions of OpenCode 2, whose tables are not read"}},
		"another form": {tables + "CREATE TABLE session_message(id text);", []string{"the sessions in the table session_message of DB, whose form is not known"}},
	} {
		folder, _ := database(t, c.statements)
		d, err := sqlite.OpenOpenCode(folder)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = d.Close() }()
		if all, err := d.Transcripts(t.Context()); err != nil || len(all) != 0 {
			t.Errorf("%s: %d transcripts, %v", name, len(all), err)
		}
		left, err := d.LeftOut(t.Context())
		for i := range left {
			left[i] = strings.ReplaceAll(left[i], filepath.Join(folder, "opencode.db"), "DB")
		}
		if diff := cmp.Diff(c.want, left); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "storage", "session", "p"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "storage", "session", "p", "ses_1.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.OpenOpenCode(folder); !errors.Is(err, memory.ErrNotFound) || !strings.Contains(err.Error(), "1 sessions in files") {
		t.Errorf("an older one: %v", err)
	}
}
