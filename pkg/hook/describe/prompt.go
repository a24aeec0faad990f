package describe

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/speaker"
)

// Prompt is the part of a prompt to keep, of which the client says so much: nothing if it is wholly private, was not typed
// by a user, or is not about the work. Data in base64 is left out.
func Prompt(prompt string, line speaker.Line) string {
	prompt = speaker.Typed(Text(prompt), line)
	if strings.HasPrefix(prompt, "/surrealdb-memory:") {
		return ""
	}
	return withoutEncoded(prompt)
}

// CompactionSummary is the part of a compaction's summary that is kept.
func CompactionSummary(text string) string { return summary(Text(text)) }

// summary is the text between the summary tags, where there are any; the model's thoughts
// before it are left out. The text is redacted before: a private part may have begun in
// front of the summary.
func summary(text string) string {
	_, after, found := strings.Cut(text, "<summary>")
	if !found {
		return text
	}
	inner, _, _ := strings.Cut(after, "</summary>")
	return inner
}
