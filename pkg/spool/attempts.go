package spool

import (
	"slices"
	"strconv"
	"strings"
)

// The name of a suspect's file records how often its event was claimed alone and failed: ID.json is not a suspect,
// ID.t0.json has not failed alone, ID.t1.json has failed once. So the count survives a killed daemon.
const (
	attemptMark = ".t"
	eventSuffix = ".json"
)

// attempts returns the parts of a file's name: the plain name, the number of attempts, and whether it is a suspect.
func attempts(name string) (plain string, n int, isSuspect bool) {
	id, _ := strings.CutSuffix(name, eventSuffix)
	at := strings.LastIndex(id, attemptMark)
	if at < 0 {
		return name, 0, false
	}
	n, err := strconv.Atoi(id[at+len(attemptMark):])
	if err != nil || n < 0 {
		return name, 0, false
	}
	return id[:at] + eventSuffix, n, true
}

// attempted returns the file name for an event that was claimed alone n times.
func attempted(plain string, n int) string {
	return strings.TrimSuffix(plain, eventSuffix) + attemptMark + strconv.Itoa(n) + eventSuffix
}

// alone returns the first names that may be claimed together: all before the first suspect, or only the suspect if
// it comes first.
func alone(names []string) []string {
	at := slices.IndexFunc(names, func(name string) bool {
		_, _, isSuspect := attempts(name)
		return isSuspect
	})
	if at < 0 {
		return names
	}
	return names[:max(at, 1)]
}
