package config_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/defuse"
)

func settingsFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "home", "config.json")
	if text == "" {
		return file
	}
	musttest.Do(t, os.MkdirAll(filepath.Dir(file), 0o700))
	musttest.Do(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func listed(t *testing.T, file string, env map[string]string) map[string]config.Setting {
	t.Helper()
	all, _ := config.List(file, func(key string) string { return env[key] })
	byKey := map[string]config.Setting{}
	for _, s := range all {
		byKey[s.Key] = s
	}
	return byKey
}

func TestASettingHasItsOrigin(t *testing.T) {
	file := settingsFile(t, `{"daemon": {"batch_size": 7}, "hooks": {"deadline": "soon", "notices": false}, "store": {"pass": "p"}}`)
	got := listed(t, file, map[string]string{"MEMORY_DAEMON_BATCH_SIZE": "9", "MEMORY_HOOKS_NOTICES": "perhaps"})
	want := map[string]config.Setting{
		"daemon.batch_size": {Key: "daemon.batch_size", Reader: config.ByDaemon, Env: "MEMORY_DAEMON_BATCH_SIZE", Value: "9", Default: "100", Origin: "MEMORY_DAEMON_BATCH_SIZE"},
		"hooks.deadline":    {Key: "hooks.deadline", Reader: config.ByHook, Env: "MEMORY_HOOKS_DEADLINE", Value: "150ms", Default: "150ms"},
		"hooks.notices":     {Key: "hooks.notices", Reader: config.ByHook, Env: "MEMORY_HOOKS_NOTICES", Value: "false", Default: "true", Origin: file},
		"store.pass":        {Key: "store.pass", Reader: config.ByDaemon, Env: "SURREAL_PASS", Value: "p", Origin: file, Secret: true},
		"disabled":          {Key: "disabled", Reader: config.ByHook, Env: "MEMORY_DISABLED", Value: "false", Default: "false"},
	}
	for key, setting := range want {
		setting.Text = got[key].Text // TestTheDocumentedSettingsAreTheSettings holds it to the documents
		if diff := cmp.Diff(setting, got[key]); diff != "" || setting.Text == "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}

func TestASettingIsWrittenAndTakenBack(t *testing.T) {
	file := settingsFile(t, "")
	for _, step := range []struct{ key, value string }{{"capture.keep", "asked"}, {"hooks.user_prompt.token_budget", "9"}, {"disabled", "true"}, {"capture.keep", "everything"}} {
		musttest.Do(t, config.Set(file, step.key, step.value))
		if got := listed(t, file, nil)[step.key]; got.Value != step.value || got.Origin != file {
			t.Errorf("after setting %s to %s: %+v", step.key, step.value, got)
		}
	}
	data := musttest.Get(os.ReadFile(file))(t)
	want := "{\n  \"capture.keep\": \"everything\",\n  \"disabled\": true,\n  \"hooks.user_prompt.token_budget\": 9\n}\n"
	musttest.Same(t, want, string(data), "the file (-want +got)")
	for _, key := range []string{"capture.keep", "hooks.user_prompt.token_budget", "disabled", "disabled"} {
		musttest.Do(t, config.Unset(file, key))
	}
	if data, err := os.ReadFile(file); string(data) != "{}\n" {
		t.Errorf("the file is left with %s, %v", data, err)
	}
}

// TestDotsNestingAndCaseAreOneKey is about a key that would otherwise be there twice.
func TestDotsNestingAndCaseAreOneKey(t *testing.T) {
	file := settingsFile(t, `{"hooks.user_prompt.token_budget": 7, "hooks": {"deadline": "1s", "user_prompt.token_budget": 7, "user_prompt": {"token_budget": 7}},
		"Hooks": {" User_Prompt": {"TOKEN_BUDGET ": 7}}, "mine": 1}`)
	musttest.Do(t, config.Set(file, "hooks.user_prompt.token_budget", "9"))
	data, err := os.ReadFile(file)
	want := "{\n  \"hooks\": {\n    \"deadline\": \"1s\"\n  },\n  \"hooks.user_prompt.token_budget\": 9,\n  \"mine\": 1\n}\n"
	if diff := cmp.Diff(want, string(data)); err != nil || diff != "" {
		t.Errorf("the file, %v (-want +got):\n%s", err, diff)
	}
}

// unusable are values that a setting cannot have, by its key.
var unusable = map[string][]string{
	"disabled":            {"", "maybe", "2"},
	"distill.every":       {"", "25h", "-1s", "-0", "-0d", "*/20 * * * *"},
	"distill.day_tokens":  {"-0", " -0"},
	"store.url":           {"127.0.0.1:9", "localhost", "surrealdb://localhost:8000", "ws://", "ws://:8000", "ws://host:port", "ws://host:0", "ws://host:70000", "ws://a b", "mem://", "file:///srv/db", "ws://anna@host", "wss://root:pw@host:8000"},
	"distill.url":         {"nonsense ~", "localhost:11434/v1", "http://", "http:/localhost", "https://<host>/v1", "http://a\nb", "https://anna:key@host/v1", "https://host/v1?api_key=key"},
	"backup.directory":    {"backups", "./backups", "~anna/backups", "../b"},
	"store.ca_file":       {"ca.pem"},
	"store.engine_path":   {"."},
	"distill.command":     {"", "bin/claude", "./claude", "~anna/claude"},
	"distill.model":       {"", "a\nb"},
	"distill.input_price": {"1000.1", "-2", "-0", " -0.0", "-0e9", "long", "NaN", "inf", "0,5"},
	"store.namespace":     {""},
	"store.database":      {"", "a\x00b", "a%b", "a`b", "a b", "a/b", "a;b", "a'b", "⟨a⟩", "a.b"},
	"hooks.deadline":      {"", "1", "soon", "-1s", "1h"},
	"capture.keep":        {"", "Asked", "sometimes"},
	"daemon.batch_size":   {"", "1.5", "1e3", "0x10", "٣"},
}

// Every valid value is written and read back.
func TestValidValuesTakeEffect(t *testing.T) {
	file := settingsFile(t, "\xef\xbb\xbf{\"daemon\": {\"batch_size\": 7}}")
	for _, one := range []struct{ key, value, want string }{
		{"distill.every", "0", "0s"},
		{"distill.every", "90m", "1h30m0s"},
		{"store.url", "wss://db.example.org:8000/rpc", "wss://db.example.org:8000/rpc"},
		{"store.url", "http://[::1]:8000", "http://[::1]:8000"},
		{"store.url", "", ""},
		{"store.namespace", "größe_a-2", "größe_a-2"},
		{"distill.url", " https://api.example.org/v1 ", "https://api.example.org/v1"},
		{"backup.directory", "~/backups", "/home/dev/backups"},
		{"backup.directory", "/srv/b", "/srv/b"},
		{"distill.command", "claude-2", "claude-2"},
		{"distill.command", "~/bin/claude", "/home/dev/bin/claude"},
		{"disabled", "yes", "true"},
		{"disabled", "Off", "false"},
		{"maintenance.enabled", "0", "false"},
		{"store.pass", " with space ", " with space "},
		{"daemon.batch_size", " 9 ", "9"},
	} {
		musttest.Is(t, nil, config.Set(file, one.key, one.value), "%s to %q", one.key, one.value)
		if got := listed(t, file, map[string]string{"HOME": "/home/dev"})[one.key]; got.Value != one.want || one.want != "" && one.want != got.Default && got.Origin != file {
			t.Errorf("%s set to %q is %+v", one.key, one.value, got)
		}
	}
}

func TestInvalidValuesAreRefused(t *testing.T) {
	file := settingsFile(t, "")
	musttest.Is(t, config.ErrNoSetting, config.Set(file, "daemon.batch", "1"), "an unknown key")
	musttest.Is(t, config.ErrNoSetting, config.Unset(file, "daemon.batch"), "an unknown key")
	musttest.Fails(t, config.Set(file, "daemon.batch_size", "0"), "a value out of range was accepted")
	musttest.Is(t, fs.ErrNotExist, musttest.Err(os.Stat(file)), "a refused setting left a file")
	all, _ := config.List("", env(nil))
	for _, s := range all {
		unusable[s.Key] = append(unusable[s.Key], `["a"]`, ` {"a": 1}`)
	}
	for key, values := range unusable {
		for _, value := range values {
			if err := config.Set(file, key, value); err == nil || defuse.Line(err.Error()) != err.Error() {
				t.Errorf("%s as %q is refused with %v, which is printed as %s", key, value, err, defuse.Line(fmt.Sprint(err)))
			}
		}
	}
	musttest.Is(t, fs.ErrNotExist, musttest.Err(os.Stat(file)), "a refused setting left a file")
	for _, text := range []string{`{"disabled": true} trailing`, "", "{", "[]", `{"disabled": true,}`} {
		broken := settingsFile(t, text+" ")
		musttest.Fails(t, config.Set(broken, "daemon.batch_size", "5"), "%q was overwritten", text)
	}
}

// TestAnOddValueCostsThatSetting: of any type, it is used or named as a problem, and the others of the file hold.
func TestAnOddValueCostsThatSetting(t *testing.T) {
	all, _ := config.List("", env(nil))
	for _, s := range all {
		for _, odd := range []string{`true`, `7`, `1e400`, `-1.5`, `"x"`, `"\u0000"`, `[]`, `[null,7]`, `{}`, `{"type":5}`} {
			other := `"daemon.batch_size": 7`
			if s.Key == "daemon.batch_size" {
				other = `"events.keep_days": 7`
			}
			got, problems := config.Load(write(t, `{"`+s.Key+`": `+odd+`, `+other+`}`), env(map[string]string{"HOME": "/home/dev"}))
			if got.Daemon.BatchSize != 7 && got.Events.KeepDays != 7 {
				t.Errorf("%s as %s costs %s: %v", s.Key, odd, other, problems)
			}
			listed, _ := config.List(write(t, `{"`+s.Key+`": `+odd+`}`), env(map[string]string{"HOME": "/home/dev"}))
			isUsed := slices.ContainsFunc(listed, func(one config.Setting) bool { return one.Key == s.Key && one.Origin != s.Origin })
			isNamed := slices.ContainsFunc(problems, func(p config.Problem) bool { return strings.HasPrefix(p.Key, s.Key) })
			if isUsed == isNamed || isUsed && strings.Contains("[{", odd[:1]) {
				t.Errorf("%s as %s is used: %v, named: %v", s.Key, odd, isUsed, problems)
			}
		}
	}
}
