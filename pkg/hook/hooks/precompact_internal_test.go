package hooks

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Only the end of a transcript is read: it may have any size, and the line that
// the end begins in is no line.
func TestLastWordsOfALongTranscript(t *testing.T) {
	line := func(text string) string { return string(assistantLine(t, text)) + "\n" }
	for name, c := range map[string]struct{ text, want string }{
		"in the end":        {line("old") + strings.Repeat("x", maxTail) + "\n" + line("new"), "new"},
		"before the end":    {line("old") + strings.Repeat("x", maxTail) + "\n", ""},
		"begins in the end": {strings.Repeat("x", 100) + line(strings.Repeat("y", maxTail)), ""},
		"no newline":        {line("old") + strings.TrimSuffix(line("new"), "\n"), "new"},
		"cut off":           {line("old") + line("new")[:40], "old"},
		"without text":      {line("old") + line(" \n"), "old"},
		"empty":             {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "transcript.jsonl")
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := lastWords(file); err != nil || got != c.want {
				t.Errorf("%.60q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func assistantLine(t testing.TB, texts ...string) []byte {
	t.Helper()
	type block struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	var blocks []block
	for _, text := range texts {
		blocks = append(blocks, block{"text", text})
	}
	line, err := json.Marshal(map[string]any{"type": "assistant", "message": map[string]any{"content": blocks}})
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// FuzzAssistantText: any line is skipped or gives text, and the text of an assistant's line is
// returned whole.
func FuzzAssistantText(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "hook-input", "*.jsonl"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			f.Add(bytes.TrimSuffix(line, []byte("\n")))
		}
	}
	for _, odd := range []string{
		"", "null", `"assistant"`, `{"type":"assistant"}`, `{"type":"assistant","message":null}`, `{"type":"assistant","message":{"content":"text"}}`,
		`{"type":"assistant","message":{"content":[{"type":"text","text":5},7,null]}}`, `{"type":"user","message":{"content":[{"type":"text","text":"assistant"}]}}`,
	} {
		f.Add([]byte(odd))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		text := assistantText(line)
		if text != strings.TrimSpace(text) || len(text) > 3*len(line) {
			t.Fatalf("%q gives %q", line, text)
		}
		if text != "" && !json.Valid(line) {
			t.Fatalf("%q is no JSON, but gives %q", line, text)
		}
		want := strings.TrimSpace(strings.ToValidUTF8(string(line), "\uFFFD"))
		if got := assistantText(assistantLine(t, want)); got != want {
			t.Fatalf("%q comes out as %q", want, got)
		}
	})
}
