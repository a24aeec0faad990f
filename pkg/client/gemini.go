package client

import (
	"strconv"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

// Gemini is the name of Google's Gemini CLI. The contract of its hooks was measured on version
// 0.61.0: docs/lab/clients.md.
const Gemini = "gemini"

// geminiTools are the tools of Gemini CLI that have a counterpart.
var geminiTools = tools{
	named: []tool{
		{bashTool, []string{"run_shell_command"}, nil},
		{readTool, []string{"read_file"}, nil},
		{editTool, []string{"replace"}, nil},
		{writeTool, []string{"write_file"}, nil},
		{agentTool, []string{"invoke_agent"}, []string{"subagent_type", "agent_name", "prompt", "prompt"}},
	},
	own: "mcp_" + Server + "_", mcp: "mcp_",
}

var gemini = Client{Name: Gemini, Title: "Gemini CLI", tools: geminiTools, Inputs: geminiInputs, Output: contextOnly}

func geminiInputs(in hookio.Input) []hookio.Input {
	switch in.HookEventName {
	case hookio.SessionStart, hookio.SessionEnd:
	case "BeforeAgent":
		in.HookEventName = hookio.UserPromptSubmit
		in.Prompt = GeminiPrompt(in.Prompt)
	case "AfterAgent":
		in.HookEventName = hookio.Stop
	case "AfterTool":
		return geminiUsed(in)
	default:
		return nil
	}
	return []hookio.Input{in}
}

// geminiHookContext begins the answers of hooks, which Gemini CLI puts before a prompt or behind a tool's output.
// They have no < of their own.
const geminiHookContext = "<hook_context>"

// GeminiPrompt is a prompt without the answers of hooks before it and the files behind it that it refers to by @.
func GeminiPrompt(prompt string) string {
	for {
		inner, has := strings.CutPrefix(prompt, geminiHookContext)
		if !has {
			return withoutFiles(prompt)
		}
		_, rest, ended := strings.Cut(inner, "</hook_context>")
		if !ended {
			return withoutFiles(prompt)
		}
		prompt = strings.TrimPrefix(rest, "\n\n")
	}
}

// The lines around the files that a prompt refers to. A file may have such lines, too, so that the last end counts.
const (
	geminiFiles    = "--- Content from referenced files ---"
	geminiFilesEnd = "--- End of content ---"
)

func withoutFiles(prompt string) string {
	before, files, found := strings.Cut("\n"+prompt, "\n"+geminiFiles)
	if !found {
		return prompt
	}
	behind := ""
	if end := strings.LastIndex(files, geminiFilesEnd); end >= 0 {
		behind = files[end+len(geminiFilesEnd):]
	}
	return strings.TrimSpace(before + behind)
}

// geminiUsed returns the use of a tool under the name that Claude Code has for the same work. Since nothing can be
// injected before a tool runs, the recall for a file comes after it.
func geminiUsed(in hookio.Input) []hookio.Input {
	in.HookEventName = hookio.PostToolUse
	failed := in.ToolResponse.Get("error").Kind == hookio.Object
	all := geminiTools.inputs(in)
	if len(all) == 0 {
		return nil
	}
	switch in = all[0]; {
	case in.ToolName == bashTool:
		output, code, known := GeminiOutcome(in.ToolResponse.String("llmContent"), in.ToolResponse.String("returnDisplay"))
		return []hookio.Input{ran(in, part(output, in.ToolResponse.Get("llmContent").Cut), code, known && !failed)}
	case failed:
		return nil
	case in.ToolName == readTool, in.ToolName == editTool, in.ToolName == writeTool: // with the fields that Claude Code has
		before := in
		before.HookEventName = hookio.PreToolUse
		return []hookio.Input{before, in}
	case in.ToolName == agentTool:
		report, ended := GeminiReport(texts(in.ToolResponse.Get("llmContent")))
		if !ended {
			return nil
		}
		in.ToolResponse = reported(report)
	}
	return []hookio.Input{in}
}

// geminiOutput stands before the output of a command.
const geminiOutput = "Output: "

// GeminiOutcome is the output and the exit code of a shell command, from the tool's answer to the model; shown is its
// answer to the user, if that is known. A command that was cancelled, killed or moved to the background has no code.
func GeminiOutcome(told, shown string) (output string, code int64, known bool) {
	body, wrapped := strings.CutPrefix(told, "<untrusted_context>\n")
	if end := strings.LastIndex(body, "\n</untrusted_context>"); wrapped && end >= 0 {
		body = body[:end]
	}
	if strings.HasPrefix(body, "Command: ") { // as older versions began
		body = body[max(0, strings.Index(body, "\n"+geminiOutput)+1):]
	}
	body, known = strings.CutPrefix(body, geminiOutput)
	if !known {
		return told, 0, false
	}
	output, notes := geminiNotes(body, shown)
	for note := range strings.SplitSeq(notes, "\n") {
		switch name, value, _ := strings.Cut(note, ": "); name {
		case "Exit Code":
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return output, 0, false
			}
			code = n
		case "Error", "Signal": // in older versions with the value "(none)"
			if value != "(none)" && value != "0" {
				return output, 0, false
			}
		}
	}
	return output, code, true
}

// geminiNotes parts the output of a command from Gemini CLI's lines behind it. The output itself may end with such
// lines: where the user saw all of it, they are not mistaken.
func geminiNotes(body, shown string) (output, notes string) {
	if rest, found := strings.CutPrefix(body, shown); shown != "" && found && strings.HasPrefix(rest, "\n") {
		return shown, rest[1:]
	}
	at := len(body)
	for at > 0 {
		start := strings.LastIndexByte(body[:at], '\n') + 1
		name, _, _ := strings.Cut(body[start:at], ": ")
		if start == 0 || name != "Process Group PGID" && name != "Background PIDs" && name != "Exit Code" && name != "Signal" {
			break
		}
		at = start - 1
	}
	return body[:at], strings.TrimPrefix(body[at:], "\n")
}

// GeminiReport is a subagent's report in the tool's answer to the model; none if the subagent did not reach its goal.
func GeminiReport(told string) (report string, ended bool) {
	head, report, found := strings.Cut(told, "\nResult:\n")
	return report, found && strings.HasSuffix(head, "Termination Reason: GOAL")
}

// texts are those of content blocks.
func texts(blocks hookio.Value) string {
	var all []string
	for _, block := range blocks.Items {
		all = append(all, block.String("text"))
	}
	return strings.Join(all, "\n")
}
