// Package alloctest limits the allocations of code in tests. Unlike times, allocations are the same on every machine.
// Programs must not import it.
package alloctest

import (
	"runtime"
	"testing"
)

// runs is the number of measured calls.
const runs = 20

// AtMost fails the test if a call of f allocates more than count objects, or more than bytes, on average. A first
// call, which may fill caches, is not measured. Nothing else in the process should run meanwhile. AtMost skips the
// test under the race detector.
func AtMost(t testing.TB, count, bytes uint64, f func()) {
	t.Helper()
	if underRace {
		t.Skip("the race detector allocates too: run the test without -race")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // like testing.AllocsPerRun
	f()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		f()
	}
	runtime.ReadMemStats(&after)
	gotCount, gotBytes := (after.Mallocs-before.Mallocs)/runs, (after.TotalAlloc-before.TotalAlloc)/runs
	if gotCount > count || gotBytes > bytes {
		t.Errorf("a call allocates %d objects and %d bytes, at most %d and %d are allowed: go test -memprofile shows where",
			gotCount, gotBytes, count, bytes)
	}
}
