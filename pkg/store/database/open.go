package database

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

// New returns the database of a home. It does not start the engine. output gets what the engine prints.
func New(layout paths.Layout, cfg config.Config, version string, log *slog.Logger, output io.Writer) (*Database, error) {
	d, err := newDatabase(layout, cfg, version, 0, log, output)
	if err == nil {
		d.options.Verify = d.verify
	}
	return d, err
}

// Prepare starts the engine, updates the schema and compares the store with the journal. If the data is damaged, it
// first rebuilds the store from backup and journal, and keeps the old data.
func (d *Database) Prepare(ctx context.Context) error {
	err := d.use(ctx)
	if !errors.Is(err, memory.ErrDamaged) || d.options.Remote.URL != "" {
		return err
	}
	if err := d.rebuild(ctx, err); err != nil {
		return err
	}
	return d.use(ctx)
}

// use starts the engine, updates the schema, and compares the store with the journal.
func (d *Database) use(ctx context.Context) error {
	if err := d.start(ctx); err != nil {
		return err
	}
	source, err := d.UnfinishedRestore(ctx)
	if err != nil {
		return err
	}
	if source != "" {
		return fmt.Errorf("the database is the unfinished result of restoring %s: wait until the restore has ended, or run it again", source)
	}
	if err := d.migrateUp(ctx); err != nil {
		return err
	}
	err = d.checkTail(ctx, d.Store)
	d.isChecked.Store(err == nil)
	return err
}

// mendTime limits the wait until a restarted engine accepts writes.
const mendTime = time.Minute

// Repair repairs a store that failed in use: it restarts an engine that refuses to write, or rebuilds damaged data. It fails with the
// reason why the store is still unusable. Prepare, which the caller calls next, brings the schema up to date.
func (d *Database) Repair(ctx context.Context, fault error) error {
	if errors.Is(fault, memory.ErrDamaged) && d.options.Remote.URL == "" { // not d.engine: a failed rebuild may have left none
		return d.rebuild(ctx, fault)
	}
	return d.mendWrites(ctx, fault)
}

// mendWrites restarts an engine that refuses to write. It never restarts a remote server.
func (d *Database) mendWrites(ctx context.Context, fault error) error {
	supervisor := d.current()
	if supervisor == nil || d.options.Remote.URL != "" {
		return d.CanWrite(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, mendTime)
	defer cancel()
	if err := d.CanWrite(ctx); err == nil {
		return nil
	}
	supervisor.Restart(fault.Error())
	return d.CanWrite(ctx)
}

// rebuild stops the engine, restores a damaged store from backup and journal, at most once in betweenRebuilds, and writes a notice.
func (d *Database) rebuild(ctx context.Context, fault error) error {
	if at, isRecent := d.lastRebuild(); isRecent {
		return fmt.Errorf("the store was rebuilt already at %s, so the disk may be failing: %w", at.Format(time.DateTime), fault)
	}
	d.log.Error("the store's files are damaged: it is rebuilt from backup and journal", "error", fault)
	d.Report(daemonapi.Trouble{Problem: "the store is being rebuilt from backup and journal"})
	d.stop(true)
	d.keep(nil)
	var steps strings.Builder
	r := &Rescuer{
		Layout: d.layout, Config: d.cfg, Version: d.version, Out: io.MultiWriter(&steps, d.options.Output),
		Log: d.log, EngineOutput: d.options.Output,
	}
	isGone := errors.Is(fault, engine.ErrGone)
	err := r.rebuild(ctx)
	if isGone && errors.Is(err, ErrNothing) { // nothing was ever stored, or somebody deleted the data to start over
		return errors.Join(r.forgetLetters(), engine.RemoveDataFormat(d.options.DataPath))
	}
	if err != nil {
		return memory.Mark(fmt.Errorf("the store could not be rebuilt: %w", err), memory.ErrUnavailable)
	}
	reason := howDamaged(fault, isGone) + "; it was rebuilt from backup and journal"
	d.log.Warn("the store was rebuilt", "why", reason, "how", strings.ReplaceAll(strings.TrimSpace(steps.String()), "\n", "; "))
	text := fmt.Sprintf("%s: %s\n%s", time.Now().Format(time.DateTime), reason, steps.String())
	if err := os.WriteFile(d.layout.StoreNotice(), []byte(text), 0o600); err != nil {
		d.log.Error("the notice that the store was rebuilt could not be written", "error", err)
	}
	return nil
}

// migrateUp updates the schema, which is only necessary at the first start after an installation or update.
func (d *Database) migrateUp(ctx context.Context) error {
	all, err := migrate.Load(migrations.FS)
	if err != nil {
		return err
	}
	report, err := migrate.Up(ctx, surreal.NewMigrationStore(d.Conn), all,
		migrate.Options{BinaryVersion: d.version, Prepare: d.enlargeBuffers})
	if err != nil {
		return fmt.Errorf("the schema could not be brought up to date: %w", err)
	}
	if report.From != report.To {
		d.log.Info("the schema is up to date", "from", report.From, "to", report.To)
	}
	return nil
}

// HasSchema fails with memory.ErrSchema if the database has another version of the schema, as after a newer plugin has migrated it.
func (d *Database) HasSchema(ctx context.Context) error {
	all, err := migrate.Load(migrations.FS)
	if err != nil {
		return err
	}
	version, err := migrate.Version(ctx, surreal.NewMigrationStore(d.Conn), all)
	if err == nil && version < len(all) {
		err = fmt.Errorf("it has schema version %d of %d", version, len(all))
	}
	if err != nil && !errors.Is(err, wire.ErrUnavailable) {
		err = fmt.Errorf("%w: %w", memory.ErrSchema, err)
	}
	return err
}

// errTail means that the store has lost its last writes. An engine whose write-ahead log is damaged or missing opens an
// older state of the data without an error.
var errTail = memory.Mark(errors.New("the store has lost its last writes"), memory.ErrDamaged)

// checkTail fails with errTail if the store lacks the journal's last session, or that session's last event. It checks
// nothing for a remote store, without a journal, and soon after a rebuild.
func (d *Database) checkTail(ctx context.Context, store *surreal.Store) error {
	if d.options.Remote.URL != "" || d.cfg.Backup.JournalDays == 0 { // a remote server's data is its owner's concern
		return nil
	}
	if _, isRecent := d.lastRebuild(); isRecent {
		return nil
	}
	last, err := lastSession(d.layout.Journal())
	if err != nil {
		d.log.Warn("the store cannot be compared with the journal", "error", err)
		return nil
	}
	if last.ID == "" {
		return nil
	}
	sessions, err := store.Sessions(ctx, memory.SessionIDs{last.ID})
	if err != nil {
		return fmt.Errorf("compare the store with the journal: %w", err)
	}
	for _, s := range sessions {
		if !s.LastEventAt.Before(last.LastEventAt.Truncate(time.Microsecond)) {
			return nil
		}
	}
	return fmt.Errorf("%w: the journal has an event of %s", errTail, last.LastEventAt.UTC().Format(time.RFC3339))
}

// verify fails if an engine that was restarted has lost its last writes or its schema. It runs before anything is stored.
func (d *Database) verify(ctx context.Context, at engine.Endpoint) error {
	if !d.isChecked.Load() {
		return nil // Prepare checks the store
	}
	conn := wire.Open(wire.Options{
		Locate:    func(context.Context) (engine.Endpoint, error) { return at, nil },
		Namespace: d.cfg.Store.Namespace, Database: d.cfg.Store.Database, Log: d.log,
	})
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err := d.checkTail(ctx, surreal.NewStore(conn))
	switch {
	case err == nil || errors.Is(err, memory.ErrDamaged):
		return err
	case errors.Is(err, memory.ErrUnavailable):
		d.log.Warn("the restarted engine cannot be compared with the journal", "error", err)
		return nil
	}
	return fmt.Errorf("%w: %w", errTail, err)
}

// lastSession returns the session that was journaled last, or a zero session if a later purge may have deleted it.
func lastSession(dir string) (memory.Session, error) {
	var last memory.Session
	err := journal.ReadLast(dir, func(r journal.Record) {
		_, isProject := r.Before.(memory.ProjectRow)
		switch session, isSession := r.After.(memory.Session); {
		case isProject && r.After == nil:
			last = memory.Session{}
		case isSession:
			last = session
		}
	})
	return last, err
}

// howDamaged returns a fault of the store's files as a text for people.
func howDamaged(fault error, isGone bool) string {
	switch {
	case isGone:
		return "the store's files were gone"
	case errors.Is(fault, errTail):
		return "the store had lost its last writes (its write-ahead log was damaged or missing)"
	}
	return "the store's files were damaged"
}
