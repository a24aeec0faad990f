package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
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
