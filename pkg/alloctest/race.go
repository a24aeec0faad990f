//go:build race

package alloctest

// underRace says that the race detector runs, which allocates too, and drops what is
// pooled at random.
const underRace = true
