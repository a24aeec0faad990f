//go:build race

package alloctest

// underRace says that the race detector runs, which allocates too, and drops pooled
// values at random.
const underRace = true
