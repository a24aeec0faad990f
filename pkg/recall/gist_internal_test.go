package recall

import (
	"strings"
	"testing"
)

func TestGistSaysWhatWasAskedSummedUpAndHowItEnded(t *testing.T) {
	const date = "2026-11-22 09:36 UTC"
	long := strings.Repeat("word ", 80)
	for _, test := range []struct {
		name, digest string
		want         []string // what stands in it; nothing for an empty gist
	}{
		{"all three", date + `: asked "` + long + `"; Wrote a.go; summed up as: the rollout is next` + long + `; ended with: ` + long, []string{date + ": asked", "; summed up as: the rollout is next", "; ended with: word"}},
		{"no prompt", date + ": Wrote " + long + "; summed up as: the rollout is next; ended with: bye", []string{date + "; summed up as: the rollout is next; ended with: bye"}},
		{"no summary", date + `: asked "x"; Wrote ` + long + `; ended with: bye`, []string{date + `: asked "x"; ended with: bye`}},
		{"it only did things", date + ": Wrote " + long, nil},
		{"short enough", date + `: asked "x"; edited a.go`, []string{date + `: asked "x"; edited a.go`}},
		{"not of ingest", "what another tool said", []string{"what another tool said"}},
	} {
		got := gist(test.digest)
		if len(got) > maxStartSummary+10 || (got == "") != (test.want == nil) {
			t.Errorf("%s: %q has %d bytes", test.name, got, len(got))
		}
		for _, part := range test.want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %q lacks %q", test.name, got, part)
			}
		}
	}
}
