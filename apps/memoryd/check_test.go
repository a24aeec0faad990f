package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

func TestACheckTellsWhatThereIsAndStartsNothing(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	musttest.Do(t, os.Mkdir(home, 0o700))
	musttest.Do(t, os.WriteFile(filepath.Join(home, "config.json"), []byte(`{"distill.every": "whenever"}`), 0o600))
	for url, want := range map[string]daemonapi.CheckedEngine{
		"ws://127.0.0.1:1": {},
		"ftp://host":       {Problem: "store.url ftp://host: use ws://, wss://, http:// or https:// and a host"},
	} {
		env := map[string]string{"MEMORY_HOME": home, "SURREAL_URL": url}
		var out bytes.Buffer
		if code := run(t.Context(), []string{"--check"}, &out, io.Discard, func(key string) string { return env[key] }); code != exitOK {
			t.Errorf("exit code %d", code)
		}
		var got daemonapi.CheckedEngine
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatalf("%s: %v", out.String(), err)
		}
		musttest.Same(t, want, got, "%s (-want +got)", url)
	}
	if entries, err := os.ReadDir(home); err != nil || len(entries) != 1 {
		t.Errorf("the home has %v, %v", entries, err)
	}
}

// What a model or a repository puts into the environment names no receiver, and replaces no store.
func TestADaemonBelowAClientTakesNoOrders(t *testing.T) {
	env := map[string]string{"MEMORY_HOME": filepath.Join(t.TempDir(), "home"), "CLAUDECODE": "1", "SURREAL_URL": "ftp://host"}
	getenv := func(key string) string { return env[key] }
	var out bytes.Buffer
	if code := run(t.Context(), []string{"--check"}, &out, io.Discard, getenv); code != exitOK || strings.Contains(out.String(), "ftp") {
		t.Errorf("exit code %d, %s", code, out.String())
	}
	for _, args := range [][]string{{"--restore", "x.surql"}, {"--rebuild", "--force"}} {
		out.Reset()
		if code := run(t.Context(), args, io.Discard, &out, getenv); code != exitFailed || !strings.Contains(out.String(), "a coding agent runs this program") {
			t.Errorf("%v: exit code %d, %s", args, code, out.String())
		}
	}
	if _, err := os.Stat(env["MEMORY_HOME"]); err == nil {
		t.Error("a home was made")
	}
}
