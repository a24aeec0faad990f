package config_test

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// A program that a client or a repository may have started takes of its environment how much its own session is given, that the
// memory is off, and passwords: nothing that chooses who receives words or what is run.
func TestTheEnvironmentChoosesNoReceiverAndNoProgram(t *testing.T) {
	given := map[string]string{"MEMORY_HOOKS_USER_PROMPT_TOKEN_BUDGET": "7", "SURREAL_PASS": "p"}
	all := map[string]string{"MEMORY_DISABLED": "false"}
	settings, _ := config.List("", env(nil))
	for _, s := range settings {
		if all[s.Env] == "" {
			all[s.Env] = "1h"
		}
	}
	for name, value := range given {
		all[name] = value
	}
	cfg, _ := config.Load(write(t, `{"disabled": true}`), config.FilterGetenv(env(all)))
	want := config.Default()
	want.Disabled, want.Store.Pass = true, "p"
	musttest.Same(t, 7, cfg.Hooks.PromptTokens, "a session's own budget")
	musttest.Same(t, want.Hooks.IdleInterval, cfg.Hooks.IdleInterval, "a setting of hooks.* that the daemon reads")
	want.Hooks = cfg.Hooks
	musttest.Same(t, want, cfg, "settings (-want +got)")
	if got := config.FilterGetenv(env(map[string]string{"MEMORY_DISABLED": "true", "HOME": "/h"})); got("MEMORY_DISABLED") != "true" || got("HOME") != "/h" {
		t.Error("a session cannot switch the memory off, or has no home")
	}
	names := map[string]bool{}
	for _, s := range config.IgnoredVariables(env(all)) {
		names[s.Key] = true
	}
	for key, want := range map[string]bool{"distill.url": true, "store.url": true, "daemon.batch_size": true, "store.pass": false, "hooks.notices": false, "hooks.teammate_idle.interval": true} {
		musttest.Same(t, want, names[key], "%s is not taken", key)
	}
}
