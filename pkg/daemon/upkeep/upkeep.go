// Package upkeep runs maintenance and backups: on their schedules, after sessions, and
// when somebody asks. It does not decide the fate of a memory; package policy does.
package upkeep

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
)

// Store is the store of maintenance and backups. Package storetest describes each method.
type Store interface {
	consolidate.Store
	backup.Store
}

// Upkeep runs maintenance and backups. Its methods are safe for concurrent use.
type Upkeep struct {
	Store   Store
	Counter memory.TokenCounter
	Config  config.Config
	Log     *slog.Logger
	Now     func() time.Time
	// Journal is compressed and trimmed; nil: there is none.
	Journal *journal.Journal
	// Ledger writes to the journal; nil: none does.
	Ledger *journal.Ledger
	// Backups is the directory of the daily backups; empty: there are none. Version is
	// the product's, which a backup names.
	Backups string
	Version string
	// Burst reports whether a burst of events is being ingested, to which background maintenance gives
	// way: over is closed at its end. nil: there never is one.
	Burst func() (over <-chan struct{}, since time.Time)
	// Alone is set if no other daemon uses the store: all changes come through Committed.
	Alone bool
	// Changed is called with the memories that maintenance changed.
	Changed func(ctx context.Context, ids []string)

	backingUp sync.Mutex
	running   sync.WaitGroup
	ended     atomic.Bool // a session, since maintenance was last triggered by that
	news      news

	mu        sync.Mutex
	triggered time.Time // when all maintenance was last triggered
	waits     []*daemonapi.JobWait
	turns     map[string]chan struct{} // by job: full while it runs
	asking    int                      // requests for maintenance that are being answered
	hurry     chan struct{}            // closed by the first of them; nil: nothing waits for that
}

// Wait waits for the jobs in the background. It ends when the contexts that it was
// started with end.
func (u *Upkeep) Wait() { u.running.Wait() }

// ask notes that somebody asks for maintenance: until answered is called nothing waits,
// so that the request is not held up by a job that does.
func (u *Upkeep) ask() (answered func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.asking++; u.asking == 1 && u.hurry != nil {
		close(u.hurry)
		u.hurry = nil
	}
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.asking--
	}
}

// asked is closed when somebody asks for maintenance; nil: somebody does already.
func (u *Upkeep) asked() <-chan struct{} {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.asking > 0 {
		return nil
	}
	if u.hurry == nil {
		u.hurry = make(chan struct{})
	}
	return u.hurry
}
