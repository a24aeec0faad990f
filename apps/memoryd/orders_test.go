package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// What a model or a repository puts into the environment names no receiver, and replaces no store.
func TestADaemonBelowAClientTakesNoOrders(t *testing.T) {
	env := map[string]string{"MEMORY_HOME": filepath.Join(t.TempDir(), "home"), "CLAUDECODE": "1", "SURREAL_URL": "ftp://host"}
	getenv := func(key string) string { return env[key] }
	musttest.Same(t, "", trusted(getenv)("SURREAL_URL"), "the address of the store")
	for _, args := range [][]string{{"--restore", "x.surql"}, {"--rebuild", "--force"}} {
		var out bytes.Buffer
		if code := run(t.Context(), args, io.Discard, &out, getenv); code != exitFailed || !strings.Contains(out.String(), "a coding agent runs this program") {
			t.Errorf("%v: exit code %d, %s", args, code, out.String())
		}
	}
	musttest.Fails(t, musttest.Err(os.Stat(env["MEMORY_HOME"])), "look for a home")
}
