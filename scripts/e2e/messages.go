// Package e2e is the end-to-end harness: it runs the real Claude Code client, pinned and headless, against a scripted
// Messages API on loopback, so that tests can check a plugin's effect in the requests to the model.
//
// It never talks to a real model, never uses a real key, and never touches the home directory of the person who runs
// it. The tests that start the client have the build tag e2e.
package e2e

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// CompactionSummary is the fake model's answer when the client asks it to summarise the conversation.
const CompactionSummary = "The fake model's summary of the conversation."

// unscriptedAnswer fits every side question of the client (titles, topic checks) and a plain prompt.
const unscriptedAnswer = `{"title":"fake","ok":true,"isNewTopic":false}`

// distillSystem is the beginning of the daemon's question to a model that distils a session.
const distillSystem = "You write the memory of a programming assistant"

var (
	scriptMarker = regexp.MustCompile(`SCRIPT:([a-z0-9_]+)`)
	memoryBlock  = regexp.MustCompile(`(?s)<surrealdb-memory\b.*?</surrealdb-memory>`)
	injection    = regexp.MustCompile(`(?s)([A-Za-z:_-]+) hook additional context: (<surrealdb-memory\b.*?</surrealdb-memory>)`)
)

// Block is one content block of the fake model's answer. Make it with Text or ToolUse.
type Block struct {
	Type  string         `json:"type"`
	Text  string         `json:"text,omitempty"`
	ID    string         `json:"id,omitempty"`
	Name  string         `json:"name,omitempty"`
	Input map[string]any `json:"input,omitzero"`
}

// Text returns a block of assistant text.
func Text(text string) Block { return Block{Type: "text", Text: text} }

// ToolUse returns a call of a client tool; the API gives it a new id each time it is sent.
func ToolUse(name string, input map[string]any) Block {
	if input == nil {
		input = map[string]any{}
	}
	return Block{Type: "tool_use", Name: name, Input: input}
}

// Usage is the number of tokens reported to the client; a large InputTokens makes the client compact.
type Usage struct {
	InputTokens              int `json:"input_tokens"`
	CacheCreationInputTokens int `json:"cache_creation_input_tokens"`
	CacheReadInputTokens     int `json:"cache_read_input_tokens"`
	OutputTokens             int `json:"output_tokens"`
}

// APIError makes a step fail like the Messages API. The response forbids retries.
type APIError struct {
	Status  int    // HTTP status, 400 to 599
	Type    string // for example invalid_request_error, overloaded_error
	Message string
}

// Step is one assistant turn. If Error is set, Content is ignored; a nil Usage reports small numbers.
type Step struct {
	Content []Block
	Usage   *Usage
	Error   *APIError
	// Before, unless nil, is called before the answer is sent. It can wait for work of the daemon, as a thinking
	// model would.
	Before func()
	// Answer, unless nil, writes the whole answer in place of the other fields: slowly, or malformed.
	Answer http.HandlerFunc
}

// Say returns a step with text only, which ends the model's turn.
func Say(text string) Step { return Step{Content: []Block{Text(text)}} }

// Call returns a step that calls one tool.
func Call(tool string, input map[string]any) Step {
	return Step{Content: []Block{ToolUse(tool, input)}}
}

// Kind is the type of a request.
type Kind string

// The kinds of request the client makes.
const (
	KindScripted     Kind = "scripted"     // a text of the user has a SCRIPT marker
	KindUnscripted   Kind = "unscripted"   // no text has one: a plain prompt, or one of the client's side questions
	KindCompaction   Kind = "compaction"   // the client asked for a summary of the conversation
	KindDistillation Kind = "distillation" // the daemon asked, through the client, for the summary of a session
)

// Request is one POST /v1/messages as it arrived, with its interpretation.
type Request struct {
	Model    string    `json:"model"`
	Stream   bool      `json:"stream"`
	System   Content   `json:"system"`
	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools"`

	Kind   Kind   `json:"-"`
	Script string `json:"-"` // name of the scenario, for a scripted request
	Step   int    `json:"-"` // assistant turns since the marker, for a scripted request
}

// Message is one message of a request; current models also get messages of role "system" in mid-conversation.
type Message struct {
	Role    string  `json:"role"`
	Content Content `json:"content"`
}

// Tool is a tool offered to the model.
type Tool struct {
	Name string `json:"name"`
}

// Content is the content of a message. In JSON one text block may be a plain string.
type Content []ContentBlock

// ContentBlock has the parts of a content block that tests check.
type ContentBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Name    string          `json:"name"`  // of a tool_use block
	Input   json.RawMessage `json:"input"` // of a tool_use block
	Content Content         `json:"content"`
	IsError bool            `json:"is_error"` // of a tool_result block
}

// UnmarshalJSON accepts a string, a list of blocks, or a single object, which some result blocks have.
func (c *Content) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = Content{{Type: "text", Text: text}}
		return nil
	}
	var blocks []ContentBlock
	if err := json.Unmarshal(data, &blocks); err == nil {
		*c = blocks
		return nil
	}
	var block ContentBlock
	if err := json.Unmarshal(data, &block); err != nil {
		return fmt.Errorf("decode message content: %w", err)
	}
	*c = Content{block}
	return nil
}

// PlainText returns the text blocks, without tool calls and their results.
func (c Content) PlainText() string {
	var parts []string
	for _, block := range c {
		if block.Type == "text" {
			parts = append(parts, block.Text)
		}
	}
	return strings.Join(parts, "\n")
}

func (c Content) allText() []string {
	var parts []string
	for _, block := range c {
		if block.Text != "" {
			parts = append(parts, block.Text)
		}
		if len(block.Input) > 0 {
			parts = append(parts, string(block.Input))
		}
		parts = append(parts, block.Content.allText()...)
	}
	return parts
}

// Text returns everything that reached the model: the system prompt, the messages of every role, tool calls (as JSON)
// and tool results, in order, one on each line.
func (r Request) Text() string {
	parts := r.System.allText()
	for _, message := range r.Messages {
		parts = append(parts, message.Content.allText()...)
	}
	return strings.Join(parts, "\n")
}

// MemoryBlocks returns the parts of Text that the plugin added: each <surrealdb-memory ...> element with its tags.
func (r Request) MemoryBlocks() []string {
	return memoryBlock.FindAllString(r.Text(), -1)
}

// Injected returns the MemoryBlocks that a hook of this event gave (SessionStart, PreToolUse:Bash), in order.
func (r Request) Injected(event string) []string {
	var blocks []string
	for _, match := range injection.FindAllStringSubmatch(r.Text(), -1) {
		if match[1] == event {
			blocks = append(blocks, match[2])
		}
	}
	return blocks
}

// FakeAPI serves the part of the Messages API that the client uses, on 127.0.0.1, and answers from scenarios.
//
// The newest "SCRIPT:<name>" in a text of the user, or the newest prompt given to Reply, selects the scenario; the
// number of assistant turns since that message is the step. A marker inside a <surrealdb-memory> block is ignored,
// because recalled memories are not the user's text.
type FakeAPI struct {
	server *httptest.Server

	mu        sync.Mutex
	scenarios map[string][]Step
	distil    []Step
	requests  []Request
}

// NewFakeAPI starts the API; it stops when the test ends.
func NewFakeAPI(t testing.TB) *FakeAPI {
	t.Helper()
	api := &FakeAPI{scenarios: map[string][]Step{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", api.serveMessages)
	mux.HandleFunc("POST /v1/messages/count_tokens", serveTokenCount)
	mux.HandleFunc("HEAD /", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, APIError{http.StatusNotFound, "not_found_error", "the fake API does not serve " + r.URL.Path})
	})
	api.server = httptest.NewServer(mux)
	t.Cleanup(api.server.Close)
	return api
}

// URL returns the value for ANTHROPIC_BASE_URL.
func (f *FakeAPI) URL() string { return f.server.URL }

// Script sets the model's turns after a prompt with SCRIPT:name. Names are [a-z0-9_]+.
func (f *FakeAPI) Script(name string, steps ...Step) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.scenarios[name] = steps
}

// Reply sets the model's turns after this prompt, which has several words and no marker, as a person would type it.
func (f *FakeAPI) Reply(prompt string, steps ...Step) { f.Script(prompt, steps...) }

// replies reports whether a prompt has a scenario.
func (f *FakeAPI) replies(prompt string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.scenarios[prompt] != nil
}

// Distil sets the model's answers to requests to distil a session: one step for each request, the last one also for
// all later requests.
func (f *FakeAPI) Distil(steps ...Step) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.distil = steps
}

// Requests returns the requests for an answer of the model so far, oldest first, without token counts and probes.
func (f *FakeAPI) Requests() []Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.requests)
}

// RequestsWith returns those Requests in which the user's own text contains userText.
func (f *FakeAPI) RequestsWith(userText string) []Request {
	return slices.DeleteFunc(f.Requests(), func(r Request) bool {
		return !slices.ContainsFunc(r.Messages, func(m Message) bool {
			return m.Role == "user" && strings.Contains(m.Content.PlainText(), userText)
		})
	})
}

func (f *FakeAPI) serveMessages(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away in the middle of its request
	}
	var request Request
	if err := json.Unmarshal(body, &request); err != nil {
		writeError(w, APIError{http.StatusBadRequest, "invalid_request_error", err.Error()})
		return
	}
	step := f.take(&request)
	if step.Before != nil {
		step.Before()
	}
	if step.Answer != nil {
		step.Answer(w, r)
		return
	}
	if step.Error != nil {
		writeError(w, *step.Error)
		return
	}
	answer := newAnswer(request.Model, step)
	if request.Stream {
		answer.stream(w)
		return
	}
	writeJSON(w, http.StatusOK, answer)
}

// take classifies and records the request, and returns the step that answers it.
func (f *FakeAPI) take(request *Request) Step {
	f.mu.Lock()
	defer f.mu.Unlock()
	request.classify(f.scenarios)
	f.requests = append(f.requests, *request)

	switch request.Kind {
	case KindDistillation:
		if len(f.distil) == 0 {
			return Say(unscriptedAnswer)
		}
		step := f.distil[0]
		if len(f.distil) > 1 {
			f.distil = f.distil[1:]
		}
		return step
	case KindCompaction:
		return Say("<analysis>fake</analysis>\n<summary>" + CompactionSummary + "</summary>")
	case KindUnscripted:
		return Say(unscriptedAnswer)
	}
	steps, known := f.scenarios[request.Script]
	if !known {
		return Step{Error: &APIError{
			http.StatusBadRequest, "invalid_request_error", fmt.Sprintf("no scenario is named %q", request.Script),
		}}
	}
	if request.Step >= len(steps) {
		return Say(fmt.Sprintf("scenario %s has no step %d: done", request.Script, request.Step))
	}
	return steps[request.Step]
}

func (r *Request) classify(scenarios map[string][]Step) {
	if strings.Contains(r.System.PlainText(), distillSystem) {
		r.Kind = KindDistillation
		return
	}
	if r.asksForSummary() {
		r.Kind = KindCompaction
		return
	}
	r.Kind = KindUnscripted
	for i, turns := len(r.Messages)-1, 0; i >= 0; i-- {
		message := r.Messages[i]
		if message.Role == "assistant" {
			turns++
		}
		if name := message.script(scenarios); name != "" {
			r.Kind, r.Script, r.Step = KindScripted, name, turns
			return
		}
	}
}

// asksForSummary recognises the client's compaction prompt, which is among the last messages and has no marker of its
// own.
func (r *Request) asksForSummary() bool {
	var tail strings.Builder
	for _, message := range r.Messages[max(0, len(r.Messages)-3):] {
		if message.Role != "assistant" {
			tail.WriteString(message.Content.PlainText())
		}
	}
	text := tail.String()
	return strings.Contains(text, "<summary>") &&
		(strings.Contains(text, "Do NOT call any tools") || strings.Contains(text, "detailed summary"))
}

// script returns the last scenario that the user named in this message, or the prompt in it that has a scenario of
// its own. It ignores recalled memories.
func (m Message) script(scenarios map[string][]Step) string {
	if m.Role != "user" {
		return ""
	}
	typed := memoryBlock.ReplaceAllLiteralString(m.Content.PlainText(), "")
	if markers := scriptMarker.FindAllStringSubmatch(typed, -1); len(markers) > 0 {
		return markers[len(markers)-1][1]
	}
	for name := range scenarios {
		if strings.Contains(name, " ") && strings.Contains(typed, name) {
			return name
		}
	}
	return ""
}

// answer is the Message object of the API.
type answer struct {
	ID           string  `json:"id"`
	Type         string  `json:"type"`
	Role         string  `json:"role"`
	Model        string  `json:"model"`
	Content      []Block `json:"content"`
	StopReason   *string `json:"stop_reason"`
	StopSequence *string `json:"stop_sequence"`
	Usage        Usage   `json:"usage"`
}

func newAnswer(model string, step Step) answer {
	stop := "end_turn"
	content := slices.Clone(step.Content)
	for i := range content {
		if content[i].Type == "tool_use" {
			stop = "tool_use"
			content[i].ID = "toolu_" + rand.Text()
		}
	}
	usage := Usage{InputTokens: 100, OutputTokens: 20}
	if step.Usage != nil {
		usage = *step.Usage
	}
	return answer{
		ID: "msg_" + rand.Text(), Type: "message", Role: "assistant", Model: model,
		Content: content, StopReason: &stop, Usage: usage,
	}
}

// stream sends the answer as server-sent events, each block in one delta.
func (a answer) stream(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("Request-Id", "req_"+rand.Text())

	start := a
	start.Content, start.StopReason = []Block{}, nil
	start.Usage.OutputTokens = 1
	writeEvent(w, "message_start", map[string]any{"message": start})
	for i, block := range a.Content {
		opening, delta := block.opening()
		writeEvent(w, "content_block_start", map[string]any{"index": i, "content_block": opening})
		writeEvent(w, "content_block_delta", map[string]any{"index": i, "delta": delta})
		writeEvent(w, "content_block_stop", map[string]any{"index": i})
	}
	writeEvent(w, "message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": a.StopReason, "stop_sequence": nil},
		"usage": a.Usage,
	})
	writeEvent(w, "message_stop", map[string]any{})
}

// opening splits a block into the empty block that announces it and the delta with its content.
func (b Block) opening() (empty, delta map[string]any) {
	if b.Type == "tool_use" {
		input, err := json.Marshal(b.Input)
		if err != nil {
			panic(fmt.Sprintf("e2e: input of tool %s: %v", b.Name, err)) // scenarios are Go literals, so this is a mistake in the test
		}
		return map[string]any{"type": "tool_use", "id": b.ID, "name": b.Name, "input": map[string]any{}},
			map[string]any{"type": "input_json_delta", "partial_json": string(input)}
	}
	return map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": b.Text}
}

func serveTokenCount(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]int{"input_tokens": 100})
}

func writeError(w http.ResponseWriter, failure APIError) {
	w.Header().Set("X-Should-Retry", "false")
	writeJSON(w, failure.Status, map[string]any{
		"type":  "error",
		"error": map[string]string{"type": failure.Type, "message": failure.Message},
	})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Request-Id", "req_"+rand.Text())
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that hung up needs no answer
}

func writeEvent(w io.Writer, event string, data map[string]any) {
	data["type"] = event
	encoded, err := json.Marshal(data)
	if err != nil {
		panic(fmt.Sprintf("e2e: event %s: %v", event, err))
	}
	_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, encoded) // a client that hung up needs no answer
}
