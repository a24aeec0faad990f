package e2e

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

type turn = map[string]any

func user(content any) turn { return turn{"role": "user", "content": content} }

func assistant() turn { return turn{"role": "assistant", "content": "a"} }

func system(text string) turn { return turn{"role": "system", "content": text} }

func post(t *testing.T, api *FakeAPI, stream bool, turns ...turn) *http.Response {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"model": "claude-test", "stream": stream, "messages": turns,
		"system": []turn{{"type": "text", "text": "be brief"}},
		"tools":  []turn{{"name": "Bash"}},
	})
	musttest.Do(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, api.URL()+"/v1/messages?beta=true",
		strings.NewReader(string(body)))
	musttest.Do(t, err)
	response := musttest.Get(http.DefaultClient.Do(request))(t)
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func decode(t *testing.T, response *http.Response) map[string]any {
	t.Helper()
	var got map[string]any
	musttest.Do(t, json.NewDecoder(response.Body).Decode(&got))
	return got
}

func answerText(t *testing.T, api *FakeAPI, turns ...turn) string {
	t.Helper()
	got := decode(t, post(t, api, false, turns...))
	content, ok := got["content"].([]any)
	if !ok || len(content) == 0 {
		t.Fatalf("answer without content: %v", got)
	}
	text, _ := content[0].(map[string]any)["text"].(string)
	return text
}

func TestScenarioIsChosenByNewestMarkerAndStepByAssistantTurns(t *testing.T) {
	api := NewFakeAPI(t)
	api.Script("one", Say("one, step 0"), Say("one, step 1"))
	api.Script("two", Say("two, step 0"))
	api.Reply("three, please", Say("three, step 0"))

	toolResult := user([]turn{{"type": "tool_result", "tool_use_id": "x", "content": "SCRIPT:two in a file"}})
	for name, test := range map[string]struct {
		turns []turn
		want  string
	}{
		"first turn":            {[]turn{user("SCRIPT:one please")}, "one, step 0"},
		"second turn":           {[]turn{user("SCRIPT:one please"), assistant(), toolResult}, "one, step 1"},
		"newest marker":         {[]turn{user("SCRIPT:one"), assistant(), user("SCRIPT:two")}, "two, step 0"},
		"last of one message":   {[]turn{user("SCRIPT:one, no, SCRIPT:two")}, "two, step 0"},
		"text blocks":           {[]turn{user([]turn{{"type": "text", "text": "go SCRIPT:two"}})}, "two, step 0"},
		"not the system's":      {[]turn{user("SCRIPT:one"), system("SCRIPT:two")}, "one, step 0"},
		"not a recalled marker": {[]turn{user("SCRIPT:one"), user("<surrealdb-memory n=1>\nSCRIPT:two\n</surrealdb-memory>")}, "one, step 0"},
		"typed, no marker":      {[]turn{user("SCRIPT:one"), assistant(), user("three, please")}, "three, step 0"},
		"a marker goes first":   {[]turn{user("three, please SCRIPT:two")}, "two, step 0"},
		"steps used up": {
			[]turn{user("SCRIPT:two"), assistant(), user("and?")}, "scenario two has no step 1: done",
		},
		"no marker": {[]turn{user("hello")}, unscriptedAnswer},
		"compaction": {
			[]turn{user("SCRIPT:one"), assistant(), user("Do NOT call any tools. Answer in <summary> tags.")},
			"<analysis>fake</analysis>\n<summary>" + CompactionSummary + "</summary>",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := answerText(t, api, test.turns...); got != test.want {
				t.Errorf("answer is %q, want %q", got, test.want)
			}
		})
	}
}

func TestUnknownScenarioIsAnErrorOfTheAPI(t *testing.T) {
	response := post(t, NewFakeAPI(t), true, user("SCRIPT:nosuch"))
	if response.StatusCode != http.StatusBadRequest {
		t.Errorf("status %d, want 400", response.StatusCode)
	}
	got := decode(t, response)["error"].(map[string]any)["message"]
	if got != `no scenario is named "nosuch"` {
		t.Errorf("message is %q", got)
	}
}

func TestErrorStep(t *testing.T) {
	api := NewFakeAPI(t)
	api.Script("broken", Step{Error: &APIError{529, "overloaded_error", "come back later"}})
	response := post(t, api, true, user("SCRIPT:broken"))
	if response.StatusCode != 529 || response.Header.Get("X-Should-Retry") != "false" {
		t.Errorf("status %d, retry %q", response.StatusCode, response.Header.Get("X-Should-Retry"))
	}
	want := map[string]any{
		"type": "error", "error": map[string]any{"type": "overloaded_error", "message": "come back later"},
	}
	if diff := cmp.Diff(want, decode(t, response)); diff != "" {
		t.Error(diff)
	}
}

func TestPlainAnswer(t *testing.T) {
	api := NewFakeAPI(t)
	api.Script("tools", Step{
		Content: []Block{Text("I will look."), ToolUse("Bash", map[string]any{"command": "ls"})},
		Usage:   &Usage{InputTokens: 95000, OutputTokens: 7},
	})
	got := decode(t, post(t, api, false, user("SCRIPT:tools")))
	if got["stop_reason"] != "tool_use" || got["role"] != "assistant" || got["model"] != "claude-test" {
		t.Errorf("answer is %v", got)
	}
	if usage := got["usage"].(map[string]any); usage["input_tokens"] != 95000.0 || usage["output_tokens"] != 7.0 {
		t.Errorf("usage is %v", usage)
	}
	call := got["content"].([]any)[1].(map[string]any)
	id, _ := call["id"].(string)
	if call["name"] != "Bash" || !strings.HasPrefix(id, "toolu_") {
		t.Errorf("tool call is %v", call)
	}
	again := decode(t, post(t, api, false, user("SCRIPT:tools")))
	if again["content"].([]any)[1].(map[string]any)["id"] == id {
		t.Error("a tool call was sent twice with one id")
	}
}

func TestStreamedAnswer(t *testing.T) {
	api := NewFakeAPI(t)
	api.Script("tools", Step{Content: []Block{Text("I will look."), ToolUse("Bash", map[string]any{"command": "ls"})}})
	response := post(t, api, true, user("SCRIPT:tools"))
	if got := response.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("content type is %q", got)
	}

	var events []string
	var text, input, stop string
	for _, event := range readEvents(t, response) {
		events = append(events, event.Type)
		text += event.Delta.Text
		input += event.Delta.PartialJSON
		stop += event.Delta.StopReason
	}
	want := []string{
		"message_start",
		"content_block_start", "content_block_delta", "content_block_stop",
		"content_block_start", "content_block_delta", "content_block_stop",
		"message_delta", "message_stop",
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Error(diff)
	}
	if text != "I will look." || input != `{"command":"ls"}` || stop != "tool_use" {
		t.Errorf("text %q, input %q, stop reason %q", text, input, stop)
	}
}

type streamEvent struct {
	Type  string `json:"type"`
	Delta struct {
		Text        string `json:"text"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"`
}

// readEvents also checks that every event's name on the wire is the type in its data.
func readEvents(t *testing.T, response *http.Response) []streamEvent {
	t.Helper()
	var events []streamEvent
	var name string
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		line := lines.Text()
		if after, ok := strings.CutPrefix(line, "event: "); ok {
			name = after
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var event streamEvent
		musttest.Do(t, json.Unmarshal([]byte(data), &event))
		if event.Type != name {
			t.Errorf("event %q carries type %q", name, event.Type)
		}
		events = append(events, event)
	}
	musttest.Do(t, lines.Err())
	return events
}

func TestRequestsAreRecorded(t *testing.T) {
	api := NewFakeAPI(t)
	api.Script("one", Say("hi"))
	post(t, api, true, user("something else"))
	post(t, api, true,
		user("SCRIPT:one"),
		system("PreToolUse:Bash hook additional context: <surrealdb-memory n=1>port 6543</surrealdb-memory> and <surrealdb-memory>\nb\n</surrealdb-memory>"),
		turn{"role": "assistant", "content": []turn{{"type": "tool_use", "id": "x", "name": "Bash", "input": turn{"command": "ls"}}}},
		user([]turn{{"type": "tool_result", "tool_use_id": "x", "content": []turn{{"type": "text", "text": "a.txt"}}}}),
	)

	all := api.Requests()
	if len(all) != 2 || all[0].Kind != KindUnscripted {
		t.Fatalf("recorded %+v", all)
	}
	chosen := api.RequestsWith("SCRIPT:one")
	if len(chosen) != 1 {
		t.Fatalf("%d requests carry the prompt, want 1", len(chosen))
	}
	got := chosen[0]
	if got.Kind != KindScripted || got.Script != "one" || got.Step != 1 || !got.Stream || got.Tools[0].Name != "Bash" {
		t.Errorf("recorded %+v", got)
	}
	for _, want := range []string{"be brief", "SCRIPT:one", "port 6543", `{"command":"ls"}`, "a.txt"} {
		if !strings.Contains(got.Text(), want) {
			t.Errorf("%q is missing in %q", want, got.Text())
		}
	}
	want := []string{"<surrealdb-memory n=1>port 6543</surrealdb-memory>", "<surrealdb-memory>\nb\n</surrealdb-memory>"}
	if diff := cmp.Diff(want, got.MemoryBlocks()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want[:1], got.Injected("PreToolUse:Bash")); diff != "" || got.Injected("PreToolUse") != nil {
		t.Errorf("injected before PreToolUse: %q; before PreToolUse:Bash: %s", got.Injected("PreToolUse"), diff)
	}
}

func TestSideRequests(t *testing.T) {
	api := NewFakeAPI(t)
	for _, test := range []struct {
		method, path string
		want         int
	}{
		{http.MethodHead, "/", http.StatusOK},
		{http.MethodPost, "/v1/messages/count_tokens", http.StatusOK},
		{http.MethodGet, "/v1/files", http.StatusNotFound},
	} {
		request := musttest.Get(http.NewRequestWithContext(t.Context(), test.method, api.URL()+test.path, nil))(t)
		response := musttest.Get(http.DefaultClient.Do(request))(t)
		_ = response.Body.Close()
		if response.StatusCode != test.want {
			t.Errorf("%s %s: status %d, want %d", test.method, test.path, response.StatusCode, test.want)
		}
	}
	if got := api.Requests(); len(got) != 0 {
		t.Errorf("recorded %d requests, want none", len(got))
	}
}
