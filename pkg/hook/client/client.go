// Package client has the differences between Claude Code, whose events, tools and answers the rest of the code knows,
// and Codex: it turns the input of Codex's hooks into Claude Code's, and our answers into those that Codex accepts. Hook
// programs link it, so it imports no more than they may. Where Codex is configured is package connect's; how transcripts
// are read is package importer's.
package client

import "strings"

// Codex is the name of OpenAI's Codex CLI. The contract of its hooks was measured on version 0.169.0: docs/lab/clients.md.
const Codex = "codex"

// Title returns a client's name for people.
func Title(name string) string {
	if name == Codex {
		return "Codex"
	}
	return name
}

// Resume returns the command line that goes on with a session of a client.
func Resume(name, session string) string {
	if name == Codex {
		return "codex resume " + session
	}
	return "claude --resume " + session
}

// Server is the name under which our MCP server is configured in Codex.
const Server = "surrealdb-memory"

// The names of Claude Code's tools, and of our own there.
const (
	bashTool  = "Bash"
	editTool  = "Edit"
	writeTool = "Write"
	agentTool = "Agent"
	ownTools  = "mcp__plugin_surrealdb-memory_memory__"
)

// Slug is Claude Code's name for the folder of a directory.
func Slug(dir string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, dir)
}
