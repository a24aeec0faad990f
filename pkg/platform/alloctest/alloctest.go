// Package alloctest bounds the allocations of code: unlike its time, they are the same on
// every machine, so a test can hold it. It refuses to be linked by a program.
package alloctest

import (
	"runtime"
	"testing"
)

// runs is how often the code runs that is measured.
const runs = 20

// AtMost fails the test if a call of f allocates more than count objects, or more than bytes,
// on average. The first call is not counted: it may fill caches. Nothing else of the
// process should run meanwhile. It skips the test under the race detector.
func AtMost(t testing.TB, count, bytes uint64, f func()) {
	t.Helper()
	if underRace {
		t.Skip("the race detector allocates, too: run it without -race")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // as testing.AllocsPerRun
	f()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		f()
	}
	runtime.ReadMemStats(&after)
	gotCount, gotBytes := (after.Mallocs-before.Mallocs)/runs, (after.TotalAlloc-before.TotalAlloc)/runs
	if gotCount > count || gotBytes > bytes {
		t.Errorf("a call allocates %d objects and %d bytes, the most is %d and %d: go test -memprofile shows where",
			gotCount, gotBytes, count, bytes)
	}
}
