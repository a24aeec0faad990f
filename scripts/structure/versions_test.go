package structure

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// TestTheWorkspaceShipsTheVersionsOfTheModule: a program links the same versions with and
// without the workspace, in which apps/bench may ask for newer ones.
func TestTheWorkspaceShipsTheVersionsOfTheModule(t *testing.T) {
	without, with := linked(t, "GOWORK=off"), linked(t, "GOWORK=")
	if !slices.Equal(without, with) {
		t.Errorf("the programs link these modules by go.mod alone:\n%s\nand these in the workspace:\n%s\nname the newer versions in go.mod", strings.Join(without, "\n"), strings.Join(with, "\n"))
	}
	if len(with) < 10 {
		t.Errorf("only %d modules are linked: this compares nothing", len(with))
	}
}

// linked are the modules that the programs of the product link, with their versions.
func linked(t *testing.T, environment string) []string {
	t.Helper()
	programs := musttest.Get(os.ReadDir(repository + "/apps"))(t)
	arguments := []string{"list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}"}
	for _, p := range programs {
		if p.Name() != "bench" {
			arguments = append(arguments, "./apps/"+p.Name()+"/...")
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", arguments...)
	cmd.Dir = repository
	cmd.Env = append(os.Environ(), environment)
	cmd.Stderr = os.Stderr
	list := musttest.Get(cmd.Output())(t)
	modules := strings.Split(strings.TrimSpace(string(list)), "\n")
	slices.Sort(modules)
	return slices.Compact(modules)
}
