//go:build !race

package consolidate_test

const raceEnabled = false

// sessionsADay makes 40 sessions a week.
const sessionsADay = 8
