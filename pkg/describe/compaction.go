package describe

import "strings"

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
