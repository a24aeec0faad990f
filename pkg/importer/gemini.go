package importer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
)

// isGeminiChat tells a transcript of Gemini CLI by its place: tmp/PROJECT/chats/session-*.jsonl, and a folder of the
// session's name beside it for those of its subagents.
func isGeminiChat(file string) bool { return isInChats(file) && filepath.Ext(file) == ".jsonl" }

// isOldGeminiChat tells a transcript that is one JSON object: older versions wrote these.
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
	file         string
	session, dir string
	isSubagent   bool
	told         map[string]bool // messages of the user and calls that were made entries
}

func newGeminiChat(file string) format { return &geminiChat{file: file, told: map[string]bool{}} }

func (g *geminiChat) start() (session, dir string) { return g.session, g.dir }

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

func (g *geminiChat) entries(text []byte) ([]entry, error) {
	var line struct {
		geminiMessage
		SessionID   string   `json:"sessionId"`
		ProjectHash string   `json:"projectHash"`
		Kind        string   `json:"kind"`
		Directories []string `json:"directories"`
	}
	if err := json.Unmarshal(text, &line); err != nil {
		return nil, err
	}
	var all []entry
	switch {
	case line.SessionID != "" && g.session == "":
		g.meta(line.SessionID, line.ProjectHash, line.Kind, line.Directories)
	case line.ID != "":
		all = g.message(line.geminiMessage)
	}
	for i := range all {
		all[i].SessionID, all[i].CWD, all[i].Timestamp, all[i].IsSidechain = g.session, g.dir, line.Timestamp, g.isSubagent
	}
	return all, nil
}

// meta reads whose transcript it is. That of a subagent belongs to the session of whoever started it.
func (g *geminiChat) meta(session, hash, kind string, directories []string) {
	folder := filepath.Dir(g.file)
	g.session = session
	if g.isSubagent = kind == "subagent"; g.isSubagent {
		g.session = filepath.Base(folder)
		folder = filepath.Dir(folder)
	}
	g.dir = projectOfGemini(filepath.Dir(folder), hash)
	if g.dir == "" && len(directories) > 0 {
		g.dir = directories[0]
	}
}

// projectOfGemini is the directory that a folder of Gemini CLI's is for. Older versions named the folder by the sum of
// the directory: then it is known if a newer one was used there, too.
func projectOfGemini(folder, hash string) string {
	if root, err := os.ReadFile(filepath.Join(folder, ".project_root")); err == nil {
		return strings.TrimSpace(string(root))
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

func (g *geminiChat) message(m geminiMessage) []entry {
	switch m.Type {
	case "user":
		content := m.Displayed
		if content == nil {
			content = m.Content
		}
		said := client.GeminiPrompt(saidIn(content))
		if said == "" || g.told[m.ID] || strings.HasPrefix(said, "<session_context>") {
			return nil
		}
		g.told[m.ID] = true
		return []entry{{Type: "user", UUID: m.ID, Message: message{raw(said)}}}
	case "gemini":
		var all []entry
		if said := saidIn(m.Content); said != "" && !g.told[m.ID] {
			g.told[m.ID] = true
			all = append(all, entry{Type: "assistant", UUID: m.ID, Message: message{raw(said)}})
		}
		for _, call := range m.Calls {
			if len(call.Result) > 0 && !g.told[call.ID] {
				g.told[call.ID] = true
				all = append(all, call.used()...)
			}
		}
		return all
	}
	return nil
}

// used is the use of a tool under the name that Claude Code has for the same work. One that was refused or that failed
// did nothing.
func (c geminiCall) used() []entry {
	name, known := client.GeminiTool(c.Name)
	if !known || c.Status != "success" {
		return nil
	}
	output, _, _ := strings.Cut(c.Result[0].Response.Response.Output, "\n\n<hook_context>")
	var args struct {
		Command string `json:"command"`
		Agent   string `json:"agent_name"`
		Prompt  string `json:"prompt"`
	}
	_ = json.Unmarshal(c.Args, &args) // without them they are empty
	switch name {
	case "Bash":
		var shown string
		_ = json.Unmarshal(c.Shown, &shown) // otherwise it is not known
		if output, code, ended := client.GeminiOutcome(output, shown); ended {
			return ran(c.ID, args.Command, int(code), output)
		}
		return nil
	case "Agent":
		if report, ended := client.GeminiReport(output); ended {
			return use(c.ID, name, map[string]string{"subagent_type": args.Agent, "prompt": args.Prompt}, block{Content: raw(report)})
		}
		return nil
	}
	return use(c.ID, name, c.Args, block{Content: raw(output)})
}

// saidIn is the text of a content: one text, or parts with texts.
func saidIn(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(content, &parts) // of another shape it says nothing
	var all []string
	for _, one := range parts {
		if one.Text != "" {
			all = append(all, one.Text)
		}
	}
	return strings.Join(all, "\n")
}

// maxGeminiChat bounds a transcript that is one JSON object, in bytes: it is read as a whole.
const maxGeminiChat = 128 << 20

// linesOfGeminiChat makes lines of a transcript that is one JSON object: the head, then each message. Of anything else
// it leaves the lines that it has.
func linesOfGeminiChat(file string) ([]byte, error) {
	content, _, err := ReadFile(file, maxGeminiChat)
	if err != nil {
		return nil, err
	}
	var head map[string]json.RawMessage
	var messages []json.RawMessage
	if json.Unmarshal(content, &head) != nil || json.Unmarshal(head["messages"], &messages) != nil {
		return content, nil
	}
	delete(head, "messages")
	delete(head, "lastUpdated") // the lines before stay as they are when others come
	var lines bytes.Buffer
	for _, one := range append([]json.RawMessage{raw(head)}, messages...) {
		if err := json.Compact(&lines, one); err != nil {
			return content, nil //nolint:nilerr // a part of valid JSON is valid
		}
		lines.WriteByte('\n')
	}
	return lines.Bytes(), nil
}
