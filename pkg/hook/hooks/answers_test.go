package hooks_test

import (
	"fmt"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func TestEachAnswerIsAnEvent(t *testing.T) {
	w := newWorld(t)
	startDaemon(t, w, "")
	questions := []fields{storeQuestion, {"question": "Where do migrations run?", "header": "Run"}, {"question": "Is there a port?", "header": "Port"}}
	runInProcess(t, w, toJSON(t, toolUse("AskUserQuestion", fields{"questions": questions}, fields{
		"answers": fields{"Which store should the queue use?": "Redis", "Where do migrations run?": "In the deploy job"},
	})))
	got := map[string]string{}
	for _, e := range w.spooled(t) {
		got[fmt.Sprint(e["last_words"])] = fmt.Sprint(e["kind"], " ", e["text"])
	}
	want := map[string]string{"Which store should the queue use?": "answered Redis", "Where do migrations run?": "answered In the deploy job"}
	musttest.Same(t, want, got, "the events")
}

// The daemon takes the words of dialogs as the user's only if a person ran the session.
func TestTheEndOfASessionSaysWhoRanIt(t *testing.T) {
	for entrypoint, isPersons := range map[string]any{"cli": true, "sdk-ts": nil} {
		w := newWorld(t).with("CLAUDE_CODE_ENTRYPOINT", entrypoint)
		startDaemon(t, w, "")
		runInProcess(t, w, toJSON(t, fields{"session_id": session, "hook_event_name": hookio.SessionEnd, "reason": "other", "transcript_path": "/t.jsonl"}))
		for _, e := range w.spooled(t) {
			musttest.Same(t, []any{isPersons, "/t.jsonl"}, []any{e["by_user"], e["transcript"]}, "%s", entrypoint)
		}
	}
}
