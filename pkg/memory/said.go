package memory

import (
	"slices"
	"strings"
	"time"
)

// OnePrompt exceeds the differences between the times of the sentences of one prompt.
const OnePrompt = time.Millisecond

// TagRepeated marks a memory that the user had to say again.
const TagRepeated = "repeated"

// saidIn begins the tags that name the sessions in which the user said a memory. A memory has such tags if there are
// several sessions.
const saidIn = "said-"

// mostSaid is the maximum number of said tags of a memory. A program may say the same in each of its sessions.
const mostSaid = 20

// SaidImportance is the importance of the user's words that nobody asked to keep.
const SaidImportance = 0.4

// SaidAgain returns a memory with tags for the sessions in which the user said it; an empty id stands for an unknown
// session. The order of sessions, and their repetition, do not matter.
func (m Memory) SaidAgain(sessions ...string) Memory {
	add := []string{TagRepeated}
	for _, session := range sessions {
		if m.Said()+len(add) <= mostSaid {
			add = append(add, saidIn+ShortID(session))
		}
	}
	m.Tags = retagged(m.Tags, add, nil)
	m.Importance = max(m.Importance, FactImportance(3))
	return m
}

// Said returns in how many sessions the user said the memory; below two, the user did not have to repeat it.
func (m Memory) Said() (sessions int) {
	for _, tag := range m.Tags {
		if strings.HasPrefix(tag, saidIn) {
			sessions++
		}
	}
	return sessions
}

// SaidTags returns the tags that record that the user had to say the memory again.
func (m Memory) SaidTags() []string {
	return slices.DeleteFunc(slices.Clone(m.Tags), func(tag string) bool { return tag != TagRepeated && !strings.HasPrefix(tag, saidIn) })
}

// Without returns the row after the sightings in gone were taken back or purged; rest are the sightings that remain. It moves
// CreatedAt and LastSeenAt and removes said tags that a lost sighting had set. If rest is empty, it returns the row unchanged.
func (r Row) Without(gone, rest []Sighting) Row {
	if len(rest) == 0 {
		return r
	}
	byTime := func(a, b Sighting) int { return a.At.Compare(b.At) }
	first, last := slices.MinFunc(rest, byTime), slices.MaxFunc(rest, byTime)
	for _, s := range gone {
		m := &r.Memory
		if s.At.Equal(m.CreatedAt) && s.At.Before(first.At) {
			m.CreatedAt = first.At
		}
		if s.At.Equal(m.LastSeenAt) && s.At.After(last.At) {
			m.LastSeenAt, m.Session = last.At, last.Session
		}
		if !slices.ContainsFunc(rest, func(one Sighting) bool { return one.Session == s.Session }) {
			r = r.unsaid(s.Session)
		}
	}
	return r
}

// unsaid removes the said tag of a session. If one session is left, it also removes the other said tags and the importance that
// SaidAgain set.
func (r Row) unsaid(session string) Row {
	m := &r.Memory
	tags := []string{saidIn + ShortID(session)}
	switch {
	case !hasTag(m.Tags, tags[0]):
		return r
	case m.Said() < 3:
		tags = m.SaidTags()
		if usual := m.Kind.Importance(); m.Importance == FactImportance(3) {
			m.Importance = min(m.Importance, usual)
			if !r.UserWritten {
				m.Importance = SaidImportance
			}
		}
	}
	m.Tags = retagged(m.Tags, nil, tags)
	return r
}

// Stated returns the memory without tags other than its said tags, and without the line in Detail that says why it was archived.
func (m Memory) Stated() Memory {
	m.Tags, m.Detail = m.SaidTags(), withoutArchivedLine(m.Detail)
	return m
}

func (m Memory) IsSaidAgain() bool { return m.Said() > 1 }

// Repeated returns the action that records that the user said a memory again in a session. isNew is false if the session is
// recorded already.
func (r Row) Repeated(session, reason string) (a Action, isNew bool) {
	again := r
	again.Memory = r.Memory.SaidAgain("", session)
	return r.Becomes(again.State(), "repeat", reason), r.Memory.Status == StatusActive && again.Memory.Said() > r.Memory.Said()
}
