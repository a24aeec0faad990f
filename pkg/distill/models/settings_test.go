package models

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// Settings are read before each use, so that a change takes effect at once.
func TestTheSettingsOfDistillationTakeEffectAtOnce(t *testing.T) {
	layout := paths.Layout{Home: t.TempDir()}
	inForce := Distillation(layout, func(string) string { return "" })
	for _, on := range []string{"", "true", "false", "true"} {
		if on != "" {
			musttest.Do(t, config.Set(layout.ConfigFile(), config.DistillEnabled, on))
		}
		if now, _ := inForce(); now.Enabled != (on == "true") {
			t.Errorf("set to %q it is %v", on, now.Enabled)
		}
	}
}
