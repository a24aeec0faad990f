// Package session tracks which memories each conversation was shown and has asked for, and whether the user has seen what
// was kept. It buffers these records and stores them later. It does not decide which memories to show.
package session

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Store has the methods of the store that this package needs. It fails with memory.ErrNotFound for an unknown session.
type Store interface {
	memory.RecordReader
	Ingest(ctx context.Context, b memory.Batch) error
}

// The maximum numbers of cached conversations and sessions, and of planned tasks. A dropped conversation is read from
// the store again.
const (
	maxConversations = 64
	maxWatched       = 1024
	maxPlanned       = 100
)

// Sessions tracks the conversations. Its methods are safe for concurrent use.
type Sessions struct {
	store Store
	log   *slog.Logger
	now   func() time.Time

	mu      sync.Mutex // guards the fields below, and keeps shown and unsaved in the same order
	shown   *lru.Cache[Conversation, *Shown]
	unsaved []memory.Injection
	uses    []memory.Use
	planned []plannedTask
	watched *lru.Cache[string, *watched]

	saving sync.Mutex // held while unsaved and uses are written
}

func New(store Store, log *slog.Logger, now func() time.Time) *Sessions {
	shown, _ := lru.New[Conversation, *Shown](maxConversations) // fails only for a size below 1
	seen, _ := lru.New[string, *watched](maxWatched)
	return &Sessions{store: store, log: log, now: now, shown: shown, watched: seen}
}

// Save stores the buffered records. It drops them if that fails, because they only count injections and uses.
func (s *Sessions) Save(ctx context.Context) {
	s.saving.Lock()
	defer s.saving.Unlock()
	s.mu.Lock()
	injections, uses := s.unsaved, s.uses
	s.mu.Unlock()
	if len(injections)+len(uses) == 0 {
		return
	}
	if err := s.store.Ingest(ctx, memory.Batch{Injections: injections, Uses: uses}); err != nil {
		s.log.Warn("injections and uses could not be recorded", "shown", len(injections), "used", len(uses), "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// Other calls may have added records meanwhile, or Discard may have dropped all.
	s.unsaved = s.unsaved[min(len(injections), len(s.unsaved)):]
	s.uses = s.uses[min(len(uses), len(s.uses)):]
}

// Discard drops the buffered records of all projects, because a record does not name its project.
func (s *Sessions) Discard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unsaved, s.uses = nil, nil
}

// plannedTask is the task of a subagent that is about to start.
type plannedTask struct{ session, kind, task string }

// watched is a session of which this daemon has seen an event.
type watched struct {
	isOpen     bool
	isWhole    bool     // whether this daemon has seen the session's start
	kept       []string // memories kept from it since its start, oldest first
	isReported bool     // whether the user has seen the kept memories listed
}

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
