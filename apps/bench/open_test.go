package main

import (
	"path/filepath"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/sandbox"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
)

// A setting that is not known is a warning of each hook, and a warning is a failed run.
func TestTheSettingsOfABenchmarkAreKnown(t *testing.T) {
	home := &sandbox.Home{Dir: filepath.Join(t.TempDir(), "home")}
	if err := withoutMaintenance(home); err != nil {
		t.Fatal(err)
	}
	settings, problems := config.Load(filepath.Join(home.Dir, "config.json"), func(string) string { return "" })
	if len(problems) > 0 || settings.Maintenance.Enabled {
		t.Errorf("maintenance is enabled: %v; problems: %+v", settings.Maintenance.Enabled, problems)
	}
}
