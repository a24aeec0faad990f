package e2e

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// FakeGemini speaks as much of the Gemini API as Gemini CLI uses, on 127.0.0.1, and answers from scenarios as
// FakeResponses does.
type FakeGemini struct {
	server *httptest.Server

	mu        sync.Mutex
	scenarios map[string][]Step
	requests  []GeminiRequest
}

// GeminiRequest is one request for content.
type GeminiRequest struct {
	Contents []struct {
		Role  string
		Parts []struct {
			Text             string
			FunctionResponse json.RawMessage
		}
	}
	GenerationConfig struct{ ResponseMimeType string } // JSON for the choice of a model
}

// NewFakeGemini starts the API; it stops when the test ends.
func NewFakeGemini(t testing.TB) *FakeGemini {
	t.Helper()
	api := &FakeGemini{scenarios: map[string][]Step{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1beta/models/{call}", api.serve)
	api.server = httptest.NewServer(mux)
	t.Cleanup(api.server.Close)
	return api
}

// URL is GOOGLE_GEMINI_BASE_URL.
func (f *FakeGemini) URL() string { return f.server.URL }

// Script sets the model's answers from a prompt with SCRIPT:name on: a step for each request.
func (f *FakeGemini) Script(name string, steps ...Step) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.scenarios[name] = steps
}

// RequestsWith returns the requests so far in which the user's text has a piece, without those for the choice of a
// model.
func (f *FakeGemini) RequestsWith(userText string) []GeminiRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(f.requests), func(r GeminiRequest) bool { return !strings.Contains(r.text(), userText) })
}

// text is that of the user's parts, with the answers of hooks as they were before the client escaped them.
func (r GeminiRequest) text() string {
	var texts []string
	for _, content := range r.Contents {
		for _, part := range content.Parts {
			if content.Role == "user" {
				texts = append(texts, part.Text+string(part.FunctionResponse))
			}
		}
	}
	return html.UnescapeString(strings.Join(texts, "\n"))
}

// MemoryBlocks are the pieces of a request that the plugin added, tags included.
func (r GeminiRequest) MemoryBlocks() []string { return memoryBlock.FindAllString(r.text(), -1) }

func (f *FakeGemini) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away in the middle of its request
	}
	var request GeminiRequest
	if err := json.Unmarshal(body, &request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	step := Say(`{"reasoning":"a small task","model_choice":"flash"}`)
	if request.GenerationConfig.ResponseMimeType == "" {
		step = f.take(request)
	}
	var parts []map[string]any
	for _, block := range step.Content {
		if block.Type == "text" {
			parts = append(parts, map[string]any{"text": block.Text})
		} else {
			parts = append(parts, map[string]any{"functionCall": map[string]any{"name": block.Name, "args": block.Input}})
		}
	}
	answer := map[string]any{
		"candidates":    []any{map[string]any{"content": map[string]any{"role": "model", "parts": parts}, "finishReason": "STOP"}},
		"usageMetadata": map[string]int{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
	}
	if !strings.HasPrefix(r.PathValue("call")[strings.Index(r.PathValue("call"), ":")+1:], "stream") {
		writeJSON(w, http.StatusOK, answer)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, "data: %s\n\n", must(json.Marshal(answer)))
}

// take records a request and gives the step that answers it.
func (f *FakeGemini) take(request GeminiRequest) Step {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, request)
	name, results := request.script()
	switch steps := f.scenarios[name]; {
	case name == "":
		return Say("Done.")
	case results >= len(steps):
		return Say(fmt.Sprintf("scenario %q has no step %d: done", name, results))
	default:
		return steps[results]
	}
}

// script is the last scenario that the user named, and how many results of tools have come since.
func (r GeminiRequest) script() (name string, results int) {
	for _, content := range slices.Backward(r.Contents) {
		for _, part := range slices.Backward(content.Parts) {
			if part.FunctionResponse != nil {
				results++
			}
			typed := memoryBlock.ReplaceAllLiteralString(html.UnescapeString(part.Text), "")
			if markers := scriptMarker.FindAllStringSubmatch(typed, -1); content.Role == "user" && len(markers) > 0 {
				return markers[len(markers)-1][1], results
			}
		}
	}
	return "", 0
}
