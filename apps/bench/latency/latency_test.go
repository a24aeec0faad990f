package latency_test

import (
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/latency"
)

func upTo(n int) []time.Duration {
	var all []time.Duration
	for i := n; i >= 1; i-- { // unsorted on purpose
		all = append(all, time.Duration(i)*time.Millisecond)
	}
	return all
}

func TestSummarise(t *testing.T) {
	tests := map[string]struct {
		took []time.Duration
		want latency.Summary
	}{
		"nothing":  {nil, latency.Summary{}},
		"one":      {upTo(1), latency.Summary{N: 1, P50: 1, P95: 1, P99: 1, Max: 1}},
		"two":      {upTo(2), latency.Summary{N: 2, P50: 1, P95: 2, P99: 2, Max: 2}},
		"hundred":  {upTo(100), latency.Summary{N: 100, P50: 50, P95: 95, P99: 99, Max: 100}},
		"thousand": {upTo(1000), latency.Summary{N: 1000, P50: 500, P95: 950, P99: 990, Max: 1000}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := latency.Summarise(test.took); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestSummariseLeavesTheOrderOfItsInput(t *testing.T) {
	took := upTo(3)
	latency.Summarise(took)
	if took[0] != 3*time.Millisecond {
		t.Errorf("the input was reordered: %v", took)
	}
}

func TestPercentileBounds(t *testing.T) {
	sorted := []time.Duration{1, 2, 3, 4}
	for percent, want := range map[float64]time.Duration{0: 1, 25: 1, 26: 2, 50: 2, 75: 3, 99: 4, 100: 4} {
		if got := latency.Percentile(sorted, percent); got != want {
			t.Errorf("percentile %v is %d, want %d", percent, got, want)
		}
	}
}

func TestJudge(t *testing.T) {
	floor := latency.Summary{N: 10, P50: 1.25, P95: 2, P99: 4}
	tests := map[string]struct {
		class    latency.Class
		p50, max float64
		failed   int
		budget   float64
		want     latency.Verdict
	}{
		"capture at its budget":       {latency.Capture, 2.5, 9, 0, 2, latency.Kept},
		"capture over its budget":     {latency.Capture, 2.6, 9, 0, 2, latency.Exceeded},
		"recall may take longer":      {latency.Recall, 3.75, 9, 0, 3, latency.Kept},
		"recall over its budget":      {latency.Recall, 3.8, 9, 0, 3, latency.Exceeded},
		"warm start at its budget":    {latency.WarmStart, 5, 9, 0, 4, latency.Kept},
		"warm start over":             {latency.WarmStart, 5.1, 9, 0, 4, latency.Exceeded},
		"cold start by its slowest":   {latency.ColdStart, 400, 1001, 0, 1000, latency.Exceeded},
		"cold start within":           {latency.ColdStart, 400, 1000, 0, 1000, latency.Kept},
		"a failed run proves nothing": {latency.Capture, 1.25, 2, 1, 2, latency.Invalid},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			row := latency.Row{Class: test.class, Failed: test.failed, Summary: latency.Summary{N: 10, P50: test.p50, P99: 8, Max: test.max}}
			got := latency.Judge(row, floor, latency.AtRest)
			if got.Verdict != test.want || got.Budget != test.budget {
				t.Errorf("got %s of budget %v, want %s of %v", got.Verdict, got.Budget, test.want, test.budget)
			}
			if want := test.p50 / 1.25; got.RatioP50 != want || got.RatioP99 != 2 {
				t.Errorf("ratios are %v and %v, want %v and 2", got.RatioP50, got.RatioP99, want)
			}
		})
	}
}

func TestUnderWorkTheTailIsBoundedToo(t *testing.T) {
	floor := latency.Summary{P50: 1, P95: 2, P99: 3}
	for _, c := range []struct {
		class    latency.Class
		p50, p95 float64
		want     latency.Verdict
	}{
		{latency.Capture, 2.5, 6, latency.Kept},
		{latency.Capture, 2.5, 6.1, latency.Exceeded},
		{latency.Recall, 3.6, 4, latency.Exceeded},
		{latency.Recall, 3.5, 10, latency.Kept},
		{latency.NextStart, 6, 99, latency.Kept},
		{latency.WarmStart, 5, 99, latency.NoBudget},
	} {
		got := latency.Judge(latency.Row{Class: c.class, Summary: latency.Summary{N: 1, P50: c.p50, P95: c.p95}}, floor, latency.UnderWork)
		if got.Verdict != c.want || got.RatioP95 != c.p95 {
			t.Errorf("%s of %v and %v: %s, its p95 is %v of the floor", c.class, c.p50, c.p95, got.Verdict, got.RatioP95)
		}
	}
}

func TestTheRarestSlowCapturesAreBounded(t *testing.T) {
	floor := latency.Summary{P50: 1, P95: 2, P99: 3}
	for p99, want := range map[float64]latency.Verdict{15: latency.Kept, 15.1: latency.Exceeded} {
		row := latency.Row{Class: latency.Capture, Summary: latency.Summary{N: 1, P50: 1, P99: p99}}
		if got := latency.Judge(row, floor, latency.AtRest); got.Verdict != want {
			t.Errorf("a 99th percentile of %v: %s", p99, got.Verdict)
		}
	}
}

func TestJudgeWithoutAFloor(t *testing.T) {
	got := latency.Judge(latency.Row{Class: latency.Capture, Summary: latency.Summary{P50: 1, P99: 1}}, latency.Summary{}, latency.AtRest)
	if got.RatioP50 != 0 || got.RatioP99 != 0 {
		t.Errorf("ratios to nothing are %v and %v, want 0", got.RatioP50, got.RatioP99)
	}
}

func TestTable(t *testing.T) {
	floor := latency.Summary{N: 200, P50: 1.2, P95: 1.5, P99: 2}
	report := latency.Report{
		Version: "v1", Machine: "linux/amd64", Seed: 7,
		Store:    latency.Filling{Project: 10, Store: 100, Events: 150, SpoolSeconds: 1, IngestSeconds: 2, DiskMB: 4},
		Resident: "daemon 45 MB (at most 48), engine 203 MB (at most 219)",
		Floor:    floor,
		Hooks: []latency.Row{
			latency.Judge(latency.Row{Name: "session-end", Class: latency.Capture, Summary: latency.Summary{N: 200, P50: 1.8, P95: 2, P99: 3}}, floor, latency.AtRest),
			latency.Judge(latency.Row{Name: "session-start cold", Class: latency.ColdStart, Summary: latency.Summary{N: 10, P50: 600, P95: 1200, P99: 1200, Max: 1200}, WithContext: 10}, floor, latency.AtRest),
			latency.Judge(latency.Row{Name: "setup", Class: latency.Peer, Summary: latency.Summary{N: 5, P50: 60, P95: 60, P99: 60}, Failed: 2, Problem: "no such program"}, floor, latency.AtRest),
		},
	}
	want := strings.TrimPrefix(`
memory v1 on linux/amd64, seed 7
store: 100 memories, 10 of them in the measured project; 150 events through spool and daemon: 50 events/s (1.0 s to spool, 2.0 s to ingest), 4 MB on disk
meanwhile: 0 events/s of other sessions
resident after the warm runs: daemon 45 MB (at most 48), engine 203 MB (at most 219)

             program       class    n  p50 ms   p95 ms   p99 ms  p50/floor  p95/floor p50  p99/floor       budget  verdict  context  failed
     (empty program)       floor  200    1.20     1.50     2.00       1.00           1.25       1.00            -        -        -       -
         session-end     capture  200    1.80     2.00     3.00       1.50           1.67       1.50   2.0, p99 5       ok        0       0
  session-start cold  start-cold   10  600.00  1200.00  1200.00     500.00        1000.00     600.00  max 1000 ms     OVER       10       0
               setup        peer    5   60.00    60.00    60.00      50.00          50.00      30.00            -   FAILED        0       2

setup: no such program
`, "\n")
	var got strings.Builder
	if err := report.Write(&got); err != nil {
		t.Fatal(err)
	}
	if got.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", got.String(), want)
	}
}
