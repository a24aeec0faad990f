package client

import (
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
)

// tools are those of a client that do something to the project.
type tools struct {
	named []tool
	own   string // begins the names of those of our MCP server
	mcp   string // stands in the names of those of any MCP server, and in no others
}

// tool is a tool of Claude Code's, and those of a client that do the same work.
type tool struct {
	ours   string
	theirs []string
	fields []string // of the input, ours and theirs in turn; none: they have the same names
}

func (t tools) find(name string) (found tool, known bool) {
	for _, one := range t.named {
		if slices.Contains(one.theirs, name) {
			return one, true
		}
	}
	if own, is := strings.CutPrefix(name, t.own); is {
		return tool{ours: ownTools + own}, true
	}
	return tool{ours: name}, strings.Contains(name, t.mcp)
}

// inputs gives a tool the name and the input that Claude Code has for the same work; none if there is no such tool.
func (t tools) inputs(in hookio.Input) []hookio.Input {
	found, known := t.find(in.ToolName)
	if !known {
		return nil
	}
	in.ToolName = found.ours
	if len(found.fields) > 0 {
		in.ToolInput = renamed(in.ToolInput, found.fields...)
	}
	return []hookio.Input{in}
}
