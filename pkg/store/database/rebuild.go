package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/resident"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/purged"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
)

// ErrNothing means that there is neither a backup nor a journal to rebuild from.
var ErrNothing = errors.New("there is nothing to rebuild from")

// restore replaces the store by a backup. The caller holds the home's lock.
func (r *Rescuer) restore(ctx context.Context, file string) error {
	err := r.forgetProjects()
	if err != nil {
		return err
	}
	err = r.replace(ctx, file, func(ctx context.Context, o *Database, _ []memory.Table) error {
		header, err := r.load(ctx, o, file)
		left := 0
		if err == nil {
			left, err = r.deletePurged(ctx, o)
		}
		if err == nil {
			err = o.Store.EndRestore(ctx)
		}
		if err != nil {
			return err
		}
		r.say("restored %s of %s, made on %s", memory.Counted(header.Rows()-left, "row"), file, header.CreatedAt.Format(time.DateTime))
		if left > 0 {
			r.say("left out because of a purge: %s", memory.Counted(left, "row"))
		}
		_, err = r.save(ctx, o, "")
		return err
	})
	if err != nil {
		return err
	}
	return r.moveJournalAside()
}

// replace puts an empty store into the place of the old store, and calls fill with it. source is the backup from which fill reads,
// or "". fill gets the tables of the old store, or nil if they are unknown.
func (r *Rescuer) replace(ctx context.Context, source string, fill func(ctx context.Context, o *Database, old []memory.Table) error) error {
	if err := r.forgetLetters(); err != nil {
		return err
	}
	if r.isRemote() {
		return r.fillRemote(ctx, fill)
	}
	old, err := r.examineOld(ctx, source)
	if err != nil {
		return err
	}
	return r.refill(ctx, func(ctx context.Context, o *Database) error { return fill(ctx, o, old) })
}

// forgetLetters makes the next exchange bring the letters of the user's other machines again, which does no harm.
func (r *Rescuer) forgetLetters() error {
	if err := os.RemoveAll(r.Layout.Handled()); err != nil {
		return fmt.Errorf("the record of the letters read from other machines cannot be deleted: %w", err)
	}
	return nil
}

// load fills an empty store from a backup, or only creates its schema for "", and returns the header of the backup.
func (r *Rescuer) load(ctx context.Context, o *Database, file string) (header backup.Header, err error) {
	known, err := migrate.Load(migrations.FS)
	if err != nil {
		return header, err
	}
	target := backup.Target{Store: o.Store, Schema: surreal.NewMigrationStore(o.Conn), Migrations: known, Version: r.Version}
	if file == "" {
		return header, backup.Empty(ctx, "the journal", target)
	}
	return backup.Fill(ctx, file, target)
}

// forgetProjects makes the next exchange repeat here the purges of projects by other machines, because a backup may have these projects.
func (r *Rescuer) forgetProjects() error {
	list, err := purged.Load(r.Layout.Purged())
	if err != nil || len(list.Others) == 0 {
		return err
	}
	_, rest := list.NewProjects(&purged.List{})
	return rest.Save(r.Layout.Purged())
}

// deletePurged deletes from the new store all that was purged, because a backup may be older than the purge, and returns the number of deleted rows.
func (r *Rescuer) deletePurged(ctx context.Context, o *Database) (rows int, err error) {
	list, err := purged.Load(r.Layout.Purged())
	if err != nil || list.IsEmpty() {
		return 0, err
	}
	swept, err := o.Store.Sweep(ctx, true, list.Sweep())
	for _, n := range swept.Deleted {
		rows += n
	}
	return rows, errors.Join(err, o.Store.Compact(ctx))
}

// moveJournalAside moves the journal aside: it belongs to the replaced store, which a rebuild must not bring back.
func (r *Rescuer) moveJournalAside() error {
	if _, err := os.Lstat(r.Layout.Journal()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	kept := r.Layout.Journal() + engine.KeptSuffix
	err := os.RemoveAll(kept)
	if err == nil {
		err = os.Rename(r.Layout.Journal(), kept)
	}
	if err != nil {
		return fmt.Errorf("the store is restored, but the old journal could not be moved aside; move %s away: %w", r.Layout.Journal(), err)
	}
	r.say("the journal of the old store is kept in %s until the next restore", kept)
	// The new journal continues the old journal's numbers, because backups are ordered by the end of the journal.
	end, err := journal.NewestSegment(kept)
	if err == nil && end != "" {
		err = journal.Continue(r.Layout.Journal(), end)
	}
	return err
}

// fillRemote fills the database on the server that the settings name, if it is empty. It replaces nothing there: others may share the database.
func (r *Rescuer) fillRemote(ctx context.Context, fill func(context.Context, *Database, []memory.Table) error) error {
	o, err := r.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close(true)
	err = fill(ctx, o, nil)
	if errors.Is(err, memory.ErrNotEmpty) {
		return fmt.Errorf("%w: a remote database is never replaced. Run memory config set store.database NAME, with the name of a new database "+
			"(for a memoryd that you start yourself, set SURREAL_DB), and repeat the command", err)
	}
	return err
}

// examineOld backs up the old store before a restore from source replaces it, and returns its tables, or nil if none can be read.
func (r *Rescuer) examineOld(ctx context.Context, source string) ([]memory.Table, error) {
	if err := engine.FinishReplacing(r.Layout.Data()); err != nil {
		return nil, err
	}
	if info, err := os.Lstat(r.Layout.Data()); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("%s is a symbolic link, which cannot be moved aside with its data: replace it by the directory itself", r.Layout.Data())
	}
	if empty, err := engine.IsEmpty(r.Layout.Data()); err != nil || empty {
		return nil, err
	}
	o, err := r.open(ctx)
	if err != nil {
		r.say("the store in %s cannot be opened, so it is only moved aside: %v", r.Layout.Data(), err)
		return nil, nil
	}
	tables, err := memory.TablesOf(ctx, o.Store)
	if err == nil && len(memory.UserTables(tables)) > 0 {
		err = r.saveOld(ctx, o, source)
	}
	if o.Close(true); !errors.Is(err, memory.ErrDamaged) {
		return tables, err
	}
	r.say("the store in %s cannot be read, so it is only moved aside: %v", r.Layout.Data(), err)
	return nil, nil
}

// refill fills a store in a directory of its own, and then moves it to the old store's place. If that fails, the old one stays.
func (r *Rescuer) refill(ctx context.Context, fill func(context.Context, *Database) error) error {
	data := r.Layout.Data()
	next := data + ".next"
	if err := engine.RemoveData(next); err != nil { // left by an interrupted run
		return err
	}
	o, err := r.openData(ctx, next, filepath.Join(r.Layout.Run(), "next"))
	if err == nil {
		err = fill(ctx, o)
		o.Close(true)
	}
	if err != nil {
		return errors.Join(err, engine.RemoveData(next))
	}
	_ = os.Remove(data) // removes only an empty directory, which is not worth keeping
	_, missing := os.Lstat(data)
	if err := engine.ReplaceData(data, next); err != nil {
		return err
	}
	if missing == nil {
		r.say("the old store is kept in %s until the next restore or rebuild", data+engine.KeptSuffix)
	}
	r.say("the new store is in place; the next session or hook starts the daemon on it")
	return nil
}

// rebuild restores the store from the newest backup and the journal. The caller holds the home's lock.
func (r *Rescuer) rebuild(ctx context.Context) error {
	source, header, err := r.source()
	if err != nil {
		return err
	}
	if r.isRemote() {
		r.say("the journal of this home has only the events of this machine, not the events that other machines store in the same database")
	}
	return r.replace(ctx, "", func(ctx context.Context, o *Database, old []memory.Table) error {
		return r.refresh(ctx, o, source, header, old)
	})
}

// source returns the newest undamaged backup, or "" if there is only a journal. It fails with ErrNothing if there is neither.
func (r *Rescuer) source() (file string, header backup.Header, err error) {
	journaled, err := filepath.Glob(filepath.Join(r.Layout.Journal(), "*.jsonl*"))
	if err != nil {
		return "", header, err
	}
	files, err := backup.List(Backups(r.Layout, r.Config))
	if err != nil {
		return "", header, err
	}
	for _, file := range files {
		header, err := backup.Check(file)
		if err == nil {
			return file, header, nil
		}
		r.say("skipped: %v", err)
	}
	if len(journaled) == 0 {
		return "", header, fmt.Errorf("%w: no journal in %s, and no backup in %s; memory restore FILE restores a backup that lies elsewhere", ErrNothing,
			r.Layout.Journal(), Backups(r.Layout, r.Config))
	}
	return "", backup.Header{}, nil
}

// refresh fills an empty database from a backup, if file is not "", and the journal. It fails if old has more rows.
func (r *Rescuer) refresh(ctx context.Context, o *Database, file string, header backup.Header, old []memory.Table) error {
	if file != "" {
		r.say("from the backup %s: %d rows", file, header.Rows())
	}
	if _, err := r.load(ctx, o, file); err != nil {
		return err
	}
	if err := r.replay(ctx, o, header.JournalEnd); err != nil {
		return err
	}
	if _, err := r.deletePurged(ctx, o); err != nil {
		return err
	}
	tables, err := memory.TablesOf(ctx, o.Store)
	if err != nil {
		return err
	}
	if err := r.compare(old, tables); err != nil {
		return err
	}
	return o.Store.EndRestore(ctx)
}

func (r *Rescuer) replay(ctx context.Context, o *Database, after string) error {
	done, err := intake.Replay(ctx, o.Store, redact.Clean, r.Layout.Journal(), after)
	if err != nil {
		return err
	}
	r.say("from the journal: %s, %s", memory.Counted(done.Writes, "write"), memory.Counted(done.Rows, "row"))
	for _, problem := range done.Problems {
		r.say("warning: left out of the journal: %s", problem)
	}
	for _, refused := range done.Refused {
		r.say("warning: left out: %s", refused)
	}
	return nil
}

// compare fails if the rebuilt store has fewer rows than the old store in a table with user data, unless r.Force is set.
func (r *Rescuer) compare(old, rebuilt []memory.Table) error {
	old, rebuilt = memory.UserTables(old), memory.UserTables(rebuilt)
	less := slices.DeleteFunc(slices.Clone(old), func(was memory.Table) bool {
		return slices.ContainsFunc(rebuilt, func(is memory.Table) bool { return is.Name == was.Name && is.Rows >= was.Rows })
	})
	if len(old) > 0 {
		r.say("rows of the old store: %s", memory.DescribeTables(old))
	}
	r.say("rows of the new store: %s", memory.DescribeTables(rebuilt))
	if len(less) == 0 {
		return nil
	}
	if r.Force {
		r.say("the new store has fewer rows; it is used because of --force")
		return nil
	}
	return fmt.Errorf("the new store is not used, because the old one has more rows: %s; memory backup rebuild --force uses the new one anyway, and keeps the old one",
		memory.DescribeTables(less))
}

const (
	// lockLimit is the maximum time for the daemon of the home to exit.
	lockLimit = 30 * time.Second
	lockPoll  = 100 * time.Millisecond
)

// Restore replaces the store by a backup, while no daemon runs. It ends a running daemon only after the whole file was checked.
func (r *Rescuer) Restore(ctx context.Context, file string) error {
	if _, err := backup.Check(file); err != nil {
		return err
	}
	return r.alone(ctx, func() error { return r.restore(ctx, file) })
}

// Rebuild restores the store from the newest backup and the journal, while no daemon runs.
func (r *Rescuer) Rebuild(ctx context.Context) error {
	return r.alone(ctx, func() error { return r.rebuild(ctx) })
}

// alone calls do while no daemon runs. Meanwhile r logs to the engine's log.
func (r *Rescuer) alone(ctx context.Context, do func() error) error {
	unlock, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	logFile, err := resident.OpenLog(r.Layout.EngineLog())
	if err != nil {
		return err
	}
	defer func() { _ = logFile.Close() }()
	r.EngineOutput, r.Log = logFile, slog.New(slog.NewTextHandler(logFile, nil))
	return do()
}

// lock stops a running daemon and acquires the home's lock.
func (r *Rescuer) lock(ctx context.Context) (unlock func(), err error) {
	for _, dir := range []string{r.Layout.Home, r.Layout.Run(), r.Layout.Logs()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make the home: %w", err)
		}
	}
	lock := flock.New(r.Layout.Lock(), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(ctx, lockLimit)
	defer cancel()
	for {
		mine, err := lock.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", r.Layout.Lock(), err)
		}
		if mine {
			return func() { _ = lock.Unlock() }, nil
		}
		r.endDaemon(ctx)
		if !memory.Sleep(ctx, lockPoll) {
			return nil, memory.Mark(fmt.Errorf("the daemon of %s still runs: end the process memoryd (its number is in %s), and run the command again",
				r.Layout.Home, r.Layout.PIDFile()), ctx.Err())
		}
	}
}

// endDaemon asks the daemon to exit. It has to be repeated, because a starting daemon does not listen yet.
func (r *Rescuer) endDaemon(ctx context.Context) {
	client, err := daemonclient.Dial(ctx, r.Layout.Socket())
	if err != nil {
		return
	}
	defer func() { _ = client.Close() }()
	_ = client.Notify(ctx, daemonapi.MethodStop.Call(daemonapi.None{}, nil))
}
