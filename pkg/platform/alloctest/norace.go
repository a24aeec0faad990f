//go:build !race

package alloctest

const underRace = false
