package importer

import (
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/client"
)

// formats are those of other clients' transcripts, which their paths tell from Claude Code's.
var formats = []struct {
	client string
	is     func(file string) bool
	new    func(file string) format
	// text makes lines of a file that has none; nil where it has.
	text func(file string) ([]byte, error)
}{
	{client.Codex, isRollout, newRollout, nil},
	{client.Gemini, isGeminiChat, newGeminiChat, nil},
	{client.Gemini, isOldGeminiChat, newGeminiChat, linesOfGeminiChat},
	{client.Copilot, isCopilotEvents, newCopilotEvents, nil},
	{client.OpenCode, isOpenCodeSession, newOpenCodeSession, nil},
	{client.Cursor, isCursorTranscript, newCursorTranscript, nil},
}

// formatOf is the format of a transcript; nil for one of Claude Code.
func formatOf(file string) format {
	for _, f := range formats {
		if f.is(file) {
			return f.new(file)
		}
	}
	return nil
}

// clientOf is the client that has written a transcript; empty is Claude Code.
func clientOf(file string) string {
	for _, f := range formats {
		if f.is(file) {
			return f.client
		}
	}
	return ""
}

func isTranscript(file string) bool {
	return filepath.Ext(file) == ".jsonl" || formatOf(file) != nil
}
