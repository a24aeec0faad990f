package importer

import (
	"bytes"
	"io"
	"path/filepath"
)

// formats are those of other clients' transcripts, which their paths tell from Claude Code's.
var formats = []struct {
	is  func(file string) bool
	new func(file string) format
	// text makes lines of a file that has none; nil where it has.
	text func(file string) ([]byte, error)
}{
	{isRollout, newRollout, nil},
	{isGeminiChat, newGeminiChat, nil},
	{isOldGeminiChat, newGeminiChat, linesOfGeminiChat},
	{isCopilotEvents, newCopilotEvents, nil},
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

func isTranscript(file string) bool {
	return filepath.Ext(file) == ".jsonl" || formatOf(file) != nil
}

// linesOf opens a transcript as lines, each a JSON object, and tells their size in bytes.
func linesOf(file string) (io.ReadCloser, int64, error) {
	for _, f := range formats {
		if f.text != nil && f.is(file) {
			text, err := f.text(file)
			return io.NopCloser(bytes.NewReader(text)), int64(len(text)), err
		}
	}
	f, info, err := Open(file) // a pipe may have taken its place
	if err != nil {
		return nil, 0, err
	}
	return f, info.Size(), nil
}
