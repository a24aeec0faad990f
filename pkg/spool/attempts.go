package spool

import (
	"slices"
	"strconv"
	"strings"
)

// A file's name records whether its event is a suspect, and how often the event was claimed
// alone when something went wrong: ID.json, ID.t0.json, ID.t1.json, ID.t2.json. So the count
// survives a killed daemon.
const (
	attemptMark = ".t"
	eventSuffix = ".json"
)

// attempts splits a file's name into the plain name, the number of attempts and the mark of a suspect.
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

// attempted returns the name of a file whose event was claimed alone n times.
func attempted(plain string, n int) string {
	return strings.TrimSuffix(plain, eventSuffix) + attemptMark + strconv.Itoa(n) + eventSuffix
}

// alone returns the first names that may be claimed together: those before the first suspect,
// or only the suspect.
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
