package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// FakeResponses serves the part of the Responses API that Codex uses, on 127.0.0.1, and answers from scenarios as
// FakeAPI does: the newest "SCRIPT:<name>" of the user selects the scenario, and the number of tool results since
// then is the step.
type FakeResponses struct {
	server *httptest.Server

	mu        sync.Mutex
	scenarios map[string][]Step
	requests  []ResponsesRequest
}

// ResponsesRequest is one POST /responses.
type ResponsesRequest struct {
	Input []ResponseItem `json:"input"`
}

// ResponseItem has the parts of a message, a tool call or a tool's result that tests check.
type ResponseItem struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Output  json.RawMessage `json:"output"`
}

// text returns the text of a message.
func (i ResponseItem) text() string {
	var parts []struct{ Text string }
	_ = json.Unmarshal(i.Content, &parts) // content of another form has no text
	var texts []string
	for _, part := range parts {
		texts = append(texts, part.Text)
	}
	return strings.Join(texts, "\n")
}

// NewFakeResponses starts the API; it stops when the test ends.
func NewFakeResponses(t testing.TB) *FakeResponses {
	t.Helper()
	api := &FakeResponses{scenarios: map[string][]Step{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/responses", api.serve)
	api.server = httptest.NewServer(mux)
	t.Cleanup(api.server.Close)
	return api
}

// URL returns the base_url of the model's provider.
func (f *FakeResponses) URL() string { return f.server.URL + "/v1" }

// Script sets the model's answers after a prompt with SCRIPT:name: one step for each request.
func (f *FakeResponses) Script(name string, steps ...Step) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.scenarios[name] = steps
}

// RequestsWith returns the requests so far in which the user's text contains a text.
func (f *FakeResponses) RequestsWith(userText string) []ResponsesRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(f.requests), func(r ResponsesRequest) bool {
		return !slices.ContainsFunc(r.Input, func(i ResponseItem) bool {
			return i.Role == "user" &&
				strings.Contains(i.text(), userText)
		})
	})
}

// MemoryBlocks returns the parts of a request that the plugin added, with their tags.
func (r ResponsesRequest) MemoryBlocks() []string {
	var blocks []string
	for _, item := range r.Input {
		if item.Role == "developer" {
			blocks = append(blocks, memoryBlock.FindAllString(item.text(), -1)...)
		}
	}
	return blocks
}

func (f *FakeResponses) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away in the middle of its request
	}
	var request ResponsesRequest
	if err := json.Unmarshal(body, &request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	step, id := f.take(request)
	w.Header().Set("Content-Type", "text/event-stream")
	writeEvent(w, "response.created", map[string]any{"response": map[string]any{"id": id}})
	for n, block := range step.Content {
		writeEvent(w, "response.output_item.done", map[string]any{"item": block.item(fmt.Sprintf("%s_%d", id, n))})
	}
	usage := map[string]any{
		"input_tokens": 10, "input_tokens_details": nil, "output_tokens": 5,
		"output_tokens_details": nil, "total_tokens": 15,
	}
	writeEvent(w, "response.completed", map[string]any{"response": map[string]any{"id": id, "usage": usage}})
}

// take records a request, and returns the step that answers it and an id for the answer.
func (f *FakeResponses) take(request ResponsesRequest) (Step, string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, request)
	id := fmt.Sprintf("resp_%d", len(f.requests))
	name, results := request.script()
	switch steps := f.scenarios[name]; {
	case name == "":
		return Say("Done."), id
	case results >= len(steps):
		return Say(fmt.Sprintf("scenario %q has no step %d: done", name, results)), id
	default:
		return steps[results], id
	}
}

// script returns the last scenario that the user named, and the number of tool results since then.
func (r ResponsesRequest) script() (name string, results int) {
	for _, item := range slices.Backward(r.Input) {
		if strings.HasSuffix(item.Type, "_output") {
			results++
		}
		if item.Role != "user" {
			continue
		}
		if markers := scriptMarker.FindAllStringSubmatch(item.text(), -1); len(markers) > 0 {
			return markers[len(markers)-1][1], results
		}
	}
	return "", 0
}

// item returns a block in the form of the Responses API. A patch is a text, not JSON.
func (b Block) item(id string) map[string]any {
	switch {
	case b.Type == "text":
		return map[string]any{
			"type": "message", "role": "assistant", "id": id,
			"content": []map[string]string{{"type": "output_text", "text": b.Text}},
		}
	case b.Name == "apply_patch":
		return map[string]any{
			"type": "custom_tool_call", "id": id, "call_id": "call_" + id, "name": b.Name,
			"input": b.Input["patch"],
		}
	}
	item := map[string]any{
		"type": "function_call", "id": id, "call_id": "call_" + id, "name": b.Name,
		"arguments": string(must(json.Marshal(b.Input))),
	}
	if namespace, tool, has := strings.Cut(b.Name, "."); has {
		item["namespace"], item["name"] = namespace, tool
	}
	return item
}
