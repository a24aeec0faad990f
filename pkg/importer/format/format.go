// Package format reads the lines of clients' transcripts. Each client has a form of its own, which is internal to it and
// changes, and a small reader here; all say the same few things: who said it in which session, a prompt, the assistant's
// words, the use of a tool. Lines that cannot be parsed are the caller's to skip.
package format

import (
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
)

// Format is the form of a client's transcripts.
type Format struct {
	Client string // empty is Claude Code
	New    func(file string) Reader
	// Lines makes lines of a file that has none; nil where it has.
	Lines func(content []byte) []byte
	// Rewinds is a part of each line that takes back earlier ones; empty if there are none.
	Rewinds string

	is func(file string) bool
}

// formats are told apart by the paths of the files; Claude Code's are whatever is left.
var formats = []Format{
	{client.Codex, newRollout, nil, `"thread_rolled_back"`, isRollout},
	{client.Gemini, newGeminiChat, nil, `"$rewindTo"`, isGeminiChat},
	{client.Gemini, newGeminiChat, linesOfGeminiChat, "", isOldGeminiChat},
	{client.Copilot, newCopilotEvents, nil, `"session.snapshot_rewind"`, isCopilotEvents},
	{client.OpenCode, newOpenCodeSession, nil, "", isOpenCodeSession},
}

// Of is the format of a transcript; known is false for a file that is none.
func Of(file string) (f Format, known bool) {
	for _, f := range formats {
		if f.is(file) {
			return f, true
		}
	}
	return Format{New: newClaudeTranscript}, filepath.Ext(file) == ".jsonl"
}
