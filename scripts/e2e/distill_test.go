//go:build e2e

package e2e

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The words of the session that is distilled, and what the fake model makes of them.
const (
	exportRule  = "We must never join the export on the account, guests have none"
	exportFact  = "Export queries must not join on the account, because guests have none."
	exportFound = "guests have no account"
)

// distills switches distillation on for a user, with the client under test as the runner.
func (u *User) distills(more ...string) {
	u.Env = append(u.Env, append([]string{
		"MEMORY_DISTILL_ENABLED=true", "MEMORY_DISTILL_COMMAND=" + u.Binary, "MEMORY_DISTILL_KEY=" + DummyKey, "MEMORY_DISTILL_URL=" + u.api.URL(),
	}, more...)...)
}

// distillations are the requests by which a model was asked to distil.
func distillations(api *FakeAPI) []Request {
	return slices.DeleteFunc(api.Requests(), func(r Request) bool {
		return r.Kind != KindDistillation
	})
}

// written is the structured output of a model that distils.
func written(facts ...map[string]any) Step {
	return Step{
		Usage: &Usage{InputTokens: 700, CacheReadInputTokens: 50, OutputTokens: 60},
		Content: []Block{ToolUse("StructuredOutput", map[string]any{
			"summary": map[string]any{"request": "A list for the export", "investigated": "", "learned": exportFound, "completed": "", "next_steps": ""},
			"facts":   append([]map[string]any{}, facts...),
		})},
	}
}

func exporting(t *testing.T, u *User, api *FakeAPI, distil ...Step) Result {
	t.Helper()
	api.Script("export",
		Call("Write", map[string]any{"file_path": filepath.Join(u.Project, "export.sql"), "content": "select 1\n"}),
		Say("The export joins on the session now, so that guests are in it."),
	)
	api.Distil(distil...)
	run := u.Run(t.Context(), "Please write the export. SCRIPT:export\n\n"+exportRule, "--allowedTools", "Write")
	requireGoodRun(t, run, "SessionStart:startup", "PostToolUse:Write", "SessionEnd:other")
	return run
}

func TestASessionIsDistilledByTheRealClient(t *testing.T) {
	u, api := newUser(t)
	u.distills()
	run := exporting(t, u, api, written(map[string]any{
		"text": exportFact, "kind": "convention", "quotes": []string{exportRule}, "about": "", "relation": "",
	}))
	u.stored(t, run.SessionID)
	var result agentapi.DistillResult
	u.memory(t, &result, "distill", run.SessionID) // the agent may have begun by itself: then it is waited for
	asked := distillations(api)
	if len(asked) != 1 {
		t.Fatalf("the model was asked %d times: %+v", len(asked), result)
	}
	if !strings.Contains(asked[0].Text(), exportRule) || len(asked[0].MemoryBlocks()) > 0 || strings.Contains(asked[0].Text(), "select 1") {
		t.Errorf("the model was asked\n%s", asked[0].Text())
	}
	for _, tool := range asked[0].Tools {
		if tool.Name != "StructuredOutput" && tool.Name != "DeferredToolPlaceholder" {
			t.Errorf("the model was offered %s", tool.Name)
		}
	}
	record := u.stored(t, run.SessionID)
	want := memory.Digest{
		Request: "A list for the export", Learned: exportFound, FilesModified: []string{"export.sql"}, Source: memory.SourceAssistant,
	}
	if diff := cmp.Diff(want, record.Session.Summary.Digest); diff != "" {
		t.Errorf("the digest (-want +got):\n%s", diff)
	}
	if got := seen(record, memory.KindConvention); !slices.Contains(got, exportFact) || !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "never join") }) {
		t.Errorf("the session's conventions are %q", got)
	}
	var spent agentapi.SpendResult
	u.memory(t, &spent, "spend")
	if len(spent.Totals) != 1 || spent.Totals[0].Calls != 1 || spent.Totals[0].Input != 750 || spent.Totals[0].Output != 60 || spent.Totals[0].USD <= 0 {
		t.Errorf("spent is %+v", spent.Totals)
	}
	var sessions []memory.Session
	u.memory(t, &sessions, "sessions")
	if len(sessions) != 1 {
		t.Errorf("distilling was captured as a session of its own: %s", must(json.Marshal(sessions)))
	}
}

func TestWithoutTheSwitchTheClientIsNotStarted(t *testing.T) {
	u, api := newUser(t)
	run := exporting(t, u, api)
	u.stored(t, run.SessionID)
	u.memory(t, nil, "distill", "--dry-run", run.SessionID)
	u.memory(t, nil, "distill", "--estimate", "100")
	if asked := distillations(api); len(asked) != 0 {
		t.Errorf("the model was asked %d times", len(asked))
	}
	var spent agentapi.SpendResult
	u.memory(t, &spent, "spend")
	if len(spent.Totals) != 0 || spent.Status.Enabled {
		t.Errorf("spent is %+v", spent)
	}
}

// A model that refuses, writes something else or fails leaves the session as it was.
func TestAFakeModelThatDoesNotAnswerIsGivenUp(t *testing.T) {
	for name, step := range map[string]Step{
		"refuses":   Say("I cannot help with that."),
		"malformed": {Content: []Block{ToolUse("StructuredOutput", map[string]any{"answer": 42})}},
		"fails":     {Error: &APIError{500, "api_error", "broken"}},
		"invents":   written(map[string]any{"text": "We deploy on Fridays, always.", "kind": "note", "quotes": []string{"nobody said these words"}, "about": "", "relation": ""}),
	} {
		t.Run(name, func(t *testing.T) {
			u, api := newUser(t)
			u.distills("MEMORY_DISTILL_TIME_LIMIT=20s")
			run := exporting(t, u, api, step)
			u.stored(t, run.SessionID)
			var result agentapi.DistillResult
			u.memory(t, &result, "distill", run.SessionID)
			record := u.stored(t, run.SessionID)
			if got := seen(record, memory.KindNote); len(got) != 0 {
				t.Errorf("kept is %q", got)
			}
			if name != "invents" && (len(sessionEvents(record, memory.EventDistilled)) != 0 || result.Reason == "") {
				t.Errorf("%+v, stored is %q", result, sessionEvents(record, memory.EventDistilled))
			}
			if got := seen(record, memory.KindConvention); len(got) != 1 {
				t.Errorf("the session's conventions are %q", got)
			}
			var spent agentapi.SpendResult
			u.memory(t, &spent, "spend")
			t.Logf("%d requests, spent %+v", len(distillations(api)), spent.Totals)
		})
	}
}
