package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
)

func settingsFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "home", "config.json")
	if text == "" {
		return file
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
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

func TestASettingTellsItsOrigin(t *testing.T) {
	file := settingsFile(t, `{"agent": {"batch_size": 7, "idle_exit": "soon"}, "tokens.encoding": "cl100k_base", "store": {"pass": "p"}}`)
	got := listed(t, file, map[string]string{"MEMORY_AGENT_BATCH_SIZE": "9", "MEMORY_TOKENS_ENCODING": "klingon"})
	want := map[string]config.Setting{
		"agent.batch_size": {Key: "agent.batch_size", Env: "MEMORY_AGENT_BATCH_SIZE", Value: "9", Default: "100", Origin: "MEMORY_AGENT_BATCH_SIZE"},
		"agent.idle_exit":  {Key: "agent.idle_exit", Env: "MEMORY_AGENT_IDLE_EXIT", Value: "12h0m0s", Default: "12h0m0s"},
		"tokens.encoding":  {Key: "tokens.encoding", Env: "MEMORY_TOKENS_ENCODING", Value: "cl100k_base", Default: "o200k_base", Origin: file, Values: []string{"o200k_base", "cl100k_base"}},
		"store.pass":       {Key: "store.pass", Env: "SURREAL_PASS", Value: "p", Origin: file, Secret: true},
		"disabled":         {Key: "disabled", Env: "MEMORY_DISABLED", Value: "false", Default: "false", Values: []string{"true", "false"}},
	}
	for key, setting := range want {
		if diff := cmp.Diff(setting, got[key]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}

func TestASettingIsWrittenAndTakenBack(t *testing.T) {
	file := settingsFile(t, "")
	for _, step := range []struct{ key, value string }{
		{"hooks.stop.ask", "never"}, {"hooks.stop.ask_after", "9"}, {"disabled", "true"}, {"tokens.safety_factor", "1.5"}, {"hooks.stop.ask", "always"},
	} {
		if err := config.Set(file, step.key, step.value); err != nil {
			t.Fatal(err)
		}
		if got := listed(t, file, nil)[step.key]; got.Value != step.value || got.Origin != file {
			t.Errorf("after setting %s to %s: %+v", step.key, step.value, got)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"disabled\": true,\n  \"hooks\": {\n    \"stop\": {\n      \"ask\": \"always\",\n      \"ask_after\": 9\n    }\n  },\n  \"tokens\": {\n    \"safety_factor\": 1.5\n  }\n}\n"
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}
	for _, key := range []string{"hooks.stop.ask", "hooks.stop.ask_after", "disabled", "tokens.safety_factor", "disabled"} {
		if err := config.Unset(file, key); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := os.ReadFile(file); string(data) != "{}\n" {
		t.Errorf("the file is left with %s, %v", data, err)
	}
}

// TestDotsAndNestingAreOneKey is about a key that would otherwise be there twice.
func TestSeveralSettingsChangeInOneStep(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(file, []byte(`{"store": {"url": "ws://a", "user": "anna"}, "store.database": "old"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := config.SetTexts(file, map[string]string{"store.url": "", "store.database": "new", "store.namespace": "7"}); err != nil {
		t.Fatal(err)
	}
	cfg, problems := config.Load(file, func(string) string { return "" })
	if s := cfg.Store; len(problems) > 0 || s.URL != "" || s.User != "anna" || s.Database != "new" || s.Namespace != "7" {
		t.Errorf("the settings are %+v, %v", s, problems)
	}
}

func TestDotsAndNestingAreOneKey(t *testing.T) {
	file := settingsFile(t, `{"hooks.stop.ask": "never", "hooks": {"stop.ask": "never", "stop": {"ask": "never"}}, "mine": 1}`)
	if err := config.Set(file, "hooks.stop.ask", "auto"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	want := "{\n  \"hooks\": {\n    \"stop\": {\n      \"ask\": \"auto\"\n    }\n  },\n  \"mine\": 1\n}\n"
	if diff := cmp.Diff(want, string(data)); err != nil || diff != "" {
		t.Errorf("the file, %v (-want +got):\n%s", err, diff)
	}
}

func TestWhatCannotBeSetIsRefused(t *testing.T) {
	file := settingsFile(t, "")
	if err := config.Set(file, "agent.batch", "1"); !errors.Is(err, config.ErrNoSetting) {
		t.Errorf("an unknown key: %v", err)
	}
	if err := config.Unset(file, "agent.batch"); !errors.Is(err, config.ErrNoSetting) {
		t.Errorf("an unknown key: %v", err)
	}
	if err := config.Set(file, "agent.batch_size", "0"); err == nil {
		t.Error("a value out of range was taken")
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a refused setting left a file")
	}
	broken := settingsFile(t, "{")
	if err := config.Set(broken, "agent.batch_size", "5"); err == nil {
		t.Error("a broken file was overwritten")
	}
}
