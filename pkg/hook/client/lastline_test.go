package client_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// Only the end of a transcript is read: it may have any size, and the line that
// the end begins in is no line. Lines of another form are skipped.
func TestTheLastLineOfATranscript(t *testing.T) {
	const most = 4 << 20
	line := func(text string) string {
		entry := musttest.Get(json.Marshal(map[string]any{"type": "assistant", "message": map[string]any{"content": []map[string]string{{"type": "text", "text": text}}}}))(t)
		return string(entry) + "\n"
	}
	for name, c := range map[string]struct{ text, want string }{
		"in the end":        {line("old") + strings.Repeat("x", most) + "\n" + line("new"), "new"},
		"before the end":    {line("old") + strings.Repeat("x", most) + "\n", ""},
		"begins in the end": {strings.Repeat("x", 100) + line(strings.Repeat("y", most)), ""},
		"no newline":        {line("old") + strings.TrimSuffix(line("new"), "\n"), "new"},
		"cut off":           {line("old") + line("new")[:40], "old"},
		"without text":      {line("old") + line(" \n"), "old"},
		"a text":            {`{"type":"assistant","message":{"content":"text"}}`, "text"},
		"of odd forms": {line("old") + `null
"assistant"
{"type":"assistant"}
{"type":"assistant","message":null}
{"type":"assistant","message":{"content":[{"type":"text","text":5},7,null]}}
{"type":"user","message":{"content":[{"type":"text","text":"assistant"}]}}
`, "old"},
		"empty": {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "transcript.jsonl")
			musttest.Do(t, os.WriteFile(file, []byte(c.text), 0o600))
			words := func(entry hookio.Value) string { return strings.TrimSpace(entry.Get("message", "content").Message()) }
			last := client.LastLine(file, func(entry hookio.Value) bool { return entry.String("type") == "assistant" && words(entry) != "" }, `"assistant"`)
			musttest.Same(t, c.want, words(last), "%.60q", last)
		})
	}
}
