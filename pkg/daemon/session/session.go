// Package session tracks which memories each conversation was shown and has asked for, and whether the user has seen what
// was kept. It buffers these records and stores them later. It does not decide which memories to show.
package session

import (
	"context"
	"log/slog"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Store has the methods of the store that this package needs. It fails with memory.ErrNotFound for an unknown
// session.
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
