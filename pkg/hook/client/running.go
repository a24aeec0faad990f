package client

import (
	"path/filepath"
	"strings"
)

// Running names, for people, the client that a process with some arguments is; "" if it is none.
func Running(args []string) string {
	program := args[0]
	if name := filepath.Base(program); len(args) > 1 && (name == "node" || name == "bun" || name == "deno") {
		program = args[1]
	}
	switch name := strings.TrimSuffix(filepath.Base(program), ".js"); {
	case name == "claude" || strings.Contains(program, "/@anthropic-ai/claude-code/"):
		return "Claude"
	case name == "codex" || strings.Contains(program, "/@openai/codex/"):
		return "Codex"
	}
	return ""
}

// IsNested reports whether the client of a process, whose ancestors have some arguments, the nearest first, was itself started by a
// command of a client: then a model gives its prompts. A client may be several processes, each of which has started the next.
func IsNested(ancestors [][]string) bool {
	isSeen, isLeft := false, false
	for _, args := range ancestors {
		isClient := Running(args) != ""
		if isClient && isLeft {
			return true
		}
		isSeen = isSeen || isClient
		isLeft = isLeft || isSeen && !isClient
	}
	return false
}
