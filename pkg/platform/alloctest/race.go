//go:build race

package alloctest

// underRace is true under the race detector, which allocates too and drops pooled values at random.
const underRace = true
