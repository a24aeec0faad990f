//go:build race

package consolidate_test

// raceEnabled: the race detector makes the year eight times slower, so it is lived
// without (see the Makefile); the other tests run jobs beside each other with it.
const raceEnabled = true
