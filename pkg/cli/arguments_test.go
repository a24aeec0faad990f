package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
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
		"memory --version":                       "memory --version",
		"memory dance --yes":                     "memory dance --yes",
		"memory edit abc --scope":                "memory edit --scope abc",
		"memory":                                 "memory",
	} {
		if diff := cmp.Diff(strings.Fields(want), flagsFirst(app, strings.Fields(in))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", in, diff)
		}
	}
}

// idle returns the program with an empty environment, for tests that only inspect its commands.
func idle() *program { return &program{environment{Terminal: &terminal.Terminal{}}} }
