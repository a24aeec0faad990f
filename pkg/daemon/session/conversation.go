package session

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Shown has the memories that one conversation was shown since its last compaction.
type Shown struct {
	who   Conversation
	since time.Time // time of the compaction; zero for none

	// Turn must be held from reading the shown memories until new ones are added, because hooks of parallel tool
	// calls ask at the same time.
	Turn sync.Mutex

	mu  sync.Mutex
	ids map[string]bool
}

// ShownOf returns the Shown of an anonymous conversation that was shown the memories with these ids.
func ShownOf(ids []string) *Shown { return newShown(Conversation{}, time.Time{}, ids) }

func newShown(who Conversation, since time.Time, ids []string) *Shown {
	s := &Shown{who: who, since: since, ids: map[string]bool{}}
	s.add(ids)
	return s
}

// Since returns the time of the conversation's last compaction, or the zero time.
func (s *Shown) Since() time.Time { return s.since }

// InContext reports whether a memory was shown to the conversation or made in it.
func (s *Shown) InContext(m memory.Memory) bool {
	if s.who.Subagent == "" && m.Session != "" && m.Session == s.who.Session && m.LastSeenAt.After(s.since) {
		return true
	}
	return s.WasShown(m)
}

func (s *Shown) WasShown(m memory.Memory) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids[m.ID]
}

// IDs returns the ids of the memories that were shown to the conversation, in any order.
func (s *Shown) IDs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.ids))
}

func (s *Shown) add(ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.ids[id] = true
	}
}

// Conversation is a session, or one of its subagents; each has its own context.
type Conversation struct {
	Session  string
	Subagent string // empty for the session itself
}
