// Package database keeps the store of a home usable: it installs and starts the engine, updates the schema,
// detects a loss of the last writes, and rebuilds damaged data. While no daemon runs it also backs the store up, restores it and moves it.
package database

import (
	"context"
	"errors"
	"fmt"
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

// installTime limits an installation: the packages can be a download of 71 MB.
const installTime = 10 * time.Minute

// Database is the store of a home, its connection, and the engine behind it. The engine is started on first use, because
// finding and installing it is slow, and at most once.
type Database struct {
	*surreal.Store
	Conn   *wire.Conn
	Report func(daemonapi.Trouble) // a slow step

	options engine.Options
	layout  paths.Layout
	cfg     config.Config
	version string // of this program
	log     *slog.Logger

	starting sync.Mutex // held while the engine is installed and started, which may take minutes
	failed   []error    // the installations that failed

	// isChecked: the store has had its schema and the journal's last event since this supervisor
	// started.
	isChecked atomic.Bool

	mu         sync.Mutex // held briefly, so that a status never waits for an installation
	supervisor *engine.Supervisor
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

// install installs the embedded engine, and reports the start time and earlier failures.
func (d *Database) install(ctx context.Context) error {
	d.Report(installing(engine.DownloadSize(ctx, d.options), time.Now(), d.failed))
	ctx, cancel := context.WithTimeout(ctx, installTime)
	defer cancel()
	if err := engine.Install(ctx, d.options, d.options.Output); err != nil {
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

// betweenRebuilds limits how often a repeatedly damaged store is rebuilt: its disk is probably failing, and each
// rebuild leaves a copy.
const betweenRebuilds = time.Hour

// rebuiltLately reports whether and when the store was last rebuilt automatically within betweenRebuilds. It ignores a
// notice with a date in the future, which comes from a wrong clock.
func (d *Database) rebuiltLately() (at time.Time, isLate bool) {
	info, err := os.Stat(d.layout.StoreNotice())
	if err != nil {
		return time.Time{}, false
	}
	return info.ModTime(), time.Since(info.ModTime()).Abs() < betweenRebuilds
}

// widen restarts the engine with buffers for long transactions, and reports why callers have to wait.
func (d *Database) widen() (narrow func()) {
	supervisor := d.current()
	if supervisor == nil {
		return func() {}
	}
	d.Report(daemonapi.Trouble{Problem: "the store is being brought to this version's schema, which takes minutes when it is large"})
	return supervisor.Widen()
}

func (d *Database) locate(ctx context.Context) (wire.Endpoint, error) {
	supervisor := d.current()
	if supervisor == nil {
		return wire.Endpoint{}, errors.New("the engine is not started yet")
	}
	e, err := supervisor.Endpoint(ctx)
	if errors.Is(err, engine.ErrDamaged) {
		err = fmt.Errorf("%w: %w", wire.ErrDamaged, err)
	}
	return wire.Endpoint(e), err
}

// Status is the state of the engine.
func (d *Database) Status() daemonapi.EngineStatus {
	supervisor := d.current()
	if supervisor == nil {
		return daemonapi.EngineStatus{}
	}
	choice, state := supervisor.Choice(), supervisor.State()
	status := daemonapi.EngineStatus{
		Kind: string(choice.Kind), Name: choice.String(), Version: choice.Version, PID: state.PID, Restarts: state.Restarts,
		Silent: state.Silent, Asleep: state.Asleep,
	}
	if err := state.Err; err != nil {
		status.Ended = firstLine(err)
	}
	return status
}

// stopTime limits a clean end of the engine; then it is killed, which loses nothing that was
// committed. So stopping the daemon takes less than two seconds, even if the engine hangs.
const stopTime = time.Second

// Close closes the connection and stops the engine, cleanly or by killing it; neither loses committed data.
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
	if err := supervisor.Stop(ctx); err != nil && inOrder { // else only its record may remain, in a deleted home
		d.log.Error("the engine did not end cleanly", "error", err)
	}
}
