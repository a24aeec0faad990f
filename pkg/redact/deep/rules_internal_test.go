package deep

import (
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/report"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact/redacttest"
)

// whole is gitleaks with all its rules.
func whole(t *testing.T) *detect.Detector {
	t.Helper()
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	d.IgnoreGitleaksAllow = true
	return d
}

// TestEveryRuleCompiles compiles all rules, each because a text has its keyword, and
// compares them with those of gitleaks.
func TestEveryRuleCompiles(t *testing.T) {
	r, err := readRules()
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range r.source.Rules {
		if _, err := r.find("a text with " + strings.Join(rule.Keywords, " ")); err != nil {
			t.Errorf("%s: %v", rule.ID, err)
		}
	}
	all := whole(t).Config
	if got, want := slices.Sorted(maps.Keys(r.compiled.Rules)), slices.Sorted(maps.Keys(all.Rules)); !slices.Equal(got, want) {
		t.Errorf("%d rules are compiled, gitleaks has %d", len(got), len(want))
	}
	for id, want := range all.Rules {
		if got := r.compiled.Rules[id]; fmt.Sprint(got.Regex) != fmt.Sprint(want.Regex) || len(got.Allowlists) != len(want.Allowlists) || got.Entropy != want.Entropy || got.SecretGroup != want.SecretGroup {
			t.Errorf("%s is compiled to %+v, gitleaks has %+v", id, got, want)
		}
	}
	if len(r.compiled.Allowlists) != len(all.Allowlists) || len(all.Allowlists) == 0 {
		t.Errorf("%d lists of what is allowed, gitleaks has %d", len(r.compiled.Allowlists), len(all.Allowlists))
	}
}

// TestFindingsAreThoseOfGitleaks compares the findings with those of gitleaks with all
// its rules, on texts with secrets and with what looks like them.
func TestFindingsAreThoseOfGitleaks(t *testing.T) {
	r, err := readRules()
	if err != nil {
		t.Fatal(err)
	}
	all, found := whole(t), 0
	if _, err := redacttest.Measure("checking", 1, func(text string) string {
		got, err := r.find(text)
		if err != nil {
			t.Fatal(err)
		}
		want := all.DetectString(text)
		if g, w := told(got), told(want); !slices.Equal(g, w) {
			t.Errorf("in %q:\n got %q\nwant %q", text, g, w)
		}
		found += len(want)
		return text
	}); err != nil {
		t.Fatal(err)
	}
	if found < 100 {
		t.Errorf("gitleaks found only %d secrets: this compares nothing", found)
	}
}

func told(findings []report.Finding) []string {
	var all []string
	for _, f := range findings {
		all = append(all, fmt.Sprint(f.RuleID, f.StartLine, f.StartColumn, f.Secret))
	}
	slices.SortFunc(all, cmp.Compare)
	return all
}

// TestRulesInUseAreFew bounds what the rules take after texts of a day's work. All of
// them took 15 MB.
func TestRulesInUseAreFew(t *testing.T) {
	const most = 3 << 19 // 1.5 MB
	before := heap()
	r, err := readRules()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"The key is read from the settings; they ask for a token and a password, and the task ends. See https://example.com/api/v2",
		"go test ./... -run TestAuth && git push origin main", "ok  \tgithub.com/acme/app/pkg/token\t0.412s\tkey=value secret_name=db",
	} {
		if _, err := r.find(text); err != nil {
			t.Fatal(err)
		}
	}
	if kept := heap() - before; kept > most {
		t.Errorf("%d of %d rules take %d bytes, the most is %d", len(r.compiled.Rules), len(r.source.Rules), kept, most)
	}
	runtime.KeepAlive(r)
}

func heap() int64 {
	runtime.GC()
	runtime.GC() // the first ends what was allocated meanwhile
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
