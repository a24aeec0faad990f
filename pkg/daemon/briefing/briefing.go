// Package briefing selects the memories that are injected into a conversation: at its start, for a prompt, a file or
// a command. It caches an index and the start of each project in use, and updates them after each commit of intake.
// It writes no memories. Package answers serves the questions of people.
package briefing

import (
	"log/slog"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/automemory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/instructions"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/render"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

// Store has the methods of the store that this package needs; package storetest describes each.
type Store interface {
	memory.RowReader
	memory.SessionLister
	memory.RecordReader
	memory.KeyReader
}

type Options struct {
	Store    Store
	Intake   *intake.Intake
	Sessions *session.Sessions
	Counter  memory.TokenCounter
	Log      *slog.Logger
	Now      func() time.Time
	// Hooks returns the current limits of the answers to hooks.
	Hooks func() config.Hooks
	// Shared is set if daemons of other machines may write to the store, too.
	Shared bool
	// Instructions are the instruction files that clients load, so that their sentences are not injected; nil: this is not checked.
	Instructions *instructions.Instructions
	AutoMemory   *automemory.AutoMemory
}

// Briefing answers from its indexes and caches. Its methods are safe for concurrent use.
type Briefing struct {
	Options
	indexes indexes
	cores   *lru.Cache[string, english.Core]
}

// maxCores is the maximum number of memories whose english.Core is cached.
const maxCores = 4096

func New(o Options) *Briefing {
	entries, _ := lru.New[string, *projectIndex](maxIndexes) // fails only for a size below 1
	cores, _ := lru.New[string, english.Core](maxCores)
	return &Briefing{Options: o, indexes: indexes{entries: entries}, cores: cores}
}

// Count returns a memory with the number of tokens of its line.
func (b *Briefing) Count(m memory.Memory) memory.Memory { return render.WithTokenCount(m, b.Counter) }
