// Package latency judges durations of programs: percentiles, ratios to the floor (an empty program that is measured in
// the same run), and budgets. It is pure: it starts no process and reads no clock.
package latency

import (
	"math"
	"slices"
	"time"
)

// Summary describes the runs of one program. Times are in milliseconds.
type Summary struct {
	N   int
	P50 float64
	P95 float64
	P99 float64
	Max float64
}

// Summarise returns the summary of durations in any order. Without durations it returns the zero Summary.
func Summarise(took []time.Duration) Summary {
	if len(took) == 0 {
		return Summary{}
	}
	sorted := slices.Sorted(slices.Values(took))
	return Summary{
		N:   len(sorted),
		P50: milliseconds(Percentile(sorted, 50)),
		P95: milliseconds(Percentile(sorted, 95)),
		P99: milliseconds(Percentile(sorted, 99)),
		Max: milliseconds(sorted[len(sorted)-1]),
	}
}

// Percentile returns the nearest-rank percentile of sorted durations: the smallest duration d such that at least
// percent % of the durations are at most d. There must be at least one duration.
func Percentile(sorted []time.Duration, percent float64) time.Duration {
	rank := int(math.Ceil(percent / 100 * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Class is the kind of a program's work, which decides its budget.
type Class string

const (
	Capture   Class = "capture"    // records, waits until the event is on the disk, and injects nothing
	Recall    Class = "recall"     // injects context
	WarmStart Class = "start-warm" // a session starts while daemon and engine run
	NextStart Class = "start-next" // a session starts directly after another has ended
	ColdStart Class = "start-cold" // a session starts while neither daemon nor engine runs
	Peer      Class = "peer"       // another product's program, run for comparison
)

// The latency budgets: ratios to the floor, and milliseconds for the slowest cold start.
var (
	coldBudget = 1000.0
	// AtRest applies while nothing else happens, UnderWork while events of other sessions arrive.
	AtRest = Budgets{
		P50: map[Class]float64{Capture: 2, Recall: 3, WarmStart: 4, NextStart: 6},
		P99: map[Class]float64{Capture: 5},
	}
	UnderWork = Budgets{
		P50: map[Class]float64{Capture: 2.5, Recall: 3.5, NextStart: 6},
		P95: map[Class]float64{Capture: 6, Recall: 10},
	}
)

// Budgets limit the medians and 95th percentiles relative to the floor's median, and the 99th percentiles relative
// to the floor's 99th percentile. A class without a value has no limit.
type Budgets struct{ P50, P95, P99 map[Class]float64 }

// Row is the result of one program.
type Row struct {
	Name  string
	Event string
	Class Class
	Summary
	// RatioP50 and RatioP99 are relative to the same percentile of the floor, RatioP95 to the median of the floor.
	RatioP50 float64
	RatioP95 float64
	RatioP99 float64
	// Budget limits RatioP50, or for a cold start the slowest run in milliseconds; 0 means no limit.
	Budget float64
	// Budget95 limits RatioP95, and Budget99 RatioP99.
	Budget95 float64
	Budget99 float64
	Verdict  Verdict
	// WithContext is the number of runs that injected context.
	WithContext int
	// Failed is the number of runs that logged an error or gave an incomplete result; their times mean nothing.
	// Problem describes the last failed run.
	Failed  int
	Problem string
}

// Verdict is whether a budget is kept.
type Verdict string

const (
	Kept     Verdict = "ok"
	Exceeded Verdict = "OVER"
	NoBudget Verdict = "-"
	Invalid  Verdict = "FAILED" // runs failed, so the times mean nothing
)

// Judge returns a row with its ratios, budgets and verdict. The row needs its class, summary and failures.
func Judge(r Row, floor Summary, budgets Budgets) Row {
	r.RatioP50, r.RatioP95, r.RatioP99 = ratio(r.P50, floor.P50), ratio(r.P95, floor.P50), ratio(r.P99, floor.P99)
	measured := r.RatioP50
	r.Budget, r.Budget95, r.Budget99 = budgets.P50[r.Class], budgets.P95[r.Class], budgets.P99[r.Class]
	if r.Class == ColdStart {
		measured, r.Budget = r.Max, coldBudget
	}
	switch {
	case r.Failed > 0:
		r.Verdict = Invalid
	case r.Budget == 0:
		r.Verdict = NoBudget
	case measured <= r.Budget && keeps(r.RatioP95, r.Budget95) && keeps(r.RatioP99, r.Budget99):
		r.Verdict = Kept
	default:
		r.Verdict = Exceeded
	}
	return r
}

// keeps reports whether a ratio is within its budget; 0 means no limit.
func keeps(ratio, budget float64) bool { return budget == 0 || ratio <= budget }

// ratio returns a relative to floor, or 0 without a floor.
func ratio(a, floor float64) float64 {
	if floor == 0 {
		return 0
	}
	return a / floor
}
