package describe_test

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/describe"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/speaker"
)

// The drafts of plans that the client keeps in its own folder are no files of the project.
// A folder of that name in the project is.
func TestADraftOfAPlanIsNoWorkOnTheProject(t *testing.T) {
	for file, isWork := range map[string]bool{
		"/home/ada/.claude/plans/brave-otter.md": false,
		"/home/ada/.config/cc/plans/otter.md":    false,
		"/home/ada/.claude/CLAUDE.md":            true,
		"/home/ada/web/.claude/plans/export.md":  true,
		"/home/ada/web/docs/plans/export.md":     true,
	} {
		for _, tool := range []string{"Write", "Edit", "Read"} {
			input := musttest.Get(hookio.Decode(strings.NewReader(`{"session_id":"s1","hook_event_name":"PostToolUse","tool_name":"` + tool + `","tool_input":{"file_path":"` + file + `","content":"a","new_string":"a"}}`)))(t)
			event := describe.ToolUse(describe.Occurrence{Input: input, Project: project.Project{Key: "p", Root: "/home/ada/web", Dir: "/home/ada/web"}, At: time.Now()}, func(string) bool { return false })
			musttest.Same(t, isWork, event.File != "", "%s of %s is work: %+v", tool, file, event)
		}
	}
}

// encodedData is so many bytes of noise in base64.
func encodedData(bytes int) string {
	noise := make([]byte, bytes)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	return base64.StdEncoding.EncodeToString(noise)
}

// TestDataInBase64IsNoPartOfAPrompt, wherever it stands beside the user's words.
func TestDataInBase64IsNoPartOfAPrompt(t *testing.T) {
	const rule = "Always use snake_case for JSON field names."
	data, url := encodedData(6042), "data:image/svg+xml;charset=utf-8;base64,"
	urlSafe := strings.NewReplacer("+", "-", "/", "_").Replace(data)
	for prompt, want := range map[string]string{
		rule + "\n" + data:                                   rule + "\n[encoded data]",
		data + "\n" + rule:                                   "[encoded data]\n" + rule,
		data + " " + rule:                                    "[encoded data] " + rule,
		urlSafe + "\n" + rule:                                "[encoded data]\n" + rule,
		rule + " The icon: " + url + data + ", 16 px.":       rule + " The icon: " + url + "[encoded data], 16 px.",
		strings.Repeat("QUJD", 1000) + "\n" + rule:           "[encoded data]\n" + rule,
		data + "…[68000 bytes cut]…" + data + "\n" + rule:    "[encoded data]…[68000 bytes cut]…[encoded data]\n" + rule,
		"Use the icon " + encodedData(300) + " in the tests": "Use the icon [encoded data] in the tests",
		data: "[encoded data]",
	} {
		musttest.Same(t, want, describe.Prompt(prompt, speaker.Line{}), "%.60q", prompt)
	}
}

// TestLongWordsAreNoData: text that a person types or pastes from a program stays.
func TestLongWordsAreNoData(t *testing.T) {
	folders := "src/main/java/com/example/billing/internal/infrastructure/persistence/repositories/InvoiceRepositoryImplementation/generated"
	for _, prompt := range []string{
		"Look at /home/dev/" + folders + "/" + folders,
		"see https://github.com/Acme/Rocket/blob/9f8E7d6C5b4A39281706f5e4d3c2b1a0Ffeeddcc/pkg/hook/hook.go and https://docs.google.com/document/d/1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV2wX3yZ4a5B6c7D8e/edit",
		"the digest is " + strings.Repeat("0123456789abcdef", 16),
		strings.Repeat("-", 900) + "\n" + strings.Repeat("=", 900) + "\n" + strings.Repeat("_/", 900),
		strings.Repeat("ja ", 400) + strings.Repeat("東京", 400),
		"the scheme data:text/plain;base64,SGVsbG8= is what the parser gets wrong",
		"https://example.com/" + strings.Repeat("a-page-with-a-long-name/", 12),
		"GetUserByIDFromCacheV2ThenWriteItToS3AndTellTheQueue",
		"",
	} {
		musttest.Same(t, strings.TrimSpace(prompt), describe.Prompt(prompt, speaker.Line{}), "%.100q became", prompt)
	}
}
