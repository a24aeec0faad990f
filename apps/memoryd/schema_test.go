//go:build linux

package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	surrealdb "github.com/surrealdb/surrealdb.go"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/schema"
)

// TestEventsWaitForTheSchema removes, under a running daemon, a part of the schema that a batch needs:
// the store refuses the events, and none of them is to blame.
func TestEventsWaitForTheSchema(t *testing.T) {
	t.Parallel()
	all := musttest.Get(migrate.Load(migrations.FS))(t)
	next := strconv.Itoa(len(all) + 1)
	later := "migration_history:" + next
	for name, change := range map[string]struct {
		away, back string // without back the daemon defines it again by itself
	}{
		"a field is gone": {away: "REMOVE FIELD cues ON memory; REMOVE INDEX memory_changed ON memory"},
		"it is another version's": {
			away: "REMOVE FIELD cues ON memory; CREATE " + later + " CONTENT { version: " + next + ", name: 'later', sha256: '" + strings.Repeat("0", 64) + "', " +
				"binary_version: '9', applied_at: time::now(), duration_ms: 1 }",
			back: definition(t, "cues", "memory") + "DELETE " + later,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			endpoint := enginetest.Endpoint(t)
			namespace, database := enginetest.Database(t)
			h := newHome(t)
			h.env = []string{
				"SURREAL_URL=" + endpoint.URL, "SURREAL_USER=" + endpoint.User, "SURREAL_PASS=" + endpoint.Pass,
				"SURREAL_NS=" + namespace, "SURREAL_DB=" + database,
			}
			h.spool(t, 0)
			a := h.start(t)
			h.expectStored(t, 1)

			runSQL(t, endpoint, namespace, database, change.away)
			for n := 1; n < 5; n++ {
				h.spool(t, n)
			}
			if change.back != "" {
				h.await(t, "the daemon to say that the store is newer", func() bool {
					if h.waiting(t) == 0 {
						t.Fatal("nothing waits")
					}
					status, err := h.status(t)
					return err == nil && status.State == "waiting" && strings.Contains(status.Reason, "newer") && status.Trouble != nil &&
						strings.Contains(status.Trouble.Problem, "schema") && strings.Contains(status.Trouble.Remedy(), "claude plugin update")
				})
				runSQL(t, endpoint, namespace, database, change.back)
			}
			h.expectStored(t, 5)
			a.stop(t)
		})
	}
}

// definition is the statement that defines a field.
func definition(t *testing.T, field, table string) string {
	t.Helper()
	all := musttest.Get(schema.Definitions())(t)
	i := slices.IndexFunc(all, func(d schema.Definition) bool { return d.Kind == "FIELD" && d.Name == field && d.Table == table })
	return all[i].SQL
}

// runSQL changes a database like another program.
func runSQL(t *testing.T, endpoint engine.Endpoint, namespace, database, sql string) {
	t.Helper()
	db, err := surrealdb.FromEndpointURLString(t.Context(), "http"+strings.TrimPrefix(endpoint.URL, "ws"))
	if err != nil {
		t.Fatal(err)
	}
	musttest.Do(t, db.Use(t.Context(), namespace, database))
	_, err = db.SignIn(t.Context(), surrealdb.Auth{Username: endpoint.User, Password: endpoint.Pass})
	if err == nil {
		_, err = surrealdb.Query[any](t.Context(), db, sql, nil)
	}
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}
