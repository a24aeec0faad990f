// Package client translates between Codex and Claude Code: it turns the inputs of Codex's hooks into Claude Code's
// inputs, which the rest of the code knows, and our answers into answers that Codex accepts. Hook programs link it, so
// it imports only what they may link. Package connect configures Codex; package importer reads transcripts.
package client

import "strings"

// Codex is the name of OpenAI's Codex CLI. Its hook contract was measured on version 0.169.0: docs/lab/clients.md.
const Codex = "codex"

func DisplayName(name string) string {
	if name == Codex {
		return "Codex"
	}
	return name
}

func ResumeCommand(name, session string) string {
	if name == Codex {
		return "codex resume " + session
	}
	return "claude --resume " + session
}

// SplitName returns the words of an event's name in lower case, separated by between: session-start for SessionStart.
func SplitName(event, between string) string {
	var words strings.Builder
	for i, letter := range event {
		if i > 0 && letter >= 'A' && letter <= 'Z' {
			words.WriteString(between)
		}
		words.WriteRune(letter)
	}
	return strings.ToLower(words.String())
}

// Server is the name under which our MCP server is configured in Codex.
const Server = "surrealdb-memory"

// OwnTools is Claude Code's prefix for the tools of our MCP server.
const OwnTools = "mcp__plugin_surrealdb-memory_memory__"

// Claude Code's names for its tools.
const (
	bashTool  = "Bash"
	editTool  = "Edit"
	writeTool = "Write"
	agentTool = "Agent"
)

// Slug returns Claude Code's folder name for a directory: each character other than a letter or digit becomes "-".
func Slug(dir string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, dir)
}
