package describe

import "strings"

// CompactionSummary is what is kept of a compaction's summary.
func CompactionSummary(text string) string { return summary(Text(text)) }

// summary is what stands between the summary tags, where there are any; what the
// model thought on the way to it is left out. The text is redacted before: what
// is private may have begun in front of the summary.
func summary(text string) string {
	_, after, found := strings.Cut(text, "<summary>")
	if !found {
		return text
	}
	inner, _, _ := strings.Cut(after, "</summary>")
	return inner
}
