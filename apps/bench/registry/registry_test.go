package registry_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/registry"
)

func TestParse(t *testing.T) {
	got, err := registry.Parse([]byte(`{"hooks": {
		"SessionEnd": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/hooks/hook", "args": ["session-end"], "timeout": 5}]}],
		"PostToolUse": [
			{"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/hooks/hook", "args": ["post-tool-use"]}]},
			{"matcher": "Bash", "hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/hooks/hook", "args": ["second"]}]}
		]}}`), "/plugin")
	if err != nil {
		t.Fatal(err)
	}
	want := []registry.Program{
		{Event: "PostToolUse", Matcher: "Write|Edit", Command: "/plugin/libexec/post-tool-use"},
		{Event: "PostToolUse", Matcher: "Bash", Command: "/plugin/libexec/second"},
		{Event: "SessionEnd", Command: "/plugin/libexec/session-end"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if name := got[0].Name(); name != "post-tool-use" {
		t.Errorf("name is %q", name)
	}
}

func TestParseRefusesWhatItCannotMeasure(t *testing.T) {
	tests := map[string]struct {
		content string
		form    bool
	}{
		"shell form":    {`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo hi"}]}]}}`, true},
		"another one":   {`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/bin/second", "args": ["stop"]}]}]}}`, true},
		"prompt hook":   {`{"hooks": {"Stop": [{"hooks": [{"type": "prompt", "args": []}]}]}}`, true},
		"not JSON":      {`{`, false},
		"nothing in it": {`{"hooks": {}}`, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			programs, err := registry.Parse([]byte(test.content), "/plugin")
			if err == nil {
				t.Fatalf("got %+v, want an error", programs)
			}
			if errors.Is(err, registry.ErrForm) != test.form {
				t.Errorf("error is %v", err)
			}
		})
	}
}

func TestRecordings(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"PostToolUse-Edit-relative.json": `{"tool_name": "Edit", "variant": true}`,
		"PostToolUse-Edit.json":          `{"tool_name": "Edit", "session_id": "s1"}`,
		"PostToolUse-Bash.json":          `{"tool_name": "Bash"}`,
		"PostToolUse-Read.json":          `{"tool_name": "Read"}`,
		"PostToolUseFailure-Bash.json":   `{"tool_name": "Bash", "failure": true}`,
		"Setup-init.json":                `{"trigger": "init"}`,
		"Setup-maintenance.json":         `{"trigger": "maintenance"}`,
		"SessionEnd-clear.json":          `{"reason": "clear"}`,
		"SessionEnd.json":                `{"reason": "other"}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := map[string]struct {
		program registry.Program
		want    []registry.Recording
	}{
		"plain ones of the matched tools": {
			registry.Program{Event: "PostToolUse", Matcher: "Write|Edit|Bash"},
			[]registry.Recording{{Tool: "Bash", Content: []byte(`{"tool_name": "Bash"}`)}, {Tool: "Edit", Session: "s1", Content: []byte(`{"tool_name": "Edit", "session_id": "s1"}`)}},
		},
		"an event whose name begins another's": {
			registry.Program{Event: "PostToolUseFailure", Matcher: "Bash"},
			[]registry.Recording{{Tool: "Bash", Content: []byte(`{"tool_name": "Bash", "failure": true}`)}},
		},
		"the next best where none reaches it": {
			registry.Program{Event: "PostToolUse", Matcher: "mcp__ours__.*"},
			[]registry.Recording{{Tool: "Bash", Content: []byte(`{"tool_name": "Bash"}`), Unmatched: true}},
		},
		"every tool without a matcher": {
			registry.Program{Event: "PostToolUse"},
			[]registry.Recording{
				{Tool: "Bash", Content: []byte(`{"tool_name": "Bash"}`)},
				{Tool: "Edit", Session: "s1", Content: []byte(`{"tool_name": "Edit", "session_id": "s1"}`)},
				{Tool: "Read", Content: []byte(`{"tool_name": "Read"}`)},
			},
		},
		"the plain one":                 {registry.Program{Event: "SessionEnd"}, []registry.Recording{{Content: []byte(`{"reason": "other"}`)}}},
		"the first where none is plain": {registry.Program{Event: "Setup"}, []registry.Recording{{Content: []byte(`{"trigger": "init"}`)}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := registry.Recordings(dir, test.program)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v\nwant %+v", got, test.want)
			}
		})
	}
	if got, err := registry.Recordings(dir, registry.Program{Event: "Stop"}); err == nil {
		t.Errorf("found %+v for an event that was never recorded", got)
	}
}
