package main

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// The user's answer in the client becomes the setting; anything else only has the settings
// read again, of which the environment goes first.
func TestTheAnswerInTheClientBecomesTheSetting(t *testing.T) {
	layout := paths.Layout{Home: t.TempDir()}
	environment := ""
	takes := distills(layout, func(name string) string {
		return map[string]string{"MEMORY_DISTILL_ENABLED": environment}[name]
	})
	for i, step := range []struct {
		answer, environment string
		on                  bool
	}{{"", "", false}, {"true", "", true}, {"", "", true}, {"perhaps", "", true}, {"false", "", false}, {"true", "false", false}, {"", "", true}} {
		environment = step.environment
		if on, err := takes(step.answer); err != nil || on != step.on {
			t.Errorf("step %d: it is %v, %v", i+1, on, err)
		}
	}
	if err := config.Set(layout.ConfigFile(), config.DistillEnabled, "false"); err != nil {
		t.Fatal(err)
	}
	if on, err := takes("true"); err != nil || on {
		t.Errorf("an answer of before goes before a later decision: %v, %v", on, err)
	}
}
