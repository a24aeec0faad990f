// Package format reads the lines of transcripts of Claude Code and of Codex. Each client has an internal format that changes over time, and a reader here. Both
// readers return the same things: session and author, prompts, the assistant's words, uses of tools. The caller skips lines that cannot be parsed.
package format

import (
	"path/filepath"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
)

// Format is the format of a client's transcripts.
type Format struct {
	Client string // empty for Claude Code
	New    func(Forks) Reader
}

// Of returns the format of a transcript by its file name. known is false for other files.
func Of(file string) (f Format, known bool) {
	known = filepath.Ext(file) == ".jsonl"
	if strings.HasPrefix(filepath.Base(file), "rollout-") {
		return Format{client.Codex, newRollout}, known
	}
	return Format{New: newClaudeTranscript}, known
}
