package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
)

func TestMain(m *testing.M) { os.Exit(enginetest.Wrap(m).Run()) }

// up runs "up" on a home of its own with the settings, and returns what it prints.
func up(t *testing.T, settings map[string]string) (string, error) {
	t.Helper()
	home := t.TempDir()
	var out strings.Builder
	err := run(t.Context(), []string{"up"}, &out, func(name string) string {
		if name == "MEMORY_HOME" {
			return home
		}
		return settings[name]
	})
	return out.String(), err
}

func TestUpBringsTheStoreToThisVersionsSchema(t *testing.T) {
	endpoint := enginetest.Endpoint(t)
	namespace, database := enginetest.Database(t)
	settings := map[string]string{
		"SURREAL_URL": endpoint.URL, "SURREAL_USER": endpoint.User, "SURREAL_PASS": endpoint.Pass, "SURREAL_NS": namespace, "SURREAL_DB": database,
	}
	all := musttest.Get(migrate.Load(migrations.FS))(t)
	for range 2 { // the second time nothing is missing
		out, err := up(t, settings)
		if want := fmt.Sprintf("the store has the schema of version %d\n", len(all)); err != nil || out != want {
			t.Errorf("it ends with %v and prints %q, want %q", err, out, want)
		}
	}
	settings["SURREAL_PASS"] = "wrong"
	if _, err := up(t, settings); err == nil || strings.Contains(err.Error(), "wrong") {
		t.Errorf("with a wrong password it ends with %v", err)
	}
}

func TestUpFailsWithoutAServer(t *testing.T) {
	listener := musttest.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	url := "ws://" + listener.Addr().String()
	_ = listener.Close()
	if _, err := up(t, map[string]string{"SURREAL_URL": url}); err == nil {
		t.Error("it succeeds")
	}
}

func TestAnotherCommandLineIsRefused(t *testing.T) {
	for _, args := range [][]string{nil, {"up", "a"}, {"down"}} {
		if err := run(t.Context(), args, io.Discard, os.Getenv); !errors.Is(err, errUsage) {
			t.Errorf("%q ends with %v", args, err)
		}
	}
}
