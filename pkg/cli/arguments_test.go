package cli

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/consent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
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
		"memory agent stop":                      "memory daemon stop",
		"memory --project consolidate list":      "memory --project consolidate list",
		"memory list consolidate":                "memory list consolidate",
		"memory --version":                       "memory --version",
		"memory dance --yes":                     "memory dance --yes",
		"memory edit abc --scope":                "memory edit --scope abc",
		"memory distill on --help":               "memory distill --help",
		"memory help distill on":                 "memory distill --help",
		"memory help nothing":                    "memory nothing",
		"memory projects dance -h":               "memory projects dance",
		"memory help":                            "memory help",
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

// TestAPinIsAdvisedWhereItHelps: not where a start has room for no line at all, nor for a memory with a pin.
func TestAPinIsAdvisedWhereItHelps(t *testing.T) {
	for used, pinned := range map[int]bool{0: false, 120: false, 121: true} {
		m := shownMemory{Why: &daemonapi.Explanation{Start: daemonapi.StartVerdict{Budget: 130, Tokens: used, LeftOut: daemonapi.LeftOut{Reason: daemonapi.NoRoom, Why: "no room"}}}}
		m.Memory = memory.Memory{ID: strings.Repeat("a", 32), Pinned: pinned}
		musttest.Same(t, used > 0 && !pinned, strings.Contains(atStart(m), "--pin"), "a start that uses %d tokens, pinned: %v", used, pinned)
	}
}

// A list asks for one row more than the limit, and the largest number had none: only 20 rows were shown.
func TestTheLargestLimitIsAllRows(t *testing.T) {
	flags := flag.NewFlagSet("list", flag.ContinueOnError)
	flags.Int("limit", math.MaxInt, "")
	musttest.Same(t, everyRow, musttest.Get(limitOf(cli.NewContext(nil, flags, nil)))(t), "--limit %d", math.MaxInt)
}

// A flag that answers a question of setup is a person's to give, also one that is added.
func TestSetupsAnswersAreAPersons(t *testing.T) {
	flags := []string{"yes"}
	for _, q := range setupQuestions {
		flags = append(flags, q.flag)
	}
	for _, name := range flags {
		for _, written := range []string{"--" + name, "-" + name + "=yes"} {
			if _, only := consent.NeedsPerson([]string{"setup", written}); !only {
				t.Errorf("memory setup %s is answered by a model", written)
			}
		}
	}
	if _, only := consent.NeedsPerson([]string{"setup", "--json"}); only {
		t.Error("memory setup --json needs a person")
	}
}
