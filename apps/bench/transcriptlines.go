package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// transcriptWriter writes the events of a session in the lines of the client.
type transcriptWriter struct {
	to     *json.Encoder
	output int // bytes that each tool call puts out

	lines int
	asked string // the last prompt, which the assistant's words at the end of the turn are about
}

type object = map[string]any

func (t *transcriptWriter) event(e memory.Event) error {
	switch e.Kind {
	case memory.EventPrompt:
		if err := t.turnEnded(e); err != nil {
			return err
		}
		t.asked = e.Prompt
		return t.line(e, "user", e.Prompt, nil)
	case memory.EventFileChanged:
		input, result := object{"file_path": filepath.Join(e.Dir, e.File)}, object{"filePath": filepath.Join(e.Dir, e.File)}
		if e.Tool == "Write" {
			input["content"], result["type"] = e.After, "create"
		} else {
			input["old_string"], input["new_string"] = e.Before, e.After
		}
		return t.tool(e, input, t.pad("The file has been updated."), result, false)
	case memory.EventCommandSucceeded:
		output := t.pad(e.Output)
		return t.tool(e, object{"command": e.Command, "description": e.Purpose}, output, object{"stdout": output}, false)
	case memory.EventCommandFailed:
		output := t.pad(e.Error)
		return t.tool(e, object{"command": e.Command, "description": e.Purpose}, output, "Error: "+output, true)
	case memory.EventSessionEnded:
		return t.turnEnded(e)
	}
	return nil
}

// turnEnded are the assistant's last words of a turn.
func (t *transcriptWriter) turnEnded(e memory.Event) error {
	if t.asked == "" {
		return nil
	}
	words := "I did as you asked (" + memory.Cut(memory.OneLine(t.asked), 100) + "). The tests pass."
	return t.line(e, "assistant", []object{{"type": "text", "text": words}}, nil)
}

// tool is a call and its result.
func (t *transcriptWriter) tool(e memory.Event, input object, output string, result any, isError bool) error {
	id := fmt.Sprintf("toolu_%s_%d", e.Session, t.lines)
	err := t.line(e, "assistant", []object{{"type": "tool_use", "id": id, "name": e.Tool, "input": input}}, nil)
	if err != nil {
		return err
	}
	return t.line(e, "user", []object{{"type": "tool_result", "tool_use_id": id, "content": output, "is_error": isError}}, result)
}

func (t *transcriptWriter) line(e memory.Event, kind string, content, result any) error {
	t.lines++
	line := object{
		"type": kind, "uuid": fmt.Sprintf("%s-%d", e.Session, t.lines), "sessionId": e.Session, "cwd": e.Dir, "isSidechain": false,
		"timestamp": e.At.Add(time.Duration(t.lines) * time.Millisecond), "userType": "external", "version": "2.1.329", "gitBranch": "main",
		"message": object{"role": kind, "content": content},
	}
	if result != nil {
		line["toolUseResult"] = result
	}
	return t.to.Encode(line)
}

// pad makes a text as long as a tool's output.
func (t *transcriptWriter) pad(text string) string {
	const filler = "ok  \texample.com/some/package\t0.012s\n"
	return text + "\n" + strings.Repeat(filler, max(0, t.output-len(text))/len(filler))
}
