package describe

import (
	"strings"
	"testing"
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
		if got := CompactionSummary(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzSummary: a summary is a part of the text, and the text between the tags is returned.
func FuzzSummary(f *testing.F) {
	for _, text := range []string{"", "<summary>", "</summary>", "a<summary>b</summary>c", "<summary><summary></summary>"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := CompactionSummary(text); !strings.Contains(text, got) {
			t.Fatalf("%q gives %q", text, got)
		}
		if strings.Contains(text, "summary>") {
			return
		}
		if got := CompactionSummary("<analysis>x</analysis><summary>" + text + "</summary>"); got != text {
			t.Fatalf("%q comes out as %q", text, got)
		}
	})
}
