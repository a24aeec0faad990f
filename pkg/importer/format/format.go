// Package format reads the lines of clients' transcripts. Each client has an internal format that changes over time,
// and a small reader here. All readers return the same few things: the session and author, a prompt, the assistant's
// words, the use of a tool. The caller skips lines that cannot be parsed.
package format

import (
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
)

// Format is the form of a client's transcripts.
type Format struct {
	Client string // empty is Claude Code
	New    func(file string) Reader
	// Lines splits a file without lines into lines; nil for files with lines.
	Lines func(content []byte) []byte
	// Rewinds is a text in each line that removes earlier ones; empty if there are none.
	Rewinds string

	is func(file string) bool
}

// formats are distinguished by the paths of the files; Claude Code's are the remaining ones.
var formats = []Format{
	{client.Codex, newRollout, nil, `"thread_rolled_back"`, isRollout},
	{client.Gemini, newGeminiChat, nil, `"$rewindTo"`, isGeminiChat},
	{client.Gemini, newGeminiChat, linesOfGeminiChat, "", isOldGeminiChat},
	{client.Copilot, newCopilotEvents, nil, `"session.snapshot_rewind"`, isCopilotEvents},
	{client.OpenCode, newOpenCodeSession, nil, "", isOpenCodeSession},
}

// Of returns the format of a transcript; known is false for other files.
func Of(file string) (f Format, known bool) {
	for _, f := range formats {
		if f.is(file) {
			return f, true
		}
	}
	return Format{New: newClaudeTranscript}, filepath.Ext(file) == ".jsonl"
}
