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

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

const (
	// openLimit is how long an engine may take to open its data.
	openLimit = 90 * time.Second
	// hopeless is how often an engine that cannot open its data is restarted before
	// it is given up.
	hopeless = 2
	// callLimit bounds one statement.
	callLimit = time.Minute
	// stopLimit bounds a clean end of the engine; then it is killed, which loses nothing that was committed.
	stopLimit = time.Second
)

// Rescuer works on the store of a home while no daemon runs: it backs the store up, restores it, or
// rebuilds it from backup and journal. It takes the daemon's place meanwhile,
// because only one process may run the engine of a home. Hooks leave their events in the spool.
type Rescuer struct {
	Layout  paths.Layout
	Config  config.Config
	Version string    // of this program
	Out     io.Writer // progress for people

	Replace     bool // restore: replace the present store
	JournalOnly bool // rebuild: leave the backups out
	Force       bool // rebuild: switch to a store with less than the old one has

	// Log and EngineOutput are for details that do not concern people; nil: Run writes the engine's log.
	Log          *slog.Logger
	EngineOutput io.Writer

	file string // the backup that is being restored
}

func (r *Rescuer) say(format string, args ...any) {
	_, _ = fmt.Fprintf(r.Out, format+"\n", args...)
}

// Backups is where the daily backups lie.
func Backups(layout paths.Layout, cfg config.Config) string {
	return cmp.Or(cfg.Backup.Directory, layout.Backups())
}

// Journal returns the journal of a home, or nil if none is to be kept.
func Journal(layout paths.Layout, cfg config.Config) *journal.Journal {
	if cfg.Backup.JournalDays == 0 {
		return nil
	}
	return journal.New(layout.Journal(), time.Now)
}

// open opens the store in use.
func (r *Rescuer) open(ctx context.Context) (*Database, error) {
	return r.openData(ctx, r.data(), r.Layout.Run())
}

// openData starts an engine on a data directory, or finds the remote one, and waits
// until it answers.
func (r *Rescuer) openData(ctx context.Context, data, runDir string) (*Database, error) {
	options, err := engine.OfHome(r.Layout, r.Config.Store)
	if err != nil {
		return nil, err
	}
	options.Log, options.Output = r.Log, r.EngineOutput
	options.DataPath, options.RunDir = data, runDir
	o := &Database{options: options}
	o.Conn = wire.Open(wire.Options{
		Locate: o.locate, Namespace: r.Config.Store.Namespace, Database: r.Config.Store.Database, CallTimeout: callLimit, Log: r.Log,
	})
	o.Store, o.options.Ask = surreal.NewStore(o.Conn), o.Conn.Answers
	supervisor, err := engine.Start(ctx, o.options)
	if err != nil {
		return nil, errors.Join(err, o.Conn.Close(ctx))
	}
	o.keep(supervisor)
	if err = await(ctx, supervisor); err == nil {
		err = o.Conn.Ping(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, closed(o))
	}
	return o, nil
}

// await waits until an engine is up. An engine that ends each time as soon as it is
// started cannot open its data.
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
		case errors.Is(err, engine.ErrDamaged):
			return err
		case state.Restarts >= hopeless:
			return fmt.Errorf("the engine cannot open its data: %w", state.Err)
		case ctx.Err() != nil:
			return err
		}
	}
}

// closed closes the connection of an opened store, and stops its engine.
func closed(o *Database) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	return errors.Join(o.Conn.Close(ctx), o.current().Stop(ctx))
}

// target is the store that package backup fills.
func (r *Rescuer) target(o *Database) (backup.Target, error) {
	known, err := migrate.Load(migrations.FS)
	return backup.Target{Store: o.Store, Schema: surreal.NewMigrationStore(o.Conn), Migrations: known, Version: r.Version}, err
}

func (r *Rescuer) isRemote() bool { return r.Config.Store.URL != "" }

// data is where a local engine keeps its files.
func (r *Rescuer) data() string { return r.Layout.Data() }

// RefuseUnfinished is an error if the database is an unfinished restore.
func RefuseUnfinished(ctx context.Context, store *surreal.Store) error {
	source, err := store.UnfinishedRestore(ctx)
	if err == nil && source != "" {
		err = fmt.Errorf("the database is the unfinished result of restoring %s: wait until that has ended, or run it again", source)
	}
	return err
}

// oldPrefix begins the name of a backup of a store that was replaced.
const oldPrefix = "before-"

// saveOld writes a store that is to be replaced into the folder of the backups, in the place of the
// one replaced before it.
func (r *Rescuer) saveOld(ctx context.Context, o *Database) error {
	made, err := r.save(ctx, o, oldPrefix)
	if err != nil {
		return fmt.Errorf("back up the present store: %w", err)
	}
	r.say("the store before is backed up in %s", made.File)
	older, err := filepath.Glob(filepath.Join(Backups(r.Layout, r.Config), oldPrefix+"*"))
	for _, file := range older {
		if file != made.File && file != r.file {
			err = errors.Join(err, os.Remove(file))
		}
	}
	return err
}

// save writes the store into the folder of the backups. Without a prefix it is the newest of
// the daily ones, and a rebuild begins there.
func (r *Rescuer) save(ctx context.Context, o *Database, prefix string) (backup.Made, error) {
	end, err := journal.End(r.Layout.Journal())
	if err != nil {
		return backup.Made{}, err
	}
	dir, now := Backups(r.Layout, r.Config), time.Now()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return backup.Made{}, fmt.Errorf("make the directory of the backups: %w", err)
	}
	return backup.Write(ctx, o.Store, filepath.Join(dir, prefix+backup.Name(now)), r.Version, now, end, func() {})
}
