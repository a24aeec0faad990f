//go:build race

package consolidate_test

const raceEnabled = true
