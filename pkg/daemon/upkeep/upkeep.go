// Package upkeep runs maintenance and backups: on their schedules, after sessions, and when somebody asks. Package
// policy decides the fate of a memory.
package upkeep

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/policy"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
)

// Store has the methods of the store that this package needs; package storetest describes each.
type Store interface {
	consolidate.Store
	backup.Source
}

// Upkeep runs maintenance and backups. Its methods are safe for concurrent use.
type Upkeep struct {
	Store   Store
	Counter memory.TokenCounter
	Config  config.Config
	Log     *slog.Logger
	Now     func() time.Time
	Limits  policy.Limits // limits of the job prune; zero: policy.UsualLimits
	// Journal is the journal to compress and trim; nil if there is none.
	Journal *journal.Journal
	// Ledger writes to the journal; nil if nothing does.
	Ledger *journal.Ledger
	// Backups is the directory of the daily backups; empty for none. Version is the product's version, which each
	// backup names.
	Backups string
	Version string
	// Changed is called with the memories that maintenance changed.
	Changed func(ctx context.Context, ids []string)

	backingUp sync.Mutex
	turn      sync.Mutex // held while a job runs
	running   sync.WaitGroup
	ended     atomic.Bool // whether a session has ended since the last AfterSessions

	mu        sync.Mutex
	triggered time.Time // time when inBackground last ran the jobs
}

// Wait waits for background jobs, which end with the contexts that they were started with.
func (u *Upkeep) Wait() { u.running.Wait() }
