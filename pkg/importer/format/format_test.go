package format_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer/format"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// oddities are values of each type of JSON, one of which no field expects.
var oddities = []any{nil, true, "", "x", 7, 1.5, -1e300, []any{}, []any{nil, 7}, map[string]any{}, map[string]any{"type": 5}, "false", "0"}

// variants returns the line as it is with each field, however deep, in turn of each type.
func variants(t *testing.T, line string) (all []string) {
	t.Helper()
	var whole map[string]any
	musttest.Do(t, json.Unmarshal([]byte(line), &whole))
	var vary func(object map[string]any)
	vary = func(object map[string]any) {
		for name, value := range object {
			for _, odd := range oddities {
				object[name] = odd
				text := musttest.Get(json.Marshal(whole))(t)
				all = append(all, string(text))
			}
			object[name] = value
			if inner, isObject := value.(map[string]any); isObject {
				vary(inner)
			}
		}
	}
	vary(whole)
	return all
}

// carries are the fields that carry the prompt, or say what the line is or who speaks in it.
func isCarrying(line, sample string, names []string) bool {
	var got, want map[string]any
	if json.Unmarshal([]byte(line), &got) != nil || json.Unmarshal([]byte(sample), &want) != nil {
		return true
	}
	return slices.ContainsFunc(names, func(name string) bool {
		var x, y any = got, want
		for part := range strings.SplitSeq(name, ".") {
			xs, isX := x.(map[string]any)
			ys, isY := y.(map[string]any)
			if !isX || !isY {
				return true
			}
			x, y = xs[part], ys[part]
		}
		return !cmp.Equal(x, y)
	})
}

func TestAnOddFieldCostsThatField(t *testing.T) {
	const claude = `{"parentUuid":"p","isSidechain":false,"userType":"external","cwd":"/home/dev/shop","sessionId":"s","version":"2","gitBranch":"main","type":"user","uuid":"u","timestamp":"2026-11-20T10:00:07Z","isMeta":false,"message":{"role":"user","id":"m","content":"use tabs"},"toolUseResult":{"stdout":"x"},"compactMetadata":{"trigger":"auto"},"forkedFrom":{"messageUuid":"v"},"attachment":{"type":"x"},"operation":"x","content":"y","permissionMode":"default","thinkingMetadata":{"level":"high"}}`
	const queued = `{"type":"attachment","uuid":"u","sessionId":"s","cwd":"/home/dev/shop","timestamp":"2026-11-20T10:00:07Z","version":"2","attachment":{"type":"queued_command","prompt":"use tabs","source_uuid":"x","images":[]}}`
	const item = `{"timestamp":"2026-11-20T10:00:07Z","ordinal":4,"type":"event_msg","payload":{"type":"item_completed","thread_id":"t","turn_id":"u","num_turns":1,"last_agent_message":"w","item":{"type":"UserMessage","id":"i","status":"completed","exit_code":1,"command":["x"],"aggregated_output":"o","changes":{},"content":[{"type":"text","text":"use tabs"}]}}}`
	const message = `{"timestamp":"2026-11-20T10:00:07Z","type":"event_msg","payload":{"type":"user_message","message":"use tabs","images":[],"turn_id":"u","item":{"type":"x"},"num_turns":1,"kind":"plain"}}`
	const traffic = `{"timestamp":"2026-11-20T10:00:07Z","type":"response_item","payload":{"type":"message","id":"x","role":"user","name":"n","call_id":"c","content":[{"type":"input_text","text":"use tabs"}]}}`
	for _, c := range []struct {
		file, line string
		carrying   []string
	}{
		{"s.jsonl", claude, []string{"type", "message.content", "userType", "isMeta", "isSidechain"}},
		{"s.jsonl", queued, []string{"type", "attachment.type", "attachment.prompt"}},
		{"rollout-x.jsonl", item, []string{"type", "payload.type", "payload.item.type", "payload.item.content"}},
		{"rollout-x.jsonl", message, []string{"type", "payload.type", "payload.message"}},
		{"rollout-x.jsonl", traffic, []string{"type", "payload.type", "payload.role", "payload.content"}},
	} {
		for _, line := range append(variants(t, c.line), c.line) {
			form, _ := format.Of(c.file)
			reader := form.New(nil)
			entries, err := reader.Entries([]byte(line))
			entries = append(entries, reader.Rest()...)
			isTold := slices.ContainsFunc(entries, func(e format.Entry) bool { return e.Prompt == "use tabs" && e.ID != "" })
			if !isCarrying(line, c.line, c.carrying) && (err != nil || !isTold) {
				t.Errorf("the prompt of %s is lost: %v, %v", line, entries, err)
			}
		}
	}
}

// TestWhatIsNotKnownOfTheSpeakerIsNotTheUsers: a field that says whose words a line has is not passed over where it is odd.
func TestWhatIsNotKnownOfTheSpeakerIsNotTheUsers(t *testing.T) {
	form, _ := format.Of("s.jsonl")
	for field, isTyped := range map[string]bool{
		`"isMeta":"true"`: false, `"isMeta":1`: false, `"isMeta":{}`: false, `"isMeta":"false"`: true, `"isMeta":0`: true, `"isMeta":null`: true,
		`"promptSource":["sdk"]`: false, `"promptSource":5`: false, `"promptSource":null`: true, `"promptSource":"typed"`: true,
		`"origin":"channel"`: false, `"origin":{"kind":5}`: false, `"origin":["human"]`: false, `"origin":"human"`: true, `"origin":null`: true, `"origin":{}`: true,
		`"entrypoint":{"name":"sdk-ts"}`: false, `"userType":["external"]`: false, `"textNotTyped":"yes"`: false, `"noPersonArrived":1`: false,
	} {
		line := fmt.Sprintf(`{"type":"user","uuid":"u","sessionId":"s","cwd":"/p","timestamp":"2026-11-20T10:00:07Z",%s,"message":{"content":"use tabs"}}`, field)
		entries, err := form.New(nil).Entries([]byte(line))
		if err != nil || len(entries) != 1 || (entries[0].Prompt != "") != isTyped {
			t.Errorf("with %s: %+v, %v; typed by the user: %v", field, entries, err, isTyped)
		}
	}
}

func TestATimeInAnotherFormIsUnknown(t *testing.T) {
	form, _ := format.Of("s.jsonl")
	for text, want := range map[string]string{
		`"2026-11-20T10:00:07Z"`: "2026-11-20T10:00:07Z", `"2026-11-20T12:00:07+02:00"`: "2026-11-20T10:00:07Z",
		`1795168807`: "", `"yesterday"`: "", `{}`: "", `null`: "", `true`: "", `1e400`: "",
	} {
		entries, err := form.New(nil).Entries([]byte(`{"type":"user","uuid":"u","timestamp":` + text + `,"message":{"content":"x"}}`))
		got := ""
		if err == nil && !entries[0].At.IsZero() {
			got = entries[0].At.UTC().Format("2006-01-02T15:04:05Z")
		}
		if err != nil || got != want {
			t.Errorf("%s is %q, want %q: %v", text, got, want, err)
		}
	}
}
