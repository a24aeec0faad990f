//go:build !race

package consolidate_test

const raceEnabled = false
