// Package daemon assembles the daemon from the packages below it, serves callers, and ends when it is not needed any
// more. It does not depend on the kind of database or on how processes are started.
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
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/purged"
)

// Daemon has the parts of the daemon. Parts that depend on new rows subscribe to the commits of Intake.
type Daemon struct {
	Intake    *intake.Intake
	Sessions  *session.Sessions
	Briefing  *briefing.Briefing
	Answers   *answers.Answers
	Upkeep    *upkeep.Upkeep
	Distiller *distiller.Distiller
	Told      *receipts.Receipts
	Projects  *Projects
	Scrub     *Scrub
	Auto      *automemory.AutoMemory

	exchange *exchange.Exchanges // nil for none
	store    Store
	config   config.Config
	layout   paths.Layout
	log      *slog.Logger
	now      func() time.Time
}

// New returns a daemon with all its parts connected. It starts nothing.
func New(o Options) *Daemon {
	ledger := journal.NewLedger(o.Journal)
	store := BookOf(o.Store, ledger)
	a := &Daemon{store: store, config: o.Config, layout: o.Layout, log: o.Log, now: o.Now}
	gone := purged.NewReader(o.Layout.Purged(), o.Log)
	secrets := o.Redact
	o.Redact = func(text string) string { return secrets(gone.List().Clean(text)) }
	seen := places.New(o.Layout.Places(), o.Layout.OffMarker, o.Log)
	aliases := intake.NewAliases(store, seen, o.Now)
	a.Sessions = session.New(store, o.Log, o.Now)
	spools := spool.NewSet(o.Log, o.Spools...)
	a.Intake = &intake.Intake{
		Store: store, Spools: spools, Counter: o.Counter, BatchSize: o.Config.Daemon.BatchSize,
		Log: o.Log, Now: o.Now, Aliases: aliases, Owned: o.Owned,
		CanWrite: o.CanWrite, HasSchema: o.HasSchema,
	}
	a.Intake.Clean, a.Intake.Purged = secrets, gone.List
	a.Told = &receipts.Receipts{File: o.Layout.Receipts(), Store: store, Log: o.Log}
	a.Intake.Receipts, a.Intake.OnlyAsked = a.Told, o.OnlyAsked
	a.Auto = automemory.New(automemory.Options{
		Store: store, Intake: a.Intake, Client: o.Client,
		Standing: func(ctx context.Context, project string) ([]memory.Memory, error) {
			index, err := a.Briefing.Index(ctx, aliases.Resolve(project))
			if err != nil {
				return nil, err
			}
			return index.Standing(), nil
		},
		Log: o.Log, Now: o.Now,
	})
	a.Briefing = briefing.New(briefing.Options{
		Store: store, Intake: a.Intake, Sessions: a.Sessions, Counter: o.Counter, Log: o.Log, Now: o.Now,
		Hooks:        o.Hooks,
		Shared:       o.Config.Store.URL != "",
		Instructions: o.Instructions, AutoMemory: a.Auto,
	})
	a.Intake.Nearest = a.Briefing.Nearest
	a.Answers = &answers.Answers{Store: store, Briefing: a.Briefing}
	a.Upkeep = &upkeep.Upkeep{
		Store: store, Counter: o.Counter, Config: o.Config, Log: o.Log, Now: o.Now,
		Journal: o.Journal, Ledger: ledger, Backups: o.Backups, Version: o.Version, Changed: a.Briefing.Changed,
	}
	a.Projects = &Projects{
		Store: store, Aliases: aliases, Intake: a.Intake, Sessions: a.Sessions, Spools: spools,
		Purged: o.Layout.Purged(), Now: o.Now, Log: o.Log,
	}
	if o.Texts != nil {
		a.Projects.Compact = o.Texts.Compact
	}
	a.Scrub = &Scrub{Options: o, Projects: a.Projects}
	a.Distiller = distiller.New(distiller.Options{
		Store: store, Intake: a.Intake, InForce: o.Distills, Counter: o.Counter, Clean: o.Redact,
		WhyOff: func(s memory.Session) string {
			if o.IsDisabled() {
				return daemonapi.AllOff
			}
			return seen.WhyOff(s.Project, s.Dir, aliases.Resolve)
		},
		Receipts: a.Told, Changed: a.Briefing.Changed, Log: o.Log, Now: o.Now,
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
