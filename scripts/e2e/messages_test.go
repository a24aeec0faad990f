package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

type turn = map[string]any

func user(content any) turn { return turn{"role": "user", "content": content} }

func assistant() turn { return turn{"role": "assistant", "content": "a"} }

func system(text string) turn { return turn{"role": "system", "content": text} }

// answerText is the text of the model's answer after some turns, or the message of the API's error.
func answerText(t *testing.T, api *FakeAPI, turns ...turn) string {
	t.Helper()
	body := musttest.Get(json.Marshal(map[string]any{"model": "claude-test", "messages": turns}))(t)
	request := musttest.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, api.URL()+"/v1/messages?beta=true", bytes.NewReader(body)))(t)
	response := musttest.Get(http.DefaultClient.Do(request))(t)
	defer func() { _ = response.Body.Close() }()
	var got struct {
		Content Content
		Error   struct{ Message string }
	}
	musttest.Do(t, json.NewDecoder(response.Body).Decode(&got))
	return cmp.Or(got.Content.PlainText(), got.Error.Message)
}

// TestScenarioIsChosenByNewestMarkerAndStepByAssistantTurns has what the tests with the real client do not show: a wrong scenario
// that answers as the right one would. All else that the fake does wrong, the client stumbles over.
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
		"second turn":           {[]turn{user("SCRIPT:one please"), assistant(), toolResult}, "one, step 1"},
		"newest marker":         {[]turn{user("SCRIPT:one"), assistant(), user("SCRIPT:two")}, "two, step 0"},
		"last of one message":   {[]turn{user("SCRIPT:one, no, SCRIPT:two")}, "two, step 0"},
		"not the system's":      {[]turn{user("SCRIPT:one"), system("SCRIPT:two")}, "one, step 0"},
		"not a recalled marker": {[]turn{user("SCRIPT:one"), user("<surrealdb-memory n=1>\nSCRIPT:two\n</surrealdb-memory>")}, "one, step 0"},
		"typed, no marker":      {[]turn{user("SCRIPT:one"), assistant(), user("three, please")}, "three, step 0"},
		"a marker goes first":   {[]turn{user("three, please SCRIPT:two")}, "two, step 0"},
		"steps used up":         {[]turn{user("SCRIPT:two"), assistant(), user("and?")}, "scenario two has no step 1: done"},
		"no marker":             {[]turn{user("hello")}, unscriptedAnswer},
		"unknown":               {[]turn{user("SCRIPT:nosuch")}, `no scenario is named "nosuch"`},
	} {
		musttest.Same(t, test.want, answerText(t, api, test.turns...), "%s", name)
	}
}

// TestTheTextOfARequestIsAllOfIt: what a test does not find in it has not reached the model.
func TestTheTextOfARequestIsAllOfIt(t *testing.T) {
	var request Request
	musttest.Do(t, json.Unmarshal([]byte(`{"system": [{"type": "text", "text": "be brief"}], "messages": [
		{"role": "user", "content": "ask"}, {"role": "system", "content": "recalled"},
		{"role": "assistant", "content": [{"type": "tool_use", "id": "x", "name": "Bash", "input": {"command":"ls"}}]},
		{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": [{"type": "text", "text": "a.txt"}]}]}]}`), &request))
	musttest.Same(t, "be brief\nask\nrecalled\n{\"command\":\"ls\"}\na.txt", request.Text(), "the text")
}
