// Package daemon assembles the daemon from its parts, which are the packages below this one. It
// serves callers, and ends when it is not needed any more. It does not depend on the kind of
// database, or on how processes are started.
package daemon

import (
	"context"
	"log/slog"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/answers"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/automemory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/briefing"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/distiller"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/exchange"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/places"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/receipts"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/upkeep"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/purged"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
)

// Options are the dependencies and settings of a daemon.
type Options struct {
	Store   Store
	Spools  []*spool.Spool
	Counter memory.TokenCounter
	Config  config.Config
	Log     *slog.Logger
	Now     func() time.Time
	// Journal takes ingested events and changes, so that a store can be rebuilt; nil: nothing is
	// journaled.
	Journal *journal.Journal
	// Owned reports whether the spools are still this daemon's; nil: always.
	Owned func() bool
	// Backups is the directory of the daily backups; empty: there are none. Version is the
	// product's version, which a backup names.
	Backups string
	Version string

	// CanWrite returns nil if the store accepts a write now; a nil function means that nobody knows.
	CanWrite func(ctx context.Context) error
	// Alone is set if no other daemon uses the store: see upkeep.Upkeep.
	Alone bool
	// HasSchema returns memory.ErrSchema if the store lacks the schema of this version; a nil function means that it has it.
	HasSchema func(ctx context.Context) error

	// Logs is the directory of the logs, which a rescan searches for secrets too; empty:
	// there are none.
	Logs string
	// Client is the directory of Claude Code's settings, below which Claude Code has its own memory
	// of projects; empty: that memory is not imported.
	Client string

	// Places is the file of the folders that were seen; empty: they are forgotten at the end.
	// OffMarker returns the path of the file that switches a project off; nil: no project is off.
	Places    string
	OffMarker func(key string) string

	// Redact removes secrets from a text before it is stored or sent anywhere; nil:
	// redact.Clean.
	Redact func(string) string
	// Texts rewrites the rows of the store, SweepRow a row of a backup; nil: stored texts cannot be scanned again.
	Texts    SweepStore
	SweepRow func(table string, row []byte, sweep memory.Sweep) ([]byte, bool, error)
	// Home is the directory of the product's files, Purged the file that lists what was purged; each is empty if there is none.
	Home, Purged string

	// Instructions are the texts of the files that the client loads by itself; nil: no such file is
	// known.
	Instructions briefing.Instructions

	// Exchange exchanges letters with the user's other machines; nil: there is no exchange.
	Exchange *exchange.Exchanges

	// Asked and Unpaid are the fields of distiller.Options. Receipts is the file of what the user is to be told.
	Asked, Unpaid, Receipts string
	// OnlyAsked is the field of intake.Intake.
	OnlyAsked func() bool
	// Distills returns the present settings of distillation and the model that they name; nil: Config.Distill and Model are used.
	Distills func() (config.Distill, distill.Model)
	// Model distils sessions; nil: sessions are not distilled, whatever the settings.
	Model distill.Model
}

// Daemon holds the assembled parts of the daemon. Those that must know of new rows subscribe to the
// commits of Intake.
type Daemon struct {
	Intake    *intake.Intake
	Sessions  *session.Sessions
	Briefing  *briefing.Briefing
	Answers   *answers.Answers
	Upkeep    *upkeep.Upkeep
	Distiller *distiller.Distiller
	Told      *receipts.Receipts
	Projects  *Projects
	Rescan    *Rescan
	Auto      *automemory.AutoMemory

	exchange *exchange.Exchanges // nil: there is none
	store    Store
	config   config.Config
	log      *slog.Logger
	now      func() time.Time
}

// New assembles a daemon. It starts nothing.
func New(o Options) *Daemon {
	ledger := journal.NewLedger(o.Journal)
	store := bookOf(o.Store, ledger)
	a := &Daemon{store: store, config: o.Config, log: o.Log, now: o.Now}
	if o.Redact == nil {
		o.Redact = redact.Clean
	}
	gone := purged.NewReader(o.Purged, o.Log)
	secrets := o.Redact
	o.Redact = func(text string) string { return secrets(gone.List().Clean(text)) }
	seen := places.New(o.Places, o.Log)
	if o.OffMarker != nil {
		seen.OffMarker = o.OffMarker
	}
	aliases := intake.NewAliases(store, seen, o.Now)
	a.Sessions = session.New(store, o.Log, o.Now)
	spools := spool.NewSet(o.Log, o.Spools...)
	a.Intake = &intake.Intake{
		Store: store, Spools: spools, Counter: o.Counter, BatchSize: o.Config.Daemon.BatchSize,
		Log: o.Log, Now: o.Now, Aliases: aliases, Owned: o.Owned,
		CanWrite: o.CanWrite, HasSchema: o.HasSchema,
	}
	a.Intake.Clean, a.Intake.Purged = o.Redact, gone.List
	a.Told = &receipts.Receipts{File: o.Receipts, Store: store, Log: o.Log}
	a.Intake.Receipts, a.Intake.OnlyAsked = a.Told, o.OnlyAsked
	a.Auto = automemory.New(automemory.Options{
		Store: store, Intake: a.Intake, Client: o.Client,
		Facts: func(ctx context.Context, project string) ([]memory.Memory, error) {
			index, err := a.Briefing.Index(ctx, aliases.Resolve(project))
			if err != nil {
				return nil, err
			}
			return index.Facts(), nil
		},
		Log: o.Log, Now: o.Now,
	})
	a.Briefing = briefing.New(briefing.Options{
		Store: store, Intake: a.Intake, Sessions: a.Sessions, Counter: o.Counter, Log: o.Log, Now: o.Now,
		Hooks:        o.Config.Hooks,
		Shared:       o.Config.Store.URL != "",
		Instructions: o.Instructions, OwnMemory: a.Auto,
	})
	a.Intake.Nearest = a.Briefing.Nearest
	a.Answers = answers.New(answers.Options{
		Store: store, Briefing: a.Briefing, Sessions: a.Sessions, Counter: a.Briefing.Counter,
		Now: o.Now, Rules: o.Config.Maintenance.Rules,
	})
	a.Upkeep = &upkeep.Upkeep{
		Store: store, Counter: o.Counter, Config: o.Config, Log: o.Log, Now: o.Now,
		Journal: o.Journal, Ledger: ledger, Backups: o.Backups, Version: o.Version, Changed: a.Briefing.Changed,
		Alone: o.Alone,
	}
	a.Projects = &Projects{
		Store: store, Aliases: aliases, Intake: a.Intake, Unsaved: a.Sessions, Spools: spools,
		Log: o.Log,
	}
	if o.Texts != nil {
		a.Projects.Files = o.Texts
	}
	a.Rescan = &Rescan{
		Store: o.Texts, Rows: store, Seen: store, Intake: a.Intake, Spools: spools, SweepRow: o.SweepRow,
		Journal: o.Journal, Backups: o.Backups, Logs: o.Logs, Home: o.Home, Purged: o.Purged, Log: o.Log,
	}
	if o.Distills == nil {
		o.Distills = func() (config.Distill, distill.Model) { return o.Config.Distill, o.Model }
	}
	a.Distiller = distiller.New(distiller.Options{
		Store: store, Keeper: a.Intake, InForce: o.Distills, Counter: o.Counter, Clean: o.Redact,
		Asked: o.Asked, Unpaid: o.Unpaid, Receipts: a.Told, Changed: a.Briefing.Changed, Log: o.Log, Now: o.Now,
	})
	a.Intake.Subscribe(a.Upkeep.Committed)
	a.Intake.Subscribe(a.Distiller.Committed)
	a.Intake.Subscribe(a.Sessions.Committed)
	a.Intake.Subscribe(a.Briefing.Committed)
	a.Intake.Subscribe(a.Auto.Committed)
	if a.exchange = o.Exchange; a.exchange != nil {
		a.Intake.Subscribe(a.exchange.Committed)
	}
	return a
}
