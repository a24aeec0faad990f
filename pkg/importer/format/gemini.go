package format

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
)

// isGeminiChat recognises a transcript of Gemini CLI by its place: tmp/PROJECT/chats/session-*.jsonl, and a folder with
// the session's name next to it for those of its subagents.
func isGeminiChat(file string) bool { return isInChats(file) && filepath.Ext(file) == ".jsonl" }

// isOldGeminiChat recognises a transcript of an older version, which is one JSON object.
func isOldGeminiChat(file string) bool { return isInChats(file) && filepath.Ext(file) == ".json" }

func isInChats(file string) bool {
	folder := filepath.Dir(file)
	if parent := filepath.Dir(folder); filepath.Base(parent) == "chats" {
		return true
	}
	return filepath.Base(folder) == "chats" && strings.HasPrefix(filepath.Base(file), "session-")
}

// geminiChat reads a transcript of Gemini CLI. The line of a message repeats with the calls of its tools.
type geminiChat struct {
	origin
	file string
	told map[string]bool // messages of the user and calls that have become entries
}

func newGeminiChat(file string) Reader { return &geminiChat{file: file, told: map[string]bool{}} }

// geminiMessage is a message of a transcript, as far as it is understood.
type geminiMessage struct {
	ID        string          `json:"id"`
	Timestamp time.Time       `json:"timestamp"`
	Type      string          `json:"type"`
	Content   json.RawMessage `json:"content"`
	Displayed json.RawMessage `json:"displayContent"`
	Calls     []geminiCall    `json:"toolCalls"`
}

type geminiCall struct {
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Args   json.RawMessage `json:"args"`
	Status string          `json:"status"`
	Shown  json.RawMessage `json:"resultDisplay"`
	Result []struct {
		Response struct {
			Response struct {
				Output string `json:"output"`
				Error  string `json:"error"`
			} `json:"response"`
		} `json:"functionResponse"`
	} `json:"result"`
}

func (g *geminiChat) Entries(text []byte) ([]Entry, error) {
	var line struct {
		geminiMessage
		SessionID   string   `json:"sessionId"`
		ProjectHash string   `json:"projectHash"`
		Kind        string   `json:"kind"`
		Directories []string `json:"directories"`
		Messages    []json.RawMessage
		Set         struct{ Messages []json.RawMessage } `json:"$set"`
		RewindTo    string                               `json:"$rewindTo"`
	}
	if err := json.Unmarshal(text, &line); err != nil {
		return nil, err
	}
	switch {
	case line.RewindTo != "":
		return []Entry{{Rewind: &Rewind{From: line.RewindTo, OrAll: true}}}, nil
	case line.SessionID != "" && g.session == "":
		g.meta(line.SessionID, line.ProjectHash, line.Kind, line.Directories)
	case line.ID != "":
		return g.said(line.geminiMessage)
	}
	return g.all(append(line.Messages, line.Set.Messages...))
}

// all returns the entries of the messages that are the model's context from a line on. Messages that a compression
// removed from the context remain entries.
func (g *geminiChat) all(messages []json.RawMessage) (entries []Entry, err error) {
	for _, text := range messages {
		var m geminiMessage
		one, wrong := []Entry(nil), json.Unmarshal(text, &m)
		if wrong == nil {
			one, wrong = g.said(m)
		}
		entries, err = append(entries, one...), errors.Join(err, wrong)
	}
	return entries, err
}

func (g *geminiChat) said(m geminiMessage) (entries []Entry, err error) {
	switch m.Type {
	case "user":
		entries, err = g.prompt(m)
	case "gemini":
		entries, err = g.answer(m)
	}
	if len(entries) == 0 && err == nil {
		entries = []Entry{{ID: m.ID}} // a rewind may name it
	}
	return entries, err
}

// meta reads the session of a transcript. A subagent's belongs to the session that started it.
func (g *geminiChat) meta(session, hash, kind string, directories []string) {
	folder := filepath.Dir(g.file)
	g.session = session
	if g.isAside = kind == "subagent"; g.isAside {
		g.session = filepath.Base(folder)
		folder = filepath.Dir(folder)
	}
	g.dir = projectOfGemini(filepath.Dir(folder), hash)
	if g.dir == "" && len(directories) > 0 {
		g.dir = directories[0]
	}
}

// projectOfGemini returns the directory that a folder of Gemini CLI belongs to. Older versions named the folder by the
// hash of the directory, which can be resolved only if a newer version was used there, too.
func projectOfGemini(folder, hash string) string {
	if root, err := os.ReadFile(filepath.Join(folder, ".project_root")); err == nil {
		return strings.TrimSpace(strings.TrimPrefix(string(root), "\ufeff"))
	}
	var known struct {
		Projects map[string]string `json:"projects"`
	}
	content, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(folder)), "projects.json"))
	if err != nil || json.Unmarshal(content, &known) != nil {
		return ""
	}
	for dir := range known.Projects {
		if sum := sha256.Sum256([]byte(dir)); hex.EncodeToString(sum[:]) == hash {
			return dir
		}
	}
	return ""
}

func (g *geminiChat) prompt(m geminiMessage) ([]Entry, error) {
	content := m.Displayed
	if len(content) == 0 || string(content) == "null" {
		content = m.Content
	}
	parts, err := blocks(content)
	said := client.Typed(client.GeminiPrompt(textOf(parts)))
	if err != nil || said == "" || g.told[m.ID] {
		return nil, err
	}
	g.told[m.ID] = true
	return g.message(m.Timestamp, Entry{ID: m.ID, Prompt: said}), nil
}

func (g *geminiChat) answer(m geminiMessage) ([]Entry, error) {
	e := Entry{ID: m.ID}
	parts, err := blocks(m.Content)
	if said := textOf(parts); !g.told[m.ID] {
		e.Words, g.told[m.ID] = said, said != ""
	}
	for _, call := range m.Calls {
		if len(call.Result) > 0 && !g.told[call.ID] {
			g.told[call.ID] = true
			e.Uses = append(e.Uses, call.uses()...)
		}
	}
	if e.Words == "" && len(e.Uses) == 0 {
		return nil, err
	}
	return g.message(m.Timestamp, e), err
}

// uses returns the use of a tool. A refused or failed one has no effect.
func (c geminiCall) uses() []Use {
	use, known := toolUse(client.Gemini, c.ID, c.Name, c.Args)
	if !known || c.Status != "success" {
		return nil
	}
	use.Output, _, _ = strings.Cut(c.Result[0].Response.Response.Output, "\n\n<hook_context>")
	switch use.Name {
	case "Bash":
		var shown string
		_ = json.Unmarshal(c.Shown, &shown) // otherwise it is unknown
		output, code, ended := client.GeminiOutcome(use.Output, shown)
		if !ended {
			return nil
		}
		use = use.ended(int(code), output)
	case "Agent":
		report, ended := client.GeminiReport(use.Output)
		if !ended {
			return nil
		}
		use.Output = report
	}
	return []Use{use}
}

// linesOfGeminiChat splits a transcript that is one JSON object into lines: the head, then each message. It leaves the
// lines of other files as they are.
func linesOfGeminiChat(content []byte) []byte {
	var head map[string]json.RawMessage
	var messages []json.RawMessage
	if json.Unmarshal(content, &head) != nil || json.Unmarshal(head["messages"], &messages) != nil {
		return content
	}
	delete(head, "messages")
	delete(head, "lastUpdated") // the lines before stay as they are when others come
	first, err := json.Marshal(head)
	if err != nil { // it was read from JSON
		return content
	}
	var lines bytes.Buffer
	for _, one := range append([]json.RawMessage{first}, messages...) {
		if json.Compact(&lines, one) != nil { // a part of valid JSON is valid
			return content
		}
		lines.WriteByte('\n')
	}
	return lines.Bytes()
}
