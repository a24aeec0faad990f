package describe

import (
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/speaker"
)

// Prompt returns the part of a prompt to keep, or "" if it is wholly private, was not typed by a user, or is not about
// the work. line is the client's information on who typed it. Base64 data is left out.
func Prompt(prompt string, line speaker.Line) string {
	prompt = speaker.Typed(Text(prompt), line)
	if strings.HasPrefix(prompt, "/surrealdb-memory:") {
		return ""
	}
	return withoutEncoded(prompt)
}

// CompactionSummary returns the part of a compaction's summary to keep: the text between the summary tags, without the model's
// thoughts before it, or the whole text if there are no tags.
func CompactionSummary(text string) string {
	text = Text(text) // first, because a private part may begin before the summary
	if _, after, found := strings.Cut(text, "<summary>"); found {
		text, _, _ = strings.Cut(after, "</summary>")
	}
	return text
}
