// Package client has the differences between Claude Code, whose events, tools and answers the rest of
// the code knows, and other coding agents: it turns their hooks' input into Claude Code's, and our
// answers into theirs. Hook programs link it, so it imports no more than they may. Where a
// client is configured is package connect's; how its transcripts are read is package importer's.
package client

import "github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"

// Server is the name under which our MCP server is configured in a client.
const Server = "surrealdb-memory"

// Client is another coding agent that calls our hook programs.
type Client struct {
	Name  string // as in --client NAME
	Title string // for people
	tools tools

	// Inputs are those of Claude Code for the same event: none if it has no such event, several for a
	// tool that does the work of several. Fields that the client's input lacks are read in the transcript.
	Inputs func(hookio.Input) []hookio.Input
	// Output is our answer to an event of Claude Code's as this client accepts it, given the name of
	// its own event.
	Output func(event string, o hookio.Output) hookio.Output
}

// Tool is Claude Code's name for a tool of the client, and the fields of its input: ours and theirs in turn, none if they
// have the same names. Unknown are those that do nothing to the project.
func (c Client) Tool(theirs string) (name string, fields []string, known bool) {
	found, known := c.tools.find(theirs)
	return found.ours, found.fields, known
}
