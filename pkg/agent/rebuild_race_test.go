//go:build race

package agent_test

// histories are fewer with the race detector, which makes them ten times slower; make chaos
// draws all of them without.
const histories = 100
