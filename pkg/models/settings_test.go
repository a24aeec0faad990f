package models

import (
	"log/slog"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// The user's answer in the client becomes the setting, and settings take effect at once; the environment has
// precedence.
func TestTheAnswerInTheClientBecomesTheSetting(t *testing.T) {
	layout := paths.Layout{Home: t.TempDir()}
	environment := ""
	getenv := func(name string) string { return map[string]string{"MEMORY_DISTILL_ENABLED": environment}[name] }
	answer := func(text string) error {
		return config.AnswerDistill(layout.ConfigFile(), layout.DistillAnswer(), text)
	}
	inForce := Distillation(layout, getenv, slog.New(slog.DiscardHandler))
	for i, step := range []struct {
		answer, environment string
		on                  bool
	}{{"", "", false}, {"true", "", true}, {"", "", true}, {"perhaps", "", true}, {"false", "", false}, {"true", "false", false}, {"", "", true}} {
		environment = step.environment
		err := answer(step.answer)
		if now, _ := inForce(); err != nil || now.Enabled != step.on {
			t.Errorf("step %d: it is %v, %v", i+1, now.Enabled, err)
		}
	}
	if err := config.Set(layout.ConfigFile(), config.DistillEnabled, "false"); err != nil {
		t.Fatal(err)
	}
	err := answer("true")
	if now, _ := inForce(); err != nil || now.Enabled {
		t.Errorf("an answer of before goes before a later decision: %v, %v", now.Enabled, err)
	}
}
