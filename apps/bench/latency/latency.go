// Package latency judges how long programs took: percentiles, ratios to the
// floor of the same run, and budgets. It is pure. It refuses to start a process
// or to read a clock.
package latency

import (
	"math"
	"slices"
	"time"
)

// Summary describes one program's runs. Times are in milliseconds.
type Summary struct {
	N   int
	P50 float64
	P95 float64
	P99 float64
	Max float64
}

// Summarise describes durations in any order; none give the zero Summary.
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

// Percentile is the nearest-rank percentile of sorted durations: the smallest
// one that at least percent of them do not exceed. percent is 0 to 100; there
// must be at least one duration.
func Percentile(sorted []time.Duration, percent float64) time.Duration {
	rank := int(math.Ceil(percent / 100 * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Class is the kind of a program's work, which decides its budget.
type Class string

// The classes of program.
const (
	Capture Class = "capture" // records, injects nothing, and does not wait for the disk
	// CapturePower records, too, and waits until the event survives a loss of power.
	CapturePower Class = "capture-power"
	Recall       Class = "recall"     // injects context
	WarmStart    Class = "start-warm" // a session starts while daemon and engine run
	NextStart    Class = "start-next" // a session starts straight after another has ended
	ColdStart    Class = "start-cold" // a session starts while neither runs
	Peer         Class = "peer"       // another program, with the input of one of ours
)

// The latency budgets: ratios of medians to the floor, and milliseconds for the
// slowest cold start.
var (
	coldBudget = 1000.0
	// AtRest are the budgets while nothing else happens, UnderWork those while events of other sessions come in.
	AtRest = Budgets{
		P50: map[Class]float64{Capture: 2, Recall: 3, WarmStart: 4, NextStart: 6},
		P99: map[Class]float64{Capture: 5},
	}
	UnderWork = Budgets{
		P50: map[Class]float64{Capture: 2.5, CapturePower: 2.5, Recall: 3.5, NextStart: 6},
		P95: map[Class]float64{Capture: 6, CapturePower: 6, Recall: 10},
	}
)

// Budgets bound the ratios of the medians and of the 95th percentiles to the floor's median, and those of the 99th to
// the floor's 99th; a class without one is not bounded.
type Budgets struct{ P50, P95, P99 map[Class]float64 }

// Row is one program's result.
type Row struct {
	Name  string
	Event string
	Class Class
	Summary
	// RatioP50 and RatioP99 are the percentiles over those of the floor, RatioP95
	// is over the median of the floor.
	RatioP50 float64
	RatioP95 float64
	RatioP99 float64
	// Budget bounds RatioP50, or of a cold start the slowest run in
	// milliseconds; 0 means that there is none.
	Budget float64
	// Budget95 bounds RatioP95 likewise, and Budget99 RatioP99.
	Budget95 float64
	Budget99 float64
	Verdict  Verdict
	// WithContext is how many runs injected context.
	WithContext int
	// Failed is how many runs logged an error or gave an incomplete result, and Problem
	// is the last such: their times mean nothing.
	Failed  int
	Problem string
}

// Verdict is whether a budget is kept.
type Verdict string

// The verdicts.
const (
	Kept     Verdict = "ok"
	Exceeded Verdict = "OVER"
	NoBudget Verdict = "-"
	Invalid  Verdict = "FAILED" // runs failed, so nothing was measured
)

// Judge completes a row that has its class, summary and failures.
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

// keeps reports whether a ratio is within its budget; 0 is no limit.
func keeps(ratio, budget float64) bool { return budget == 0 || ratio <= budget }

// ratio is 0 where there is no floor to compare with.
func ratio(a, floor float64) float64 {
	if floor == 0 {
		return 0
	}
	return a / floor
}
