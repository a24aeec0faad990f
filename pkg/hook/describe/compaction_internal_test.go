package describe

import "testing"

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
		if got := CompactionSummary(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
