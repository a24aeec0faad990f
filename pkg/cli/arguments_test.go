package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func TestFlagsMayStandBehindArguments(t *testing.T) {
	app := idle().app()
	for in, want := range map[string]string{
		"memory edit abc --scope user":           "memory edit --scope user abc",
		"memory edit abc --scope=user":           "memory edit --scope=user abc",
		"memory list --json":                     "memory --json list",
		"memory --json list --kind todo":         "memory --json list --kind todo",
		"memory list --project . --limit 3":      "memory --project . list --limit 3",
		"memory purge --project . --json":        "memory --json purge --project .",
		"memory remember a --kind todo b --json": "memory --json remember --kind todo a b",
		"memory remember a -- --kind todo":       "memory remember a -- --kind todo",
		"memory remember use --force always":     "memory remember use --force always",
		"memory projects merge a b --yes":        "memory projects merge --yes a b",
		"memory --json consolidate --job dedup":  "memory --json daemon consolidate --job dedup",
		"memory --project consolidate list":      "memory --project consolidate list",
		"memory list consolidate":                "memory list consolidate",
		"memory --version":                       "memory --version",
		"memory dance --yes":                     "memory dance --yes",
		"memory edit abc --scope":                "memory edit --scope abc",
		"memory":                                 "memory",
	} {
		musttest.Same(t, strings.Fields(want), flagsFirst(app, strings.Fields(in)), "%s (-want +got)", in)
	}
}

// TestADeletedFolderIsFoundByItsPath: a shell may stand in a folder that is gone; its memories are listed all the same.
func TestADeletedFolderIsFoundByItsPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shop")
	musttest.Do(t, os.Mkdir(dir, 0o700))
	t.Chdir(dir)
	e := environment{Terminal: &terminal.Terminal{Getenv: os.Getenv}, Daemon: &caller{}}
	want := musttest.Get(e.Project())(t)
	musttest.Do(t, os.Remove(dir))
	if got, err := e.Project(); err != nil || got.Key != want.Key {
		t.Errorf("in the deleted folder the project is %q, %v; want %q", got.Key, err, want.Key)
	}
}

// idle returns the program with an empty environment, for tests that only inspect its commands.
func idle() *program { return &program{environment{Terminal: &terminal.Terminal{}}} }
