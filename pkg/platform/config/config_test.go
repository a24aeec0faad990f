package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func env(pairs map[string]string) func(string) string {
	return func(key string) string { return pairs[key] }
}

func write(t *testing.T, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.json")
	musttest.Do(t, os.WriteFile(file, []byte(content), 0o600))
	return file
}

func TestEnvironmentOverFileOverDefault(t *testing.T) {
	file := write(t, `{
		"hooks": {"session_start": {"token_budget": 900, "Deadline ": "80ms"}},
		"STORE.namespace": "from_file",
		"distill": {"input_price": 0.25}
	}`)
	got, problems := config.Load(file, env(map[string]string{"MEMORY_HOOKS_SESSION_START_TOKEN_BUDGET": "700", "SURREAL_DB": "from_env"}))
	want := config.Default()
	want.Hooks.SessionStartTokens = 700
	want.Hooks.SessionStartDeadline = 80 * time.Millisecond
	want.Store.Namespace = "from_file"
	want.Store.Database = "from_env"
	want.Distill.InputPrice = 0.25
	musttest.Same(t, want, got, "settings (-want +got)")
	musttest.Same(t, 0, len(problems), "problems: %v", problems)
}

func TestProblemsAreReportedAndDefaultsHold(t *testing.T) {
	cases := []struct{ name, file, key, says string }{
		{"unknown key", `{"hooks": {"sesion_start": {"token_budget": 1}}}`, "hooks.sesion_start.token_budget", "no such setting"},
		{"wrong type", `{"hooks": {"session_start": {"token_budget": "many"}}}`, "hooks.session_start.token_budget", "whole number"},
		{"out of range", `{"hooks": {"session_start": {"token_budget": 10001}}}`, "hooks.session_start.token_budget", "0 to 10000"},
		{"NaN", `{"distill": {"input_price": "NaN"}}`, "distill.input_price", "0 to 1000"},
		{"bad duration", `{"hooks": {"deadline": "soon"}}`, "hooks.deadline", "150ms"},
		{"bad word", `{"capture": {"keep": "all"}}`, "capture.keep", "everything"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, problems := config.Load(write(t, c.file), env(nil))
			musttest.Same(t, config.Default(), got, "settings (-want +got)")
			if len(problems) != 1 || problems[0].Key != c.key || !strings.Contains(problems[0].Message, c.says) {
				t.Errorf("problems %v, want one of %s that says %q", problems, c.key, c.says)
			}
		})
	}
}

// withoutJobs are the settings with maintenance.enabled false.
func withoutJobs(c *config.Config) { c.Maintenance.Enabled = false }

// An unreadable file may have switched something off, so everything is off.
func TestAFileThatCannotBeReadSwitchesOff(t *testing.T) {
	for name, file := range map[string]string{"not JSON": `{`, "not an object": `[1]`, "nothing": "", "two objects": `{"disabled": true} {"disabled": false}`} {
		want := config.Default()
		want.Disabled = true
		withoutJobs(&want)
		got, problems := config.Load(write(t, file), env(nil))
		if len(problems) != 1 || problems[0].Key != config.WholeFile || got.Unread != problems[0].String() || !strings.Contains(got.Unread, "not a JSON object") || strings.Contains(got.Unread, "Go value") {
			t.Errorf("%s: problems %v, unread %q", name, problems, got.Unread)
		}
		want.Unread = got.Unread
		musttest.Same(t, want, got, "%s: settings (-want +got)", name)
	}
}

// A feature is off unless it is plainly on, and the off switch is on unless it is plainly off.
func TestASwitchThatCannotBeReadIsOff(t *testing.T) {
	for key, closed := range map[string]string{"disabled": "true", "maintenance.enabled": "false", config.DistillEnabled: "false"} {
		other := map[string]string{"true": "false", "false": "true"}[closed]
		for name, file := range map[string]string{"no truth value": `{"` + key + `": "perhaps"}`, "an object": `{"` + key + `": {}}`, "in capitals": `{" ` + strings.ToUpper(key) + `": "perhaps"}`} {
			got := listed(t, write(t, file), nil)[key]
			musttest.Same(t, closed, got.Value, "%s, %s", key, name)
		}
		file := write(t, `{"`+key+`": `+other+`}`)
		if got := listed(t, file, map[string]string{"MEMORY_DISABLED": "maybe", "MEMORY_MAINTENANCE_ENABLED": "maybe", "MEMORY_DISTILL_ENABLED": "maybe"})[key]; got.Value != closed {
			t.Errorf("%s from the environment: %s", key, got.Value)
		}
	}
}

// An invalid address is kept, an invalid duration leaves its default, and a path never leads to another folder.
func TestAnAddressShowsNoKey(t *testing.T) {
	for _, value := range []string{"https://anna:t0psecret@host/v1", "https://host/v1?api_key=t0psecret", "https://t0psecret@host"} {
		got, problems := config.Load(write(t, `{"distill.url": "`+value+`"}`), env(nil))
		if len(problems) != 1 || strings.Contains(fmt.Sprint(got, problems), "t0psecret") || !strings.HasPrefix(got.Distill.URL, "https://host") {
			t.Errorf("%s is loaded as %s, with %v", value, got.Distill.URL, problems)
		}
	}
}

func TestInvalidValuesHaveNoOtherEffect(t *testing.T) {
	got, problems := config.Load(write(t, `{"maintenance.enabled": "maybe",
		"store.url": "127.0.0.1:9", "distill.url": "nonsense ~", "backup.directory": "backups"}`), env(map[string]string{"MEMORY_DISTILL_EVERY": "TZ=UTC"}))
	want := config.Default()
	withoutJobs(&want)
	want.Store.URL, want.Distill.URL = "127.0.0.1:9", "nonsense ~"
	musttest.Same(t, want, got, "settings (-want +got)")
	musttest.Same(t, 5, len(problems), "problems %v", problems)
}

func TestPathsCountFromTheHomeDirectory(t *testing.T) {
	file := write(t, `{"backup.directory": "~/b", "distill.command": "~/bin/claude", "store.ca_file": "${HOME}/ca.pem"}`)
	got, problems := config.Load(file, env(map[string]string{"HOME": "/home/dev", "MEMORY_ENGINE_DIR": "~"}))
	want := config.Default()
	want.Backup.Directory, want.Distill.Command = "/home/dev/b", "/home/dev/bin/claude"
	want.Store.CAFile, want.Store.EnginePath = "/home/dev/ca.pem", "/home/dev"
	if diff := cmp.Diff(want, got); diff != "" || len(problems) > 0 {
		t.Errorf("problems %v, settings (-want +got):\n%s", problems, diff)
	}
	if _, problems = config.Load(file, env(nil)); len(problems) != 3 {
		t.Errorf("without a home directory the problems are %v", problems)
	}
}

func TestBadEnvironmentNamesTheVariable(t *testing.T) {
	_, problems := config.Load("", env(map[string]string{"MEMORY_DISABLED": "perhaps"}))
	if len(problems) != 1 || problems[0].Origin != "MEMORY_DISABLED" {
		t.Errorf("problems %v, want one from MEMORY_DISABLED", problems)
	}
}

// Nobody has decided about distillation unless a value that can be used is given.
func TestDistillationIsDecidedByWhatIsGiven(t *testing.T) {
	for name, test := range map[string]struct {
		file, env string
		decided   bool
	}{
		"nothing":               {"{}", "", false},
		"another setting of it": {`{"distill":{"model":"sonnet"}}`, "", false},
		"no":                    {`{"distill":{"enabled":false}}`, "", true},
		"yes":                   {`{"distill.enabled":true}`, "", true},
		"the environment":       {"{}", "false", true},
		"neither yes nor no":    {`{"distill":{"enabled":"perhaps"}}`, "perhaps", false},
	} {
		file := filepath.Join(t.TempDir(), "config.json")
		musttest.Do(t, os.WriteFile(file, []byte(test.file), 0o600))
		cfg, _ := config.Load(file, func(name string) string { return map[string]string{"MEMORY_DISTILL_ENABLED": test.env}[name] })
		musttest.Same(t, test.decided, cfg.Distill.Decided, "%s: decided", name)
	}
}

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
	for value, isOff := range map[string]bool{"true": true, "yes": true, "perhaps": true, "false": false, "no": false, "OFF": false, " 0 ": false} {
		got := config.FilterGetenv(env(map[string]string{"MEMORY_DISABLED": value, "HOME": "/h"}))
		musttest.Same(t, isOff, got("MEMORY_DISABLED") == value, "%q can switch the memory off, and never on", value)
		musttest.Same(t, "/h", got("HOME"), "the home")
	}
	names := map[string]bool{}
	for _, s := range config.IgnoredVariables(env(all)) {
		names[s.Key] = true
	}
	for key, want := range map[string]bool{"distill.url": true, "store.url": true, "daemon.batch_size": true, "store.pass": false, "hooks.notices": false, "hooks.teammate_idle.interval": true} {
		musttest.Same(t, want, names[key], "%s is not taken", key)
	}
}
