package importer

import (
	"bytes"
	"io"
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

// maker makes the lines of a transcript that has none; nil for one that has.
func (t *Transcript) maker() func() ([]byte, error) {
	if t.Lines != nil {
		return t.Lines
	}
	for _, f := range formats {
		if f.text != nil && f.is(t.File) {
			return func() ([]byte, error) { return f.text(t.File) }
		}
	}
	return nil
}

// open opens a transcript as lines, each a JSON object, and tells their size in bytes.
func (t *Transcript) open() (io.ReadCloser, int64, error) {
	if lines := t.maker(); lines != nil {
		text, err := lines()
		return io.NopCloser(bytes.NewReader(text)), int64(len(text)), err
	}
	f, info, err := Open(t.File) // a pipe may have taken its place
	if err != nil {
		return nil, 0, err
	}
	return f, info.Size(), nil
}
