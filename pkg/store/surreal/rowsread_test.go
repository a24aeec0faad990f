package surreal

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// The store of TestQueriesReadWhatTheyAnswer has ofEach memories in each project, and a session
// saw ofASession of them. The queries are about the first project.
const (
	allProjects = 5
	ofEach      = 200
	ofASession  = 8
)

// manyProjects fills a store. It has equally many memories of each kind in a start.
func manyProjects(t *testing.T, store *Store) {
	t.Helper()
	kinds := []memory.Kind{memory.KindTodo, memory.KindConvention, memory.KindCorrection, memory.KindDecision, memory.KindNote, memory.KindPreference, memory.KindDiscovery, memory.KindFix}
	at := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	for p := range allProjects {
		var b memory.Batch
		for i := range ofEach {
			at = at.Add(time.Minute)
			id := fmt.Sprintf("%032x", p*ofEach+i)
			session := fmt.Sprintf("s%d-%d", p, i/ofASession)
			if i%ofASession == 0 {
				b.Sessions = append(b.Sessions, memory.Session{ID: session, Project: fmt.Sprint("p", p), State: memory.SessionSummarising, StateAt: at, StartedAt: at, LastEventAt: at})
				b.Summaries = append(b.Summaries, memory.SessionSummary{Session: session, Summary: memory.Summary{Text: "It was done."}})
				b.Prompts = append(b.Prompts, memory.Prompt{ID: id, Session: session, Project: fmt.Sprint("p", p), Text: "do it", At: at})
				b.SessionEvents = append(b.SessionEvents, memory.SessionEvent{ID: id, Session: session, Kind: memory.EventTurnEnded, Text: "done", At: at})
			}
			b.Memories = append(b.Memories, memory.Memory{
				ID: id, Project: fmt.Sprint("p", p), Scope: memory.ScopeProject, Type: memory.TypeSemantic, Kind: kinds[i%len(kinds)],
				Status: memory.StatusActive, Content: id, Importance: 0.5, CreatedAt: at, LastSeenAt: at,
			})
			b.Sightings = append(b.Sightings, memory.Sighting{ID: id, Memory: id, Session: session, At: at})
		}
		b.Projects = []memory.Project{{Key: fmt.Sprint("p", p), Name: "p", Root: "/p", SeenAt: at}}
		musttest.Do(t, store.Ingest(t.Context(), b))
	}
}

// TestQueriesReadWhatTheyAnswer counts the rows that the engine reads for the queries of starts,
// recall and ingest. None may read more in a larger store.
func TestQueriesReadWhatTheyAnswer(t *testing.T) {
	store := openStore(t)
	manyProjects(t, store)
	const limit = 10
	session := recordID("session", "s0-0")
	vars := map[string]any{"project": "p0", "limit": limit, "s": session, "session_id": session, "after": at(time.Time{}), "from": at(time.Time{}), "encoding": "o200k_base"}
	listed := func(f memory.Filter) string {
		f.Project, f.Limit = "p0", limit
		where, filled := condition(f)
		maps.Copy(vars, filled)
		return "SELECT " + rowCodec.all + " FROM memory WHERE " + where + bestFirst
	}
	if _, plan := rowsRead(t, store, "SELECT VALUE id FROM session WHERE project = 'p0' LIMIT 1", vars); strings.Contains(plan, "predicate: ") {
		t.Skipf("plans of this engine do not show which rows a scan skips: they name the predicate of an index, too:\n%s", plan)
	}
	for name, q := range map[string]struct {
		SQL  string
		most int // rows that one statement reads
	}{
		"summaries":             {summarisedSQL, limit},
		"a page of an index":    {strings.NewReplacer("$status", "'active'", "$after", "''").Replace(pageSQL), limit},
		"memories of a session": {seenBySQL, ofASession},
		"its prompts":           {promptsOfSQL, 1},
		"its events":            {sessionEventsOfSQL, 1},
		"injections":            {injectionsSQL, 0},
		"sessions of a project": {sessionsOfProjectSQL, limit + 1},
		"projects":              {projectsSQL, allProjects},
		"memories of a project": {memoriesOfSQL, ofEach},
		"its sessions":          {sessionsOfSQL, ofEach / ofASession},
		"prompts of a session":  {sessionPromptsSQL, 1},
		"todos":                 {listed(memory.Filter{Kinds: []memory.Kind{memory.KindTodo}}), ofEach},
	} {
		for _, statement := range statements(q.SQL) {
			if read, plan := rowsRead(t, store, statement, vars); read > q.most {
				t.Errorf("%s reads %d rows of %d, the most is %d:\n%s", name, read, allProjects*ofEach, q.most, plan)
			}
		}
	}
	summaries, err := store.Sessions(t.Context(), memory.Summarised{Project: "p0", Limit: limit})
	if err != nil || len(summaries) != limit {
		t.Errorf("there are %d summaries, %v: the counts are meaningless", len(summaries), err)
	}
	if read, plan := rowsRead(t, store, "SELECT VALUE id FROM memory WHERE content = 'nowhere'", vars); read < allProjects*ofEach {
		t.Errorf("a query without an index reads %d rows: the counts are meaningless:\n%s", read, plan)
	}
}

// statements returns the statements of a query, none of which has a semicolon in it.
func statements(sql string) (all []string) {
	for statement := range strings.SplitSeq(sql, ";") {
		if statement = strings.TrimSpace(statement); statement != "" {
			all = append(all, statement)
		}
	}
	return all
}

// scanned matches the number of rows that a scan of a plan returned.
var scanned = regexp.MustCompile(`Scan .*\{rows: (\d+),`)

// rowsRead runs a statement and returns how many rows its scans have read. For a scan that
// skips rows, which the engine does not count, it returns a number above all limits.
func rowsRead(t *testing.T, store *Store, statement string, vars map[string]any) (read int, plan string) {
	t.Helper()
	result, err := store.conn.ExecIdempotent(t.Context(), "EXPLAIN ANALYZE "+statement, vars)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	musttest.Do(t, result.Decode(0, &plan))
	scans := 0
	for line := range strings.Lines(plan) {
		found := scanned.FindStringSubmatch(line)
		switch {
		case found == nil:
			continue
		case strings.Contains(line, "predicate: "):
			return math.MaxInt, plan
		}
		rows := musttest.Get(strconv.Atoi(found[1]))(t)
		scans++
		read += rows
	}
	if scans == 0 {
		t.Fatalf("the plan of %s counts no scan:\n%s", statement, plan)
	}
	return read, plan
}
