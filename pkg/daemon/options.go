package daemon

import (
	"context"
	"log/slog"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/answers"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/briefing"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/distiller"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/exchange"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/instructions"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/upkeep"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/book"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
)

// Options are the dependencies and settings of a daemon.
type Options struct {
	Store   Store
	Spools  []*spool.Spool
	Counter memory.TokenCounter
	Config  config.Config
	Layout  paths.Layout
	Log     *slog.Logger
	Now     func() time.Time
	// Journal records all writes, so that a store can be rebuilt; nil for none.
	Journal *journal.Journal
	// Owned reports whether the spools still belong to this daemon; nil if they always do.
	Owned func() bool
	// Backups is the directory of the daily backups; empty for none. Version is the product's version, which each backup names.
	Backups string
	Version string

	// CanWrite returns nil if the store accepts a write now; a nil function means that this cannot be tested.
	CanWrite func(ctx context.Context) error
	// HasSchema returns memory.ErrSchema if the store has another version's schema; nil if it never has.
	HasSchema func(ctx context.Context) error

	// Client is the directory of Claude Code's settings, which contains the memory that Claude Code keeps of projects
	// by itself. If empty, that memory is not imported.
	Client string

	// Redact removes secrets from a text before it is stored or sent.
	Redact func(string) string
	// Texts rewrites the rows of the store; nil if a scrub is not possible. SweepRow returns what a sweep leaves of a row in a
	// backup, and whether that differs from the row.
	Texts    SweepStore
	SweepRow func(table string, row []byte, sweep memory.Sweep) ([]byte, bool, error)

	// Instructions knows the texts that the client loads by itself; nil for none.
	Instructions *instructions.Instructions

	// Exchange exchanges rows with the user's other machines; nil for none.
	Exchange *exchange.Exchanges

	// Hooks returns the current limits of the answers to hooks.
	Hooks func() config.Hooks
	// OnlyAsked is passed to intake.Intake.
	OnlyAsked func() bool
	// IsDisabled reports whether all hooks are off.
	IsDisabled func() bool
	// Distills returns the current settings of distillation and their model; without a model it is switched off.
	Distills func() (config.Distill, distill.Model)
}

// Store has the methods that the parts and the handlers need; package storetest describes each. The daemon writes
// memories through a book.Book, which journals each change.
type Store interface {
	book.Store
	intake.Store
	projectStore
	session.Store
	briefing.Store
	answers.Store
	upkeep.Store
	distiller.Store
	Export(ctx context.Context, q memory.ExportQuery) (memory.ExportPage, error)
}

// SweepStore rewrites its rows and compacts its files, so that removed text is in neither.
type SweepStore interface {
	Sweep(ctx context.Context, apply bool, sweep memory.Sweep) (memory.Swept, error)
	Compact(ctx context.Context) error
}
