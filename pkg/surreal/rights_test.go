package surreal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	surrealdb "github.com/surrealdb/surrealdb.go"
	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
	"github.com/surrealdb-memory/surrealdb-memory/schema"
)

// team is a store that Anna, Bob and Carol share, seen by each, on a real engine.
type team struct {
	owner, anna, bob *wire.Conn
	as               func(user, pass string) *wire.Conn
}

// onEngines runs a test on the embedded engine and on a surreal binary, where there is one.
func onEngines(t *testing.T, test func(t *testing.T, endpoint engine.Endpoint)) {
	t.Run("embedded", func(t *testing.T) { test(t, enginetest.Endpoint(t)) })
	t.Run("binary", func(t *testing.T) {
		if enginetest.Surreal() == "" {
			t.Skip("there is no surreal binary: " + enginetest.SurrealVariable)
		}
		endpoint, stop, err := enginetest.OpenKind(engine.Binary)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(stop)
		test(t, endpoint)
	})
}

func openTeam(t testing.TB, endpoint engine.Endpoint) team {
	t.Helper()
	namespace, database := enginetest.Database(t)
	open := func(endpoint wire.Endpoint) *wire.Conn {
		conn := wire.Open(wire.Options{
			Locate:    func(context.Context) (wire.Endpoint, error) { return endpoint, nil },
			Namespace: namespace, Database: database, CallTimeout: time.Minute,
		})
		t.Cleanup(func() { _ = conn.Close(context.Background()) })
		return conn
	}
	all := team{owner: open(wire.Endpoint(endpoint)), as: func(user, pass string) *wire.Conn {
		return open(wire.Endpoint{URL: endpoint.URL, User: user, Pass: pass, Access: "person"})
	}}
	files, err := migrate.Load(migrations.FS)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := migrate.Up(t.Context(), NewMigrationStore(all.owner, bootstrap(t)), files, migrate.Options{}); err != nil {
		t.Fatal(err)
	}
	must(t, all.owner, schema.Rights, nil)
	for _, name := range []string{"anna", "bob", "carol"} {
		must(t, all.owner, "CREATE type::record('person', $name) SET active = true, pass = crypto::argon2::generate($pass) RETURN NONE",
			map[string]any{"name": name, "pass": name + "s secret"})
	}
	all.anna, all.bob = all.as("anna", "annas secret"), all.as("bob", "bobs secret")
	return all
}

func must(t testing.TB, conn *wire.Conn, sql string, vars map[string]any) wire.Results {
	t.Helper()
	result, err := conn.Run(t.Context(), wire.Request{SQL: sql, Vars: vars})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return result
}

// The rows that the attacks are about. A raw statement writes them, as any client could.
const (
	wordsOfRow = `type = 'semantic', kind = 'note', status = 'active', content = 'the key of the lab is 4711', detail = '', tags = [], files = [],
		command = '', signature = '', session = '', importance = 0.5, pinned = false, token_count = 1, token_encoding = 'x',
		created_at = time::now(), last_seen_at = time::now()`
	wordsOfSession = `dir = '/home/anna', source = '', source_at = time::now(), state = 'active', state_at = time::now(), started_at = time::now(),
		last_event_at = time::now(), end_reason = '', summary = '', summary_token_count = 0, summary_token_encoding = ''`
	annasRows = `
CREATE project:⟨~anna/K⟩ SET name = 'K', root = '/home/anna', seen_at = time::now();
CREATE active_day:⟨~anna/K/2026-11-24⟩ SET project = '~anna/K', day = '2026-11-24';
CREATE file:⟨f~anna⟩ SET project = '~anna/K', path = 'secret.go', seen_at = time::now();
CREATE session:sanna SET project = '~anna/K', ` + wordsOfSession + `;
CREATE prompt:panna SET session = session:sanna, project = '~anna/K', text = 'where is the key', at = time::now();
CREATE session_event:vanna SET session = session:sanna, kind = 'turn', text = 'told', at = time::now();
CREATE memory:⟨m~anna⟩ SET project = '~anna/K', scope = 'project', ` + wordsOfRow + `;
CREATE memory:⟨n~anna⟩ SET project = '', scope = 'user', ` + wordsOfRow + `;
INSERT RELATION INTO seen_in { id: seen_in:eanna, in: memory:⟨m~anna⟩, out: session:sanna, at: time::now() };
INSERT RELATION INTO used_in { id: used_in:uanna, in: memory:⟨m~anna⟩, out: session:sanna, how: 'recalled', at: time::now() };
INSERT RELATION INTO injected_in { id: injected_in:ianna, in: memory:⟨m~anna⟩, out: session:sanna, hook: 'prompt', subagent: '', at: time::now() };
INSERT RELATION INTO supersedes { id: supersedes:tanna, in: memory:⟨m~anna⟩, out: memory:⟨n~anna⟩, at: time::now() };
INSERT RELATION INTO derived_from { id: derived_from:danna, in: memory:⟨m~anna⟩, out: memory:⟨n~anna⟩, at: time::now() };
CREATE band:⟨~anna/b⟩ SET memories = ['m~anna'];
CREATE maintenance_run:ranna SET job = 'dedup', trigger = 'cron', started_at = time::now(), ended_at = time::now(), examined = 1, changed = 1,
	tokens_freed = 0, error = '', notes = [];
CREATE maintenance_action:aanna SET run = maintenance_run:ranna, memory = memory:⟨m~anna⟩, kind = 'merge', reason = 'the key', before = {}, after = {};
CREATE spend:yanna SET at = time::now(), day = '2026-11-24', session = 'sanna', job = 'j', runner = 'r', model = 'm', input = 1, output = 1, usd = 0.1,
	estimated = false, failed = '';`
	// Bob's own row and session, which the attacks start from.
	bobsRows = `
CREATE session:sb SET project = '~bob/K', ` + wordsOfSession + `;
CREATE memory:⟨m~bob⟩ SET project = '~bob/K', scope = 'project', ` + wordsOfRow + `;
INSERT RELATION INTO seen_in { id: seen_in:eb, in: memory:⟨m~bob⟩, out: session:sb, at: time::now() };`
)

// attack is one attempt of Bob's. It is made twice: with the names of Anna's rows, and with names that no row ever had. Bob has to
// get the same answer, and nobody's rows may change but his own.
//
// The engine 3.0.2 follows the edges of a row whose id one knows without looking at rights, and shows the ids at their ends: see
// docs/security.md. The test says so once it does not any more.
type attack struct {
	what, sql  string
	leaksIn302 bool
}

// attacks are the attempts; ANNA in a name is replaced, once by the letters that Anna's rows have.
var attacks = []attack{
	{"select all", "SELECT * FROM memory", false},
	{"select by project", "SELECT * FROM memory WHERE project = '~anna/K'", false},
	{"select by owner", "SELECT * FROM memory WHERE owner = 'ANNA'", false},
	{"select by content", "SELECT id FROM memory WHERE content CONTAINS 'lab' AND owner != 'bob'", false},
	{"select by id", "SELECT * FROM memory:⟨m~ANNA⟩", false},
	{"select a range of ids", "SELECT * FROM memory:⟨m~⟩..=memory:⟨m~zz⟩ WHERE owner != 'bob'", false},
	{"select a field of an id", "RETURN memory:⟨m~ANNA⟩.content", false},
	{"select through a record link", "RETURN (SELECT VALUE session.summary FROM prompt:pANNA)", false},
	{"ask whether it exists", "RETURN record::exists(memory:⟨m~ANNA⟩)", false},
	{"count all", "SELECT count() FROM memory GROUP ALL", false},
	{"count by project", "SELECT count() FROM memory WHERE project = '~anna/K' GROUP ALL", false},
	{"count sessions", "RETURN count(SELECT id FROM session)", false},
	{"aggregate by owner", "SELECT owner, count() FROM memory GROUP BY owner", false},
	{"prompts and events", "SELECT * FROM prompt; SELECT * FROM session_event; SELECT * FROM session WHERE owner != 'bob'", false},
	{"prompts by id", "SELECT * FROM prompt:pANNA; SELECT * FROM session_event:vANNA; SELECT * FROM session:sANNA", false},
	{"projects, days, files", "SELECT * FROM project; SELECT * FROM active_day; SELECT * FROM file", false},
	{"projects, days, files by id", "SELECT * FROM project:⟨~ANNA/K⟩; SELECT * FROM active_day:⟨~ANNA/K/2026-11-24⟩; SELECT * FROM file:⟨f~ANNA⟩", false},
	{"maintenance", "SELECT * FROM maintenance_run; SELECT * FROM maintenance_action; SELECT * FROM band; SELECT * FROM lease; SELECT * FROM spend", false},
	{"maintenance by id", "SELECT * FROM maintenance_run:rANNA; SELECT * FROM maintenance_action:aANNA; SELECT * FROM band:⟨~ANNA/b⟩; SELECT * FROM spend:yANNA", false},
	{"edges as tables", "SELECT * FROM seen_in WHERE owner != 'bob'; SELECT * FROM used_in; SELECT * FROM injected_in; SELECT * FROM supersedes; SELECT * FROM derived_from", false},
	{"edges by id", "SELECT * FROM seen_in:eANNA; SELECT * FROM used_in:uANNA; SELECT * FROM supersedes:tANNA; RETURN seen_in:eANNA.in", false},
	{"edges from a row", "RETURN memory:⟨m~ANNA⟩->seen_in; RETURN memory:⟨m~ANNA⟩->seen_in->session; RETURN memory:⟨m~ANNA⟩->supersedes->memory", true},
	{"edges to a session", "RETURN session:sANNA<-seen_in<-memory; SELECT <-seen_in FROM session:sANNA", true},
	{"edges of any kind", "RETURN memory:⟨m~ANNA⟩->?; RETURN memory:⟨m~ANNA⟩<->?; SELECT ->?->? FROM memory", true},
	{"fetch what an edge leads to", "SELECT * FROM seen_in WHERE owner != 'bob' FETCH in, out", false},
	{"an edge of one's own to it", "RELATE memory:⟨m~ANNA⟩->seen_in:⟨x1⟩->session:sb SET at = time::now()", false},
	{"an edge of one's own to its session", "RELATE memory:⟨m~bob⟩->used_in:⟨x2⟩->session:sANNA SET how = 'recalled', at = time::now()", false},
	{"an edge over an edge", "INSERT RELATION IGNORE INTO seen_in { id: seen_in:eANNA, in: memory:⟨m~ANNA⟩, out: session:sb, at: time::now() } RETURN AFTER", false},
	{"supersede it", "INSERT RELATION INTO supersedes { id: supersedes:⟨x3⟩, in: memory:⟨m~bob⟩, out: memory:⟨m~ANNA⟩, at: time::now() }", false},
	{"create under its id", "CREATE memory:⟨m~ANNA⟩ SET project = '~bob/K', scope = 'project', " + wordsOfRow, false},
	{"insert under its id", "INSERT IGNORE INTO memory { id: memory:⟨m~ANNA⟩, project: '', scope: 'user', owner: 'bob' } RETURN AFTER", false},
	{"create a file or day under its id", "CREATE file:⟨f~ANNA⟩ SET project = '~bob/K', path = 'x', seen_at = time::now(); CREATE active_day:⟨~ANNA/K/2026-11-24⟩ SET project = '~bob/K', day = 'x'", false},
	{"create with a forged owner", "CREATE memory:⟨x4~bob⟩ SET owner = 'anna', project = '~bob/K', scope = 'project', " + wordsOfRow, false},
	{"create without an owner", "CREATE memory:⟨x5~bob⟩ SET owner = NONE, project = '~bob/K', scope = 'project', " + wordsOfRow, false},
	{"create in another's place", "CREATE memory:⟨x6~bob⟩ SET project = '~anna/K', scope = 'project', " + wordsOfRow, false},
	{"create in a project not shared", "CREATE memory:x7 SET project = 'K', scope = 'project', " + wordsOfRow, false},
	{"move one's own there", "UPDATE memory:⟨m~bob⟩ SET project = 'K'; UPDATE memory:⟨m~bob⟩ SET project = '~anna/K'", false},
	{"give one's own away", "UPDATE memory:⟨m~bob⟩ SET owner = 'ANNA'", false},
	{"change it", "UPDATE memory:⟨m~ANNA⟩ SET content = 'evil'; UPDATE memory SET content = 'evil' WHERE owner != 'bob'", false},
	{"upsert it", "UPSERT memory:⟨m~ANNA⟩ SET project = '~bob/K', scope = 'project', " + wordsOfRow, false},
	{"delete it", "DELETE memory:⟨m~ANNA⟩ RETURN BEFORE; DELETE memory WHERE owner != 'bob' RETURN BEFORE; DELETE session:sANNA RETURN BEFORE; DELETE seen_in:eANNA RETURN BEFORE", false},
	{"read the people", "SELECT * FROM person WHERE name != 'bob'; SELECT * FROM person:ANNA; SELECT pass FROM person", false},
	{"raise one's own role", "UPDATE person:bob SET reads = ['~ANNA/K', 'K'], writes = ['K'], leads = ['K']; UPDATE person:bob SET place = '~ANNA/'", false},
	{"become another", "UPDATE person:bob SET name = 'anna'; UPDATE person:ANNA SET pass = crypto::argon2::generate('x') RETURN AFTER; CREATE person:anna2 SET active = true", false},
	{"join another's place", "CREATE membership:['~ANNA/K', 'bob'] SET project = '~ANNA/K', person = 'bob', role = 'admin', sharing = true", false},
	{"join by another's name", "CREATE membership:['K', 'ANNA'] SET project = 'K', person = 'ANNA', role = 'admin', sharing = true", false},
	{"read the definitions", "INFO FOR DB; INFO FOR TABLE memory; INFO FOR NS; INFO FOR ROOT", false},
	{"change the definitions", "DEFINE TABLE OVERWRITE memory PERMISSIONS FULL; REMOVE TABLE memory; DEFINE FIELD OVERWRITE owner ON memory TYPE any; DEFINE USER bob ON DATABASE PASSWORD 'x' ROLES OWNER", false},
	{"define what acts for one", "DEFINE EVENT spy ON memory WHEN true THEN (CREATE spied); DEFINE FUNCTION fn::all() { RETURN SELECT * FROM memory }; DEFINE ACCESS mine ON DATABASE TYPE RECORD", false},
	{"call the function of rights", "RETURN fn::is_free('~ANNA/K', 'bob')", false},
	{"changes of the table", "SHOW CHANGES FOR TABLE memory SINCE 0", false},
	{"error texts", "RETURN <int> memory:⟨m~ANNA⟩.content; RETURN memory:⟨m~ANNA⟩.content.len(); UPDATE memory:⟨m~ANNA⟩ SET status = 'nonsense'; CREATE ONLY memory:⟨m~ANNA⟩ SET status = 1", false},
	{"throw what is seen", "THROW (SELECT VALUE content FROM memory WHERE owner != 'bob')", false},
	{"migration", "CREATE migration_history:99 SET version = 99; UPDATE migration_history SET name = 'x'; DELETE migration_history RETURN BEFORE; CREATE lease:migrate SET holder = 'bob', token = 9, acquired_at = time::now(), expires_at = time::now() + 1h", false},
}

// serverVersion is the version of the engine, such as 3.0.2.
func serverVersion(t *testing.T, endpoint engine.Endpoint) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http"+strings.TrimPrefix(endpoint.URL, "ws")+"/version", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(strings.TrimSpace(string(text)), "surrealdb-")
}

// answer is all that somebody learns from a query: each statement's result or error. Times are his own.
func answer(t *testing.T, conn *wire.Conn, sql string) string {
	t.Helper()
	var told strings.Builder
	for statement := range strings.SplitSeq(sql, "; ") {
		result, err := conn.Run(t.Context(), wire.Request{SQL: statement})
		var refused *wire.StatementError
		switch {
		case errors.As(err, &refused):
			fmt.Fprintf(&told, "error: %s\n", refused.Message)
		case err != nil:
			fmt.Fprintf(&told, "error: %v\n", err)
		default:
			var value any
			if err := result.Decode(0, &value); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
			fmt.Fprintf(&told, "%v\n", value)
		}
	}
	return told.String()
}

// everything is what the store's owner sees of Anna's rows.
func everything(t *testing.T, conn *wire.Conn) []string {
	t.Helper()
	tables := []string{"memory", "session", "prompt", "session_event", "seen_in", "used_in", "injected_in", "supersedes", "derived_from", "maintenance_run", "maintenance_action", "spend"}
	var rows []string
	for _, table := range tables {
		result := must(t, conn, "SELECT * FROM "+table+" WHERE owner = 'anna' ORDER BY id; SELECT * FROM "+table+" WHERE owner = NONE", nil)
		for i := range result {
			var found []map[string]any
			if err := result.Decode(i, &found); err != nil {
				t.Fatal(err)
			}
			for _, row := range found {
				rows = append(rows, fmt.Sprint(row))
			}
		}
	}
	for _, sql := range []string{"SELECT * FROM person", "SELECT * FROM membership", "SELECT * FROM migration_history", "SELECT * FROM project", "SELECT * FROM file", "SELECT * FROM active_day", "SELECT * FROM band"} {
		var found any
		if err := must(t, conn, sql, nil).Decode(0, &found); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, fmt.Sprint(found))
	}
	return rows
}

func TestAnotherLearnsNothingOfPrivateRows(t *testing.T) {
	if len(attacks) < 40 {
		t.Fatalf("the table has %d attempts, want 40", len(attacks))
	}
	onEngines(t, func(t *testing.T, endpoint engine.Endpoint) {
		team := openTeam(t, endpoint)
		for statement := range strings.SplitSeq(strings.TrimSuffix(annasRows, ";"), ";\n") {
			var made []any
			if err := must(t, team.anna, statement, nil).Decode(0, &made); err != nil || len(made) != 1 {
				t.Fatalf("Anna cannot write her own rows: %s: %v, %v", statement, made, err)
			}
		}
		must(t, team.bob, bobsRows, nil)
		version := serverVersion(t, endpoint)
		before := everything(t, team.owner)
		if len(before) < 17 {
			t.Fatalf("Anna has %d rows: %v", len(before), before)
		}
		for _, a := range attacks {
			t.Run(a.what, func(t *testing.T) {
				hers := answer(t, team.bob, strings.ReplaceAll(a.sql, "ANNA", "anna"))
				none := answer(t, team.bob, strings.ReplaceAll(a.sql, "ANNA", "zora"))
				diff := cmp.Diff(strings.ReplaceAll(none, "zora", "anna"), hers)
				if isLeak := diff != ""; strings.Contains(a.sql, "ANNA") && isLeak != (a.leaksIn302 && version == "3.0.2") {
					t.Errorf("%s\nsays more of what is there than it is known to (-nothing there +hers):\n%s", a.sql, diff)
				}
				for _, word := range []string{"/home/anna", "secret.go", "where is the key", "~anna", "owner:anna"} {
					if strings.Contains(hers, word) && !strings.Contains(a.sql, "ANNA") {
						t.Errorf("%s\ntells %q:\n%s", a.sql, word, hers)
					}
				}
				if diff := cmp.Diff(before, everything(t, team.owner)); diff != "" {
					t.Errorf("%s\nchanged what is not Bob's:\n%s", a.sql, diff)
				}
			})
		}
	})
}

// sees is the ids of a table that somebody sees.
func sees(t *testing.T, conn *wire.Conn, table string) []string {
	t.Helper()
	var ids []string
	if err := must(t, conn, "SELECT VALUE record::id(id) FROM "+table, nil).Decode(0, &ids); err != nil {
		t.Fatal(err)
	}
	slices.Sort(ids)
	return ids
}

// step is something that somebody does with the project K, and whether it has an effect: the engine refuses in silence.
type step struct {
	what string
	who  *wire.Conn
	sql  string
	done bool
}

const (
	let    = "CREATE membership:['K', '%s'] SET project = 'K', person = '%[1]s', role = '%s', sharing = %s"
	sees1  = "SELECT * FROM memory:k1"
	sights = "SELECT * FROM seen_in:⟨k1 bob⟩ WHERE owner = 'bob'"
)

func TestASharedProjectIsItsMembers(t *testing.T) {
	onEngines(t, func(t *testing.T, endpoint engine.Endpoint) {
		team := openTeam(t, endpoint)
		anna, bob, carol := team.anna, team.bob, team.as("carol", "carols secret")
		row := func(id string) string {
			return "CREATE memory:" + id + " SET project = 'K', scope = 'project', " + wordsOfRow
		}
		for _, step := range []step{
			{"Anna cannot write to a project that is not shared", anna, row("k0"), false},
			{"Anna shares it", anna, fmt.Sprintf(let, "anna", "admin", "true"), true},
			{"Anna writes to it", anna, row("k1"), true},
			{"a private id is none of it", anna, row("⟨k2~anna⟩"), false},
			{"Bob reads nothing of it", bob, sees1, false},
			{"Bob cannot join", bob, fmt.Sprintf(let, "bob", "admin", "true"), false},
			{"Bob cannot let himself read", bob, fmt.Sprintf(let, "bob", "reader", "false"), false},
			{"Anna lets Bob read", anna, fmt.Sprintf(let, "bob", "reader", "true"), true},
			{"Bob reads", bob, sees1, true},
			{"Bob does not share yet, whatever Anna wrote", bob, "SELECT * FROM membership WHERE person = 'bob' AND sharing", false},
			{"Carol reads nothing", carol, sees1, false},
			{"Carol does not see who is in", carol, "SELECT * FROM membership", false},
			{"Bob sees who is in", bob, "SELECT * FROM membership WHERE person = 'anna'", true},
			{"a reader does not write", bob, row("k3"), false},
			{"a reader does not change", bob, "UPDATE memory:k1 SET importance = 0.1", false},
			{"a reader does not delete", bob, "DELETE memory:k1 RETURN BEFORE", false},
			{"a reader does not raise himself", bob, "SELECT * FROM (UPDATE membership SET role = 'admin' WHERE person = 'bob') WHERE role != 'reader'", false},
			{"a reader does not lower others", bob, "UPDATE membership SET role = 'reader' WHERE person = 'anna'", false},
			{"a reader lets nobody in", bob, fmt.Sprintf(let, "carol", "reader", "false"), false},
			{"a reader that shares does not write", bob, "SELECT * FROM (UPDATE membership SET sharing = true WHERE person = 'bob') WHERE !sharing", false},
			{"still not", bob, row("k4"), false},
			{"Bob takes his consent back", bob, "UPDATE membership SET sharing = false WHERE person = 'bob'", true},
			{"Anna makes him a member", anna, "UPDATE membership SET role = 'member' WHERE person = 'bob'", true},
			{"a member that does not share does not write", bob, row("k5"), false},
			{"Anna cannot consent for him", anna, "SELECT * FROM (UPDATE membership SET sharing = true WHERE person = 'bob') WHERE sharing", false},
			{"Bob shares, too", bob, "UPDATE membership SET sharing = true WHERE person = 'bob'", true},
			{"Bob writes", bob, row("k6"), true},
			{"Bob forges no owner", bob, "CREATE memory:k7 SET owner = 'anna', project = 'K', scope = 'project', " + wordsOfRow, false},
			{"Anna reads it, and whose it is", anna, "SELECT * FROM memory:k6 WHERE owner = 'bob'", true},
			{"Bob weighs Anna's row", bob, "UPDATE memory:k1 SET importance = 0.9", true},
			{"Bob does not change her words", bob, "SELECT * FROM (UPDATE memory:k1 SET content = 'evil', source = 'user') WHERE content = 'evil' OR source = 'user'", false},
			{"Bob does not take her row out", bob, "UPDATE memory:k1 SET project = '~bob/K'", false},
			{"Bob does not delete her row", bob, "DELETE memory:k1 RETURN BEFORE", false},
			{"Bob starts a session there", bob, "CREATE session:kb SET project = 'K', " + wordsOfSession, true},
			{"Bob has seen the same", bob, "INSERT RELATION INTO seen_in { id: seen_in:⟨k1 bob⟩, in: memory:k1, out: session:kb, at: time::now() }", true},
			{"Anna sees that, and that it was Bob", anna, sights, true},
			{"Carol does not", carol, sights, false},
			{"Anna does not see Bob's prompts", bob, "CREATE prompt:kb SET session = session:kb, project = 'K', text = 'x', at = time::now()", true},
			{"so it is", anna, "SELECT * FROM prompt", false},
			{"Anna takes Bob out", anna, "DELETE membership WHERE person = 'bob' RETURN BEFORE", true},
			{"Bob reads it no more, in the same session", bob, sees1, false},
			{"Bob sees no more what he has seen", bob, sights, false},
			{"Bob writes it no more", bob, row("k8"), false},
			{"Anna leaves", anna, "DELETE membership WHERE person = 'anna' RETURN BEFORE", true},
			{"nobody gets what was shared by sharing it anew", carol, fmt.Sprintf(let, "carol", "admin", "true"), false},
			{"whoever was removed", team.owner, "UPDATE person:bob SET active = false, pass = NONE", true},
			{"reads not even his own", bob, "SELECT * FROM memory", false},
			{"and writes nothing", bob, "CREATE memory:⟨x~bob⟩ SET project = '', scope = 'user', " + wordsOfRow, false},
		} {
			result, err := step.who.Run(t.Context(), wire.Request{SQL: step.sql})
			if err != nil {
				t.Fatalf("%s: %v", step.what, err)
			}
			var rows []any
			if err := result.Decode(0, &rows); err != nil {
				t.Fatalf("%s: %v", step.what, err)
			}
			if len(rows) > 0 != step.done {
				t.Errorf("%s: %s\ncame back with %v", step.what, step.sql, rows)
			}
		}
		for user, pass := range map[string]string{"bob": "bobs secret", "anna": "wrong", "zora": ""} {
			if err := team.as(user, pass).Ping(t.Context()); !errors.Is(err, wire.ErrAuth) {
				t.Errorf("%s signs in: %v", user, err)
			}
		}
	})
}

// batchOf is what a person's sentence in a session becomes, as the intake stores it.
func batchOf(t *testing.T, store *Store, session, said string) memory.Batch {
	const project = "K"
	t.Helper()
	person, err := store.Person(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC().Truncate(time.Second)
	key := person.Keeps(project)
	m := memory.Memory{
		Project: key, Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: memory.KindConvention, Status: memory.StatusActive,
		Source: memory.SourceUser, Content: said, Importance: 0.9, CreatedAt: now, LastSeenAt: now, Session: session,
	}
	m.ID = memory.NewID(m.Scope, project, m.Content)
	mine := m
	mine.Project, mine.Scope = "", memory.ScopeUser
	mine.ID = memory.NewID(mine.Scope, "", mine.Content)
	b := memory.Batch{
		Projects: []memory.Project{{Key: key, Name: "K", Root: "/home/" + session, SeenAt: now}},
		Sessions: []memory.Session{{ID: session, Project: key, State: memory.SessionActive, StartedAt: now, LastEventAt: now, StateAt: now}},
		Prompts:  []memory.Prompt{{ID: "p" + session, Session: session, Project: key, Text: said, At: now}},
		Memories: []memory.Memory{m, mine},
		Sightings: []memory.Sighting{
			{ID: "e" + session, Memory: m.ID, Session: session, At: now}, {ID: "u" + session, Memory: mine.ID, Session: session, At: now},
		},
		Files: []memory.File{{Project: key, Path: "a.go", SeenAt: now}}, Days: []memory.ActiveDay{{Project: key, Day: "2026-11-24"}},
	}
	person.Own(&b)
	return b
}

func TestTheSameSentenceOfTwoPeople(t *testing.T) {
	onEngines(t, func(t *testing.T, endpoint engine.Endpoint) {
		team := openTeam(t, endpoint)
		anna, bob := NewStore(team.anna), NewStore(team.bob)
		const said = "migrations begin with their number"
		write := func(store *Store, session string) error {
			return store.Ingest(t.Context(), batchOf(t, store, session, said))
		}
		for _, err := range []error{write(anna, "a1"), write(bob, "b1"), write(anna, "a1")} {
			if err != nil {
				t.Fatal(err)
			}
		}
		// Nothing is shared: two private rows of the project, and two of the user's.
		if a, b := sees(t, team.anna, "memory"), sees(t, team.bob, "memory"); len(a) != 2 || len(b) != 2 || slices.ContainsFunc(a, func(id string) bool { return slices.Contains(b, id) }) {
			t.Errorf("Anna has %v, Bob %v", a, b)
		}
		must(t, team.anna, fmt.Sprintf(let, "anna", "admin", "true"), nil)
		must(t, team.anna, fmt.Sprintf(let, "bob", "member", "false"), nil)
		must(t, team.bob, "UPDATE membership SET sharing = true WHERE person = 'bob'", nil)
		stale := batchOf(t, bob, "b3", said+" and a name")
		for _, err := range []error{write(anna, "a2"), write(bob, "b2")} {
			if err != nil {
				t.Fatal(err)
			}
		}
		// Shared: one row, two sightings, each with its author.
		id := memory.NewID(memory.ScopeProject, "K", said)
		for who, store := range map[string]*Store{"": anna, "anna": bob} {
			m, err := store.Memory(t.Context(), id)
			if err != nil || m.Owner != "anna" || m.Author != who || m.IsUsersWord() != (who == "") {
				t.Errorf("read %+v, %v, want it of Anna", m, err)
			}
		}
		var owners []string
		if err := must(t, team.bob, "SELECT VALUE owner FROM (SELECT owner FROM seen_in WHERE in = $id ORDER BY owner)", map[string]any{"id": recordID("memory", id)}).Decode(0, &owners); err != nil || !slices.Equal(owners, []string{"anna", "bob"}) {
			t.Errorf("seen by %v, %v", owners, err)
		}
		// Bob is made a reader while his agent still takes him for a member: an error, and nothing of his is in the project.
		must(t, team.anna, "UPDATE membership SET role = 'reader' WHERE person = 'bob'", nil)
		if err := bob.Ingest(t.Context(), stale); !errors.Is(err, memory.ErrRefused) || errors.Is(err, memory.ErrUnavailable) {
			t.Errorf("a refused write: %v", err)
		}
		if _, err := bob.Memory(t.Context(), stale.Memories[0].ID); !errors.Is(err, memory.ErrNotFound) {
			t.Errorf("the refused row: %v", err)
		}
		if err := write(bob, "b3"); err != nil { // to his own place now
			t.Error(err)
		}
	})
}

// TestATeamByItsCommands is what memory team asks the store for.
func TestATeamByItsCommands(t *testing.T) {
	onEngines(t, func(t *testing.T, endpoint engine.Endpoint) {
		team := openTeam(t, endpoint)
		owner, anna, bob := NewStore(team.owner), NewStore(team.anna), NewStore(team.bob)
		owner.Rights = schema.Rights
		change := func(store *Store, do memory.TeamAction, person, project string, role memory.Role) error {
			_, err := store.Team(t.Context(), memory.TeamChange{Do: do, Person: person, Project: project, Role: role, Pass: "secret", Past: true})
			return err
		}
		if serverVersion(t, endpoint) == "3.0.2" {
			if err := change(owner, memory.TeamAdd, "dora", "", ""); !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), "3.3.5") {
				t.Errorf("a person on 3.0.2: %v", err)
			}
			return // several people do not share such a store
		}
		const past, said = "the port of staging is 7001", "reviews take a day"
		if err := anna.Ingest(t.Context(), batchOf(t, anna, "a1", past)); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			what  string
			err   error
			wants error
		}{
			{"the owner adds Dora", change(owner, memory.TeamAdd, "dora", "", ""), nil},
			{"twice", change(owner, memory.TeamAdd, "dora", "", ""), nil}, // errors, of whatever kind; see below
			{"a name that is none", change(owner, memory.TeamAdd, "../x", "", ""), memory.ErrInvalid},
			{"Anna adds nobody", change(anna, memory.TeamAdd, "eve", "", ""), memory.ErrInvalid},
			{"Anna removes nobody", change(anna, memory.TeamRemove, "bob", "", ""), memory.ErrInvalid},
			{"the owner shares nothing", change(owner, memory.TeamShare, "", "K", ""), memory.ErrInvalid},
			{"Anna shares K", change(anna, memory.TeamShare, "", "K", ""), nil},
			{"Bob does not, uninvited", change(bob, memory.TeamShare, "", "K", ""), memory.ErrInvalid},
			{"Bob lets himself in", change(bob, memory.TeamLet, "bob", "K", memory.RoleMember), memory.ErrInvalid},
			{"Anna lets Bob in", change(anna, memory.TeamLet, "bob", "K", memory.RoleReader), nil},
			{"a reader does not share", change(bob, memory.TeamShare, "", "K", ""), memory.ErrInvalid},
			{"Anna makes him a member", change(anna, memory.TeamLet, "bob", "K", memory.RoleMember), nil},
			{"Bob shares", change(bob, memory.TeamShare, "", "K", ""), nil},
			{"Bob takes Anna out", change(bob, memory.TeamExpel, "anna", "K", ""), memory.ErrInvalid},
		} {
			if step.what == "twice" {
				if step.err == nil {
					t.Error("a name was given twice")
				}
				continue
			}
			if !errors.Is(step.err, step.wants) {
				t.Errorf("%s: %v, want %v", step.what, step.err, step.wants)
			}
		}
		if _, err := team.as("dora", "secret").Run(t.Context(), wire.Request{SQL: "RETURN 1"}); err != nil {
			t.Errorf("Dora signs in: %v", err)
		}
		if seen, err := bob.Team(t.Context(), memory.TeamChange{}); err != nil || len(seen.Members) != 2 || len(seen.People) != 1 || seen.You.Name != "bob" || !slices.Equal(seen.You.Writes, []string{"K"}) {
			t.Errorf("Bob sees %+v, %v", seen, err)
		}
		// What Anna knew is shared, since she said so; what she says now is, too.
		if err := anna.Ingest(t.Context(), batchOf(t, anna, "a2", said)); err != nil {
			t.Fatal(err)
		}
		contents := func(store *Store) (all []string) {
			t.Helper()
			if err := store.Recallable(t.Context(), "K", 100, func(rows []memory.Row) error {
				for _, row := range rows {
					if row.Memory.Project != "" {
						all = append(all, row.Memory.Author+": "+row.Memory.Content)
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			slices.Sort(all)
			return all
		}
		if got, want := contents(bob), []string{"anna: " + said, "anna: " + past}; !slices.Equal(got, want) {
			t.Errorf("Bob recalls %q, want %q", got, want)
		}
		start, err := bob.StartContext(t.Context(), memory.StartQuery{Project: "K", Session: "s", Limit: 10})
		if err != nil || len(start.Conventions) != 2 {
			t.Errorf("Bob's start has %+v, %v", start.Conventions, err)
		}
		// She withdraws it: it is hers alone, with what she has seen of it, and Bob can say the same.
		if err := change(anna, memory.TeamUnshare, "", "K", ""); err != nil {
			t.Fatal(err)
		}
		if got := contents(bob); len(got) > 0 {
			t.Errorf("withdrawn, and Bob recalls %q", got)
		}
		if got, want := contents(anna), []string{": " + said, ": " + past}; !slices.Equal(got, want) {
			t.Errorf("Anna has %q left, want %q", got, want)
		}
		if got := sees(t, team.anna, "seen_in"); len(got) != 4 {
			t.Errorf("Anna's sightings are %v", got)
		}
		if err := bob.Ingest(t.Context(), batchOf(t, bob, "b1", said)); err != nil {
			t.Errorf("Bob says the same: %v", err)
		}
		if err := change(owner, memory.TeamRemove, "bob", "", ""); err != nil {
			t.Error(err)
		}
		if _, err := bob.Person(t.Context()); !errors.Is(err, memory.ErrUnavailable) || !strings.Contains(err.Error(), "removed") {
			t.Errorf("whoever was removed: %v", err)
		}
	})
}

// TestALiveQueryTellsOnesOwnRowsOnly asks for all that happens, and hears of nothing but Bob's own row, which is written last.
func TestALiveQueryTellsOnesOwnRowsOnly(t *testing.T) {
	onEngines(t, func(t *testing.T, endpoint engine.Endpoint) {
		if serverVersion(t, endpoint) == "3.0.2" {
			t.Skip("the embedded engine tells nobody of changes")
		}
		team := openTeam(t, endpoint)
		var database []string
		if err := must(t, team.owner, "RETURN [session::ns(), session::db()]", nil).Decode(0, &database); err != nil {
			t.Fatal(err)
		}
		db, err := surrealdb.FromEndpointURLString(t.Context(), endpoint.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close(context.Background()) }()
		if _, err := db.SignIn(t.Context(), map[string]any{"NS": database[0], "DB": database[1], "AC": "person", "name": "bob", "pass": "bobs secret"}); err != nil {
			t.Fatal(err)
		}
		told := make(chan string)
		for _, table := range []string{"memory", "session", "seen_in", "membership", "person"} {
			live, err := surrealdb.Live(t.Context(), db, models.Table(table), false)
			if err != nil {
				t.Fatal(err)
			}
			notes, err := db.LiveNotifications(live.String())
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				for note := range notes {
					select {
					case told <- fmt.Sprint(table, " ", note.Action, " ", note.Result):
					case <-t.Context().Done():
						return
					}
				}
			}()
		}
		must(t, team.anna, annasRows, nil)
		must(t, team.anna, "UPDATE memory SET importance = 0.1; DELETE memory:⟨n~anna⟩", nil)
		must(t, team.bob, bobsRows, nil)
		for heard := 0; heard < 3; heard++ { // his session, his memory, his sighting
			select {
			case note := <-told:
				if strings.Contains(note, "owner:anna") || strings.Contains(note, "~anna") || !strings.Contains(note, "owner:bob") {
					t.Errorf("Bob is told %s", note)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("Bob is not told of his own rows")
			}
		}
	})
}

// shares has Anna lead the shared project K, with Bob in the role, and both share.
func (all team) shares(t *testing.T, role memory.Role) {
	t.Helper()
	must(t, all.anna, fmt.Sprintf(let, "anna", "admin", "true"), nil)
	must(t, all.anna, fmt.Sprintf(let, "bob", role, "false"), nil)
	must(t, all.bob, "UPDATE membership SET sharing = true WHERE person = 'bob'", nil)
}

// TestAChangeOfAnothersRow is refused with the owner's name and the way out, or is made as a whole.
func TestAChangeOfAnothersRow(t *testing.T) {
	onEngines(t, func(t *testing.T, endpoint engine.Endpoint) {
		team := openTeam(t, endpoint)
		owner, anna, bob := NewStore(team.owner), NewStore(team.anna), NewStore(team.bob)
		team.shares(t, memory.RoleReader)
		const said = "migrations begin with their number"
		if err := anna.Ingest(t.Context(), batchOf(t, anna, "a1", said)); err != nil {
			t.Fatal(err)
		}
		id := memory.NewID(memory.ScopeProject, "K", said)
		weight := 0.4
		forget, pinned := memory.Change{Status: memory.StatusArchived, Reason: "it was wrong"}, true
		change := func(store *Store, n string, c memory.Change) (memory.Memory, error) {
			t.Helper()
			c.ID, c.At, c.By = "change"+n, time.Now().UTC().Truncate(time.Second), memory.ByPerson
			_, after, err := store.Amend(t.Context(), id, c)
			return after, err
		}
		refused := func(n, says string, c memory.Change) {
			t.Helper()
			before := everything(t, team.owner)
			if _, err := change(bob, n, c); !errors.Is(err, memory.ErrRefused) || errors.Is(err, errRace) || !strings.Contains(err.Error(), "is anna's") || !strings.Contains(err.Error(), says) {
				t.Errorf("Bob's change %+v: %v, want a refusal that names anna and says %q", c, err, says)
			}
			if diff := cmp.Diff(before, everything(t, team.owner)); diff != "" {
				t.Errorf("Bob's refused change %+v changed\n%s", c, diff)
			}
		}
		// He reads.
		refused("1", "memory team", forget)
		refused("2", "memory team", memory.Change{Content: "migrations have no number"})
		refused("3", "memory team", memory.Change{Importance: &weight})
		// He writes, too.
		must(t, team.anna, "UPDATE membership SET role = 'member' WHERE person = 'bob'", nil)
		for n, c := range map[string]memory.Change{"4": {Content: "migrations have no number"}, "5": {Kind: memory.KindTodo}, "6": {Scope: memory.ScopeUser}} {
			refused(n, "memory forget", c)
		}
		if m, err := change(bob, "7", memory.Change{Importance: &weight}); err != nil || m.Importance != weight {
			t.Errorf("a member weighs Anna's memory: %+v, %v", m, err)
		}
		if m, err := change(bob, "8", forget); err != nil || m.Status != memory.StatusArchived || m.Content != said || m.Owner != "anna" {
			t.Errorf("a member archives Anna's memory: %+v, %v", m, err)
		}
		// Hers it stays, whoever changes it: her own words, for her, and another's for him.
		for n, store := range map[string]*Store{"9": anna, "10": owner} {
			if _, err := change(store, n, memory.Change{Pinned: &pinned, Status: memory.StatusActive}); err != nil {
				t.Error(err)
			}
			pinned = false
		}
		for whose, store := range map[string]*Store{"yours, shared in this project": anna, "anna's, shared in this project": bob} {
			if m, err := store.Memory(t.Context(), id); err != nil || m.Whose() != whose || m.Author == "" != (store == anna) {
				t.Errorf("the memory is %q by %q, want %q; %v", m.Whose(), m.Author, whose, err)
			}
		}
		if m, err := change(anna, "11", memory.Change{Content: "migrations have no number"}); err != nil || m.Owner != "anna" || m.Content != "migrations have no number" {
			t.Errorf("Anna changes her own words: %+v, %v", m, err)
		}
	})
}

// tablesOf collects the tables of a copy's rows.
type tablesOf []string

func (r *tablesOf) Begin(memory.Contents) error { return nil }

func (r *tablesOf) Row(table string, _ []byte) error {
	*r = append(*r, table)
	return nil
}

// TestAPersonNeitherCopiesNorRestoresTheStore: it would be a part of the store that passes for the whole.
func TestAPersonNeitherCopiesNorRestoresTheStore(t *testing.T) {
	onEngines(t, func(t *testing.T, endpoint engine.Endpoint) {
		team := openTeam(t, endpoint)
		owner, anna, bob := NewStore(team.owner), NewStore(team.anna), NewStore(team.bob)
		team.shares(t, memory.RoleMember)
		for session, store := range map[string]*Store{"a1": anna, "b1": bob} {
			if err := store.Ingest(t.Context(), batchOf(t, store, session, "said by "+session)); err != nil {
				t.Fatal(err)
			}
		}
		before := everything(t, team.owner)
		var copied tablesOf
		_, errTables := memory.TablesOf(t.Context(), bob)
		for what, err := range map[string]error{"copy": bob.CopyOut(t.Context(), &copied), "restore": bob.BeginRestore(t.Context(), "a backup"), "back up": errTables} {
			if !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), "you use it as bob") || !strings.Contains(err.Error(), what) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if len(copied) > 0 {
			t.Errorf("Bob has copied rows of %v", copied)
		}
		if diff := cmp.Diff(before, everything(t, team.owner)); diff != "" {
			t.Errorf("of Anna's rows\n%s", diff)
		}
		if err := owner.CopyOut(t.Context(), &copied); err != nil || !slices.Contains(copied, "person") || !slices.Contains(copied, "membership") {
			t.Errorf("the store's owner copies rows of %v, %v", copied, err)
		}
	})
}
