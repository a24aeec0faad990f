package spool

import (
	"slices"
	"strconv"
	"strings"
)

// The name of a file says whether its event is a suspect, and how often the event was
// alone when something went wrong: ID.json, ID.t0.json, ID.t1.json, ID.t2.json. So a
// killed agent does not lose the count.
const (
	attemptMark = ".t"
	eventSuffix = ".json"
)

// attempts are the number and the mark in the name of a file, and the name without them.
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

// attempted is the name of a file whose event was alone that often.
func attempted(plain string, n int) string {
	return strings.TrimSuffix(plain, eventSuffix) + attemptMark + strconv.Itoa(n) + eventSuffix
}

// alone are the first of the names that may be claimed together: those before the first
// suspect, or that one.
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
