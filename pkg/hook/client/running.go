package client

import (
	"path/filepath"
	"strings"
)

// NameOf returns Claude or Codex if a process with these arguments is that client, else "".
func NameOf(args []string) string {
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

// IsNested reports whether a client was started by a command of another client, so that a model writes its prompts. It
// takes the arguments of a process's ancestors, nearest first. One client may be a chain of several processes.
func IsNested(ancestors [][]string) bool {
	isSeen, isLeft := false, false
	for _, args := range ancestors {
		isClient := NameOf(args) != ""
		if isClient && isLeft {
			return true
		}
		isSeen = isSeen || isClient
		isLeft = isLeft || isSeen && !isClient
	}
	return false
}
