// Package database keeps the store of a home usable: it installs and starts the engine, updates the schema, detects lost
// writes, and rebuilds damaged data. While no daemon runs, it also restores a backup or rebuilds the store.
package database

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// installTime limits an installation, which may download 71 MB.
const installTime = 10 * time.Minute

// Database is the store of a home with its connection and its engine. The first use starts the engine, which is slow.
type Database struct {
	*surreal.Store
	Conn   *wire.Conn
	Report func(daemonapi.Trouble) // called with the reason why callers have to wait

	options engine.Options
	layout  paths.Layout
	cfg     config.Config
	version string // version of this program
	log     *slog.Logger

	starting sync.Mutex // held while the engine is installed and started, which may take minutes
	failed   []error    // errors of failed installations

	// isChecked is true once the store, on the engine of the current supervisor, was found to have the schema and the journal's last event.
	isChecked atomic.Bool

	mu         sync.Mutex // held only briefly, so that a status never waits for an installation
	supervisor *engine.Supervisor
}

// newDatabase is New without the check of a restarted engine. limit is the time limit of calls; 0 means the default.
func newDatabase(layout paths.Layout, cfg config.Config, version string, limit time.Duration, log *slog.Logger, output io.Writer) (*Database, error) {
	options, err := engine.OfHome(layout, cfg.Store)
	if err != nil {
		return nil, err
	}
	options.Log, options.Output = log, output
	d := &Database{options: options, layout: layout, cfg: cfg, version: version, log: log, Report: func(daemonapi.Trouble) {}}
	d.Conn = wire.Open(wire.Options{
		Locate: d.locate, Namespace: cfg.Store.Namespace, Database: cfg.Store.Database, CallTimeout: limit, Log: log,
	})
	d.Store = surreal.NewStore(d.Conn)
	d.options.Ask = d.Conn.Answers
	d.options.Use, d.options.Sleep = d.Conn, cfg.Daemon.EngineSleep
	return d, nil
}

func (d *Database) start(ctx context.Context) error {
	d.starting.Lock()
	defer d.starting.Unlock()
	if d.current() != nil {
		return nil
	}
	d.isChecked.Store(false)
	supervisor, err := engine.Start(ctx, d.options)
	if errors.Is(err, engine.ErrNotInstalled) {
		if err := d.install(ctx); err != nil {
			return err
		}
		supervisor, err = engine.Start(ctx, d.options)
	}
	if err != nil {
		return err
	}
	d.keep(supervisor)
	return nil
}

func (d *Database) keep(supervisor *engine.Supervisor) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.supervisor = supervisor
}

// install installs the embedded engine. Meanwhile it reports the start time and earlier failures.
func (d *Database) install(ctx context.Context) error {
	d.Report(installing(time.Now(), d.failed))
	ctx, cancel := context.WithTimeout(ctx, installTime)
	defer cancel()
	if err := engine.Install(ctx, d.options); err != nil {
		d.failed = append(d.failed, err)
		return fmt.Errorf("%w: %w", errInstall, err)
	}
	return nil
}

func (d *Database) current() *engine.Supervisor {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.supervisor
}

// betweenRebuilds is the minimum time between automatic rebuilds: a store that is damaged again probably has a failing disk.
const betweenRebuilds = time.Hour

// lastRebuild returns the time of the last automatic rebuild, and whether it was within betweenRebuilds. A date
// further in the future comes from a wrong clock and is ignored.
func (d *Database) lastRebuild() (at time.Time, isRecent bool) {
	info, err := os.Stat(d.layout.StoreNotice())
	if err != nil {
		return time.Time{}, false
	}
	return info.ModTime(), time.Since(info.ModTime()).Abs() < betweenRebuilds
}

// enlargeBuffers gives the engine buffers for long transactions until restore is called, and tells callers why they wait.
func (d *Database) enlargeBuffers() (restore func()) {
	supervisor := d.current()
	if supervisor == nil {
		return func() {}
	}
	d.Report(daemonapi.Trouble{Problem: "the store is being brought to this version's schema, which takes minutes when it is large"})
	return supervisor.EnlargeBuffers()
}

func (d *Database) locate(ctx context.Context) (engine.Endpoint, error) {
	supervisor := d.current()
	if supervisor == nil {
		return engine.Endpoint{}, errors.New("the engine is not started yet")
	}
	return supervisor.Endpoint(ctx)
}

func (d *Database) Status() daemonapi.EngineStatus {
	supervisor := d.current()
	if supervisor == nil {
		return daemonapi.EngineStatus{}
	}
	choice, state := supervisor.Choice, supervisor.State()
	status := daemonapi.EngineStatus{
		Kind: string(choice.Kind), Name: choice.String(), Version: choice.Version, PID: state.PID, Restarts: state.Restarts,
		UnresponsiveSince: state.UnresponsiveSince, Asleep: state.Asleep,
	}
	if err := state.Err; err != nil {
		status.Ended = firstLine(err)
	}
	return status
}

// stopTime limits a clean stop of the engine. After it the engine is killed, which loses nothing that was committed. So
// stopping the daemon takes less than two seconds, even if the engine hangs.
const stopTime = time.Second

// Close closes the connection and stops the engine, cleanly or by killing it. Neither loses committed data.
func (d *Database) Close(inOrder bool) {
	_ = d.Conn.Close(context.Background())
	d.stop(inOrder)
}

func (d *Database) stop(inOrder bool) {
	supervisor := d.current()
	if supervisor == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	if !inOrder {
		cancel()
	}
	supervisor.Stop(ctx)
}

// InstallEngine installs the embedded engine if it is missing. It does nothing if the store is on a server.
func InstallEngine(ctx context.Context, layout paths.Layout, cfg config.Config, progress io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, installTime)
	defer cancel()
	options, err := engine.OfHome(layout, cfg.Store)
	if err != nil {
		return err
	}
	options.Output = progress
	choice, err := engine.Find(ctx, options)
	if errors.Is(err, engine.ErrNotInstalled) {
		_, _ = fmt.Fprintf(progress, "installing the database engine (to download once: %s)\n", engine.DownloadSize)
		if err := engine.Install(ctx, options); err != nil {
			return err
		}
		choice, err = engine.Find(ctx, options)
	}
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(progress, "the engine is ready: %s\n", choice)
	return nil
}
