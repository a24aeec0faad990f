package main

import (
	"context"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
	"github.com/surrealdb-memory/surrealdb-memory/schema"
)

// execute runs a statement on the database that the environment names.
func execute(t *testing.T, env map[string]string, sql string) {
	t.Helper()
	conn := wire.Open(wire.Options{
		Locate: func(context.Context) (wire.Endpoint, error) {
			return wire.Endpoint{URL: env["SURREAL_URL"], User: env["SURREAL_USER"], Pass: env["SURREAL_PASS"]}, nil
		},
		Namespace: env["SURREAL_NS"], Database: env["SURREAL_DB"],
	})
	defer func() { _ = conn.Close(context.Background()) }()
	if err := surreal.NewMigrationStore(conn).Define(t.Context(), []schema.Definition{{SQL: sql}}); err != nil {
		t.Fatal(err)
	}
}

func TestDriftIsFoundAndMended(t *testing.T) {
	env := environment(t)
	if stdout, _, code := run(t, env, "drift", "--json"); code != exitFailed {
		t.Errorf("before the first migration: exit %d, %s", code, stdout)
	}
	if _, stderr, code := run(t, env, "up"); code != exitOK {
		t.Fatal(stderr)
	}
	execute(t, env, "REMOVE INDEX memory_pages ON memory; REMOVE FIELD tags ON memory; REMOVE TABLE maintenance_job")
	const missing = `"TABLE maintenance_job","FIELD cursor ON maintenance_job","FIELD slot ON maintenance_job","FIELD tags ON memory","INDEX memory_pages ON memory"`
	for _, step := range []struct {
		args []string
		want string
	}{
		{[]string{"drift", "--json"}, `{"missing":[` + missing + `],"defined":false}`},
		{[]string{"drift", "--json", "--define"}, `{"missing":[` + missing + `],"defined":true}`},
		{[]string{"drift", "--json", "--define"}, `{"missing":[],"defined":false}`},
		{[]string{"drift"}, "0 parts of the schema are missing"},
	} {
		stdout, stderr, code := run(t, env, step.args...)
		if code != exitOK || stdout != step.want+"\n" {
			t.Errorf("%q: exit %d, %s%s, want %s", step.args, code, stdout, stderr, step.want)
		}
	}
}
