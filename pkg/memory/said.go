package memory

import (
	"slices"
	"strings"
)

// saidIn begins the tags that name the sessions in which the user said a memory, once there are several of them.
const saidIn = "said-"

// mostSaid bounds these tags: a program says the same in each of its sessions.
const mostSaid = 20

// SaidAgain returns a memory that the user said in some sessions; an empty one is not known. The order of sessions, and their
// repetition, do not matter.
func (m Memory) SaidAgain(sessions ...string) Memory {
	for _, session := range sessions {
		tag := saidIn + ShortID(session)
		if m.Said() < mostSaid && !slices.Contains(m.Tags, tag) {
			m.Tags = append(slices.Clone(m.Tags), tag)
		}
	}
	slices.Sort(m.Tags)
	m.Importance = max(m.Importance, FactImportance(3))
	return m
}

// Said returns in how many sessions the user said the memory; below two: he did not have to say it again.
func (m Memory) Said() (sessions int) {
	for _, tag := range m.Tags {
		if strings.HasPrefix(tag, saidIn) {
			sessions++
		}
	}
	return sessions
}

// IsSaidAgain reports whether the user had to say the memory again.
func (m Memory) IsSaidAgain() bool { return m.Said() > 1 }

// Repeated returns the action by which a row counts as said again in a session, and whether it does not yet.
func (r Row) Repeated(session, reason string) (a Action, isNew bool) {
	again := r
	again.Memory = r.Memory.SaidAgain("", session)
	return Action{
		Memory: r.Memory.ID, Kind: "repeat", Reason: reason, Before: r.State(), After: again.State(), Cursor: r.Cursor,
	}, r.Memory.Status == StatusActive && again.Memory.Said() > r.Memory.Said()
}
