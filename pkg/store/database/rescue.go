package database

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
)

const (
	// openLimit is the maximum time for an engine to open its data.
	openLimit = 90 * time.Second
	// maxRestarts is the number of restarts after which an engine that cannot open its data is given up.
	maxRestarts = 2
	// callLimit limits the time of one statement.
	callLimit = time.Minute
)

// Rescuer restores or rebuilds the store of a home while no daemon runs. It holds the home's lock in the daemon's place,
// because only one process may run the engine of a home. Hooks leave their events in the spool meanwhile.
type Rescuer struct {
	Layout  paths.Layout
	Config  config.Config
	Version string    // version of this program
	Out     io.Writer // progress for people

	Force bool // rebuild uses the new store even if it has fewer rows

	// Log and EngineOutput receive details. If they are nil, they are written to the engine's log.
	Log          *slog.Logger
	EngineOutput io.Writer
}

func (r *Rescuer) say(format string, args ...any) {
	_, _ = fmt.Fprintf(r.Out, format+"\n", args...)
}

// Backups returns the directory of the daily backups.
func Backups(layout paths.Layout, cfg config.Config) string {
	return cmp.Or(cfg.Backup.Directory, layout.Backups())
}

// Journal returns the journal of a home, or nil if the settings switch it off.
func Journal(layout paths.Layout, cfg config.Config) *journal.Journal {
	if cfg.Backup.JournalDays == 0 {
		return nil
	}
	return journal.New(layout.Journal(), time.Now)
}

func (r *Rescuer) open(ctx context.Context) (*Database, error) {
	return r.openData(ctx, r.Layout.Data(), r.Layout.Run())
}

// openData starts an engine on a data directory, or locates the remote server, and waits until it answers.
func (r *Rescuer) openData(ctx context.Context, data, runDir string) (*Database, error) {
	o, err := newDatabase(r.Layout, r.Config, r.Version, callLimit, r.Log, r.EngineOutput)
	if err != nil {
		return nil, err
	}
	o.options.DataPath, o.options.RunDir = data, runDir
	supervisor, err := engine.Start(ctx, o.options)
	if err != nil {
		return nil, errors.Join(err, o.Conn.Close(ctx))
	}
	o.keep(supervisor)
	if err = await(ctx, supervisor); err == nil {
		err = o.Conn.Ping(ctx)
	}
	if err != nil {
		o.Close(true)
		return nil, err
	}
	return o, nil
}

// await waits until an engine runs. It gives up if the engine exits after every start, which means that it cannot open its data.
func await(ctx context.Context, supervisor *engine.Supervisor) error {
	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	for {
		waiting, cancel := context.WithTimeout(ctx, time.Second)
		_, err := supervisor.Endpoint(waiting)
		cancel()
		switch state := supervisor.State(); {
		case err == nil:
			return nil
		case errors.Is(err, memory.ErrDamaged):
			return err
		case state.Restarts >= maxRestarts:
			return fmt.Errorf("%w; memory daemon logs engine shows more", state.Err)
		case ctx.Err() != nil:
			return err
		}
	}
}

func (r *Rescuer) isRemote() bool { return r.Config.Store.URL != "" }

// oldPrefix is the prefix of the backup of a replaced store.
const oldPrefix = "before-"

// saveOld backs up the store that is to be replaced. It deletes the backup of the store that was replaced before, unless that backup is source.
func (r *Rescuer) saveOld(ctx context.Context, o *Database, source string) error {
	made, err := r.save(ctx, o, filepath.Join(Backups(r.Layout, r.Config), oldPrefix+backup.Name(time.Now())))
	if err != nil {
		return fmt.Errorf("back up the present store: %w", err)
	}
	r.say("the old store is backed up in %s", made.File)
	older, err := filepath.Glob(filepath.Join(Backups(r.Layout, r.Config), oldPrefix+"*"))
	for _, file := range older {
		if file != made.File && file != source {
			err = errors.Join(err, os.Remove(file))
		}
	}
	return err
}

// save backs up the store to a file, or for "" as the newest daily backup, from which later rebuilds start.
func (r *Rescuer) save(ctx context.Context, o *Database, file string) (backup.Result, error) {
	end, err := journal.NewestSegment(r.Layout.Journal())
	if err != nil {
		return backup.Result{}, err
	}
	dir, now := Backups(r.Layout, r.Config), time.Now()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return backup.Result{}, fmt.Errorf("make the folder of the backups (setting backup.directory): %w", err)
	}
	return backup.Write(ctx, o.Store, cmp.Or(file, filepath.Join(dir, backup.Name(now))), r.Version, now, end, func() {})
}
