package deep_test

import (
	"testing"

	"github.com/zricethezav/gitleaks/v8/detect"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact/redacttest"
)

// TestCorpus measures both looks on secrets and on what looks like them, and
// prints beside it what each would find alone. -v names what is missed.
func TestCorpus(t *testing.T) {
	detector, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []string{"tuning", "checking", "later", "fourth", "fifth"} {
		for name, clean := range map[string]func(string) string{
			"hooks alone": func(text string) string { clean, _ := redact.Text(text); return clean },
			"gitleaks alone": func(text string) string {
				var report redact.Report
				for _, f := range detector.DetectString(text) {
					text = redact.Replace(text, f.Secret, f.RuleID, &report)
				}
				return text
			},
			"both": func(text string) string { clean, _ := scanner.Text(text); return clean },
		} {
			result, err := redacttest.Measure(set, 1, clean)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s: %s", name, result)
			if name != "both" {
				continue
			}
			for _, line := range append(result.Missed, result.Touched...) {
				t.Log(line)
			}
			if 100*result.Removed < 99*result.Secrets || 100*result.LookAlikeTouched > result.LookAlikes {
				t.Errorf("%s: want 99 %% of the secrets removed and 1 %% of the look-alikes touched at most", set)
			}
		}
	}
}
