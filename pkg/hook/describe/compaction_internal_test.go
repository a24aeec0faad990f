package describe

import (
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func TestSummaryIsTheTextBetweenItsTags(t *testing.T) {
	for text, want := range map[string]string{
		"<analysis>a</analysis>\n<summary>it</summary> more": "it",
		"no tags":                          "no tags",
		"<summary>without end":             "without end",
		"<summary></summary>":              "",
		"<summary>one</summary><summary>2": "one",
		"</summary>":                       "</summary>",
		"":                                 "",
	} {
		musttest.Same(t, want, CompactionSummary(text), "%q", text)
	}
}
