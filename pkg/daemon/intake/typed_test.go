package intake_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/daemontest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// What a hook hears as a prompt holds in all projects only when the client's transcript says that a person typed it: the fields are those of
// the client's own lines (2.1.329) for prompts of a person, a plugin's module, a schedule of the repository, an agent's file and a model's --bg.
func TestOnlyWhatTheClientCallsTypedHoldsInAllProjects(t *testing.T) {
	const text, typed = "in all my projects we always deploy on Fridays", `"origin":{"kind":"human"},"promptSource":"typed"`
	project, user := memory.ScopeProject, memory.ScopeUser
	for name, test := range map[string]struct {
		before, fields, says string
		by                   memory.EventKind
		want                 memory.Scope
	}{
		"typed, at the turn's end":       {"", typed, text, memory.EventTurnEnded, user},
		"typed, at the session's end":    {"", typed, text, memory.EventSessionEnded, user},
		"typed, and not yet read":        {"", typed, text, memory.EventNotified, project},
		"print mode":                     {"", `"promptSource":"sdk","entrypoint":"sdk-cli"`, text, memory.EventTurnEnded, user},
		"no such line":                   {"", typed, "hello", memory.EventTurnEnded, project},
		"no transcript":                  {"", "", "", memory.EventTurnEnded, project},
		"rewritten by a module":          {"", typed + `,"promptRewritten":true`, text, memory.EventTurnEnded, project},
		"submitted by a module":          {"", `"origin":{"kind":"plugin","name":"plug","asUser":true},"promptSource":"system"`, text, memory.EventTurnEnded, project},
		"scheduled by a file":            {"", `"isMeta":true,"promptSource":"system","wakeupSource":"schedule_wakeup","turnOrigin":"scheduled"`, text, memory.EventTurnEnded, project},
		"first prompt of an agent":       {`{"type":"agent-setting","agentSetting":"boss","sessionId":"s1"}`, typed, text, memory.EventTurnEnded, project},
		"in a background session":        {"", typed + `,"sessionKind":"bg"`, text, memory.EventTurnEnded, project},
		"a module, at the session's end": {"", typed + `,"promptRewritten":true`, text, memory.EventSessionEnded, project},
	} {
		a, _, _ := daemontest.New(t)
		prompt := daemontest.Prompt(1, "Remember: "+text)
		prompt.Unsure, prompt.Transcript = true, filepath.Join(t.TempDir(), "s1.jsonl")
		if test.fields != "" {
			line := fmt.Sprintf(`{"type":"user","uuid":"00000000-0000-4000-8000-000000000000","sessionId":"s1","cwd":"/p","timestamp":%q,%s,"message":{"role":"user","content":%q}}`,
				prompt.At.Add(-time.Millisecond).Format(time.RFC3339Nano), test.fields, "Remember: "+test.says)
			musttest.Do(t, os.WriteFile(prompt.Transcript, []byte(strings.TrimSpace(test.before+"\n"+line)+"\n"), 0o600))
		}
		end := daemontest.Event(2, test.by)
		end.Text, end.Transcript = "Understood.", prompt.Transcript
		daemontest.Ingested(t, a, prompt, end)
		a.Intake.TakeBack(t.Context())
		id := memory.NewID(memory.ScopeUser, "", text)
		m := daemontest.RowOf(t, a, id).Memory
		musttest.Same(t, test.want, m.Scope, "%s: the scope", name)
		imported := musttest.Get(memory.Memories(t.Context(), a.Store, memory.Filter{Limit: 20}))(t)
		musttest.Same(t, 1, len(imported), "%s: the memories", name)
		if test.want == project {
			musttest.Same(t, "p", m.Project, "%s: the project", name)
			continue
		}
		narrow := memory.Change{ID: memory.NewEventID(daemontest.Noon), At: daemontest.Noon.Add(time.Minute), By: memory.ByPerson, Scope: project}
		musttest.Get(a.Intake.Amend(t.Context(), daemonapi.AmendParams{Project: "p", ID: id, Change: narrow}))(t)
		end = daemontest.Event(90, memory.EventSessionEnded)
		end.Transcript = prompt.Transcript
		daemontest.Ingested(t, a, end)
		a.Intake.TakeBack(t.Context())
		musttest.Same(t, project, daemontest.RowOf(t, a, id).Memory.Scope, "%s: the scope after a person has narrowed it", name)
	}
}

// A fact that quotes a prompt holds in all projects only when the transcript says that a person typed the prompt: at the end of its turn.
func TestAFactHoldsInAllProjectsOnceItsQuoteIsKnownAsTyped(t *testing.T) {
	const quote = "in all my projects commits name the ticket"
	for name, test := range map[string]struct {
		fields string
		want   memory.Scope
	}{
		"typed":                 {`"origin":{"kind":"human"},"promptSource":"typed"`, memory.ScopeUser},
		"submitted by a module": {`"origin":{"kind":"plugin","name":"plug","asUser":true},"promptSource":"system"`, memory.ScopeProject},
	} {
		a, _, _ := daemontest.New(t)
		prompt := daemontest.Prompt(1, quote)
		prompt.Unsure, prompt.Transcript = true, filepath.Join(t.TempDir(), "s1.jsonl")
		line := fmt.Sprintf(`{"type":"user","uuid":"00000000-0000-4000-8000-000000000000","sessionId":"s1","cwd":"/p","timestamp":%q,%s,"message":{"role":"user","content":%q}}`,
			prompt.At.Add(-time.Millisecond).Format(time.RFC3339Nano), test.fields, quote)
		musttest.Do(t, os.WriteFile(prompt.Transcript, []byte(line+"\n"), 0o600))
		daemontest.Ingested(t, a, prompt)
		fact := daemontest.Stored(2, "Commits name their ticket.")
		fact.Quote = quote
		id := daemontest.Kept(t, a, fact).ID
		musttest.Same(t, memory.ScopeProject, daemontest.RowOf(t, a, id).Memory.Scope, "%s: the scope during the turn", name)
		end := daemontest.Event(3, memory.EventTurnEnded)
		end.Text, end.Transcript = "Understood.", prompt.Transcript
		daemontest.Ingested(t, a, end)
		a.Intake.TakeBack(t.Context())
		musttest.Same(t, test.want, daemontest.RowOf(t, a, id).Memory.Scope, "%s: the scope after the turn", name)
	}
}
