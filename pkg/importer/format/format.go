// Package format reads the lines of the transcripts of Claude Code and of Codex. Each has an internal format that
// changes over time, and a reader here. Both readers return the same few things: the session and author, a prompt, the
// assistant's words, the use of a tool. The caller skips lines that cannot be parsed.
package format

import (
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
)

// Format is the form of a client's transcripts.
type Format struct {
	Client string // empty is Claude Code
	New    func(file string) Reader
}

// Of returns the format of a transcript by its name; known is false for other files.
func Of(file string) (f Format, known bool) {
	known = filepath.Ext(file) == ".jsonl"
	if isRollout(file) {
		return Format{client.Codex, newRollout}, known
	}
	return Format{New: newClaudeTranscript}, known
}
