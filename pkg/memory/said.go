package memory

import (
	"slices"
	"strings"
)

// TagRepeated marks a memory that the user had to say again.
const TagRepeated = "repeated"

// saidIn begins the tags that name the sessions in which the user said a memory. A memory has such tags if there are
// several sessions.
const saidIn = "said-"

// mostSaid is the maximum number of these tags of a memory. A program may say the same in each of its sessions.
const mostSaid = 20

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

// Unsaid returns the tags that a memory loses because the user took back what a session said, which others said, too.
func (m Memory) Unsaid(session string) []string {
	switch tag := saidIn + ShortID(session); {
	case !hasTag(m.Tags, tag):
		return nil
	case m.Said() > 2:
		return []string{tag}
	default:
		return m.SaidTags()
	}
}

// Stated returns the memory without what was decided about it: other tags, and that it is archived.
func (m Memory) Stated() Memory {
	m.Tags, m.Detail = m.SaidTags(), withoutArchivedLine(m.Detail)
	return m
}

// IsSaidAgain reports whether the user had to say the memory again.
func (m Memory) IsSaidAgain() bool { return m.Said() > 1 }

// Repeated returns the action that records that the user said a memory again in a session. isNew is false if that is
// recorded already.
func (r Row) Repeated(session, reason string) (a Action, isNew bool) {
	again := r
	again.Memory = r.Memory.SaidAgain("", session)
	return r.Becomes(again.State(), "repeat", reason), r.Memory.Status == StatusActive && again.Memory.Said() > r.Memory.Said()
}

// Repeats counts how often the user had to say something again in the sessions that began in a month.
type Repeats struct {
	Month    string `json:"month"` // 2006-01
	Times    int    `json:"times"`
	Sessions int    `json:"sessions"`
}

// RepeatsByMonth counts the repeats of memories in some sessions, the latest month first. The first time is not a repeat.
func RepeatsByMonth(repeated []Memory, sessions []Session) (months []Repeats) {
	latest := slices.SortedFunc(slices.Values(sessions), func(a, b Session) int { return b.StartedAt.Compare(a.StartedAt) })
	for _, s := range latest {
		month := s.StartedAt.UTC().Format("2006-01")
		if n := len(months); n == 0 || months[n-1].Month != month {
			months = append(months, Repeats{Month: month})
		}
		in := &months[len(months)-1]
		in.Sessions++
		for _, m := range repeated {
			if m.CreatedAt.Before(s.StartedAt) && slices.Contains(m.Tags, saidIn+ShortID(s.ID)) {
				in.Times++
			}
		}
	}
	return months
}
