//go:build !race

package agent_test

// histories is how many are drawn to compare a store with its rebuild.
const histories = 1000
