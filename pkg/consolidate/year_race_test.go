//go:build race

package consolidate_test

const raceEnabled = true

// sessionsADay is a quarter of what it is without the race detector, which makes
// the year eight times slower. Everything is planted all the same; only the
// budgets are not reached, and the golden file is not compared.
const sessionsADay = 2
