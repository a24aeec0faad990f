package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens/bpe"
	"github.com/surrealdb-memory/surrealdb-memory/schema"
)

// Backup, restore and rebuild without an agent: memoryd takes the agent's place while
// it does them, because only one process may run the engine of a home. Hooks leave
// their events in the spool meanwhile.
const rescueUsage = `Usage:
  memoryd backup [FILE]               write a backup while no agent runs
  memoryd restore [--replace] FILE    bring the store back from a backup
  memoryd rebuild [--journal-only] [--force]
                                      rebuild the store from the newest backup and the journal
  memoryd move [--namespace NS] [--database DB] URL|embedded
                                      copy the store to a server, or to this machine, and use that from then on
`

const (
	// lockLimit is how long the agent of the home may take to end.
	lockLimit = 30 * time.Second
	lockPoll  = 100 * time.Millisecond
	// openLimit is how long an engine may take to open its data.
	openLimit = 90 * time.Second
	// hopeless is how often an engine that cannot open its data is restarted before
	// memoryd gives up.
	hopeless = 2
	// rescueCall bounds one statement.
	rescueCall = time.Minute
	// replayOverlap is how much of the journal before a backup of an older version is
	// replayed as well: clocks may have been changed, and replaying events twice does little
	// harm.
	replayOverlap = time.Hour
)

var errNothing = errors.New("there is nothing to rebuild from")

// rescuer is one such run.
type rescuer struct {
	layout paths.Layout
	cfg    config.Config
	out    io.Writer
	log    *slog.Logger
	engine io.Writer
	now    func() time.Time

	prefer *engine.Made // the engine that a new store should belong to, if it is available

	getenv      func(string) string
	replace     bool // replace the present store
	journalOnly bool
	force       bool // switch to a store with less than the old one has

	namespace, database string // of the store that is moved to
}

// isRescue tells whether the arguments ask for one of these.
func isRescue(args []string) bool {
	return len(args) > 0 && slices.Contains([]string{"backup", "restore", "rebuild", "move"}, args[0])
}

func rescue(ctx context.Context, args []string, stdout, stderr io.Writer, getenv func(string) string) int {
	layout := paths.FromEnv(getenv)
	cfg, _ := config.Load(layout.ConfigFile(), getenv) // the agent reports the problems of the settings
	r := &rescuer{layout: layout, cfg: cfg, out: stdout, now: time.Now, getenv: getenv}
	flags := flag.NewFlagSet("memoryd "+args[0], flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { _, _ = fmt.Fprint(stderr, rescueUsage) }
	wanted := 0 // arguments
	switch args[0] {
	case "restore":
		flags.BoolVar(&r.replace, "replace", false, "back up the present store, keep it aside, and restore")
		wanted = 1
	case "rebuild":
		flags.BoolVar(&r.journalOnly, "journal-only", false, "leave the backups out")
		flags.BoolVar(&r.force, "force", false, "use the new store even if it holds less than the old one")
	case "move":
		flags.StringVar(&r.namespace, "namespace", cfg.Store.Namespace, "the namespace there")
		flags.StringVar(&r.database, "database", cfg.Store.Database, "the database there")
		wanted = 1
	}
	err := flags.Parse(args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage
	case flags.NArg() != wanted && (args[0] != "backup" || flags.NArg() > 1):
		flags.Usage()
		return exitUsage
	}
	if err := r.run(ctx, args[0], flags.Arg(0)); err != nil {
		_, _ = fmt.Fprintf(stderr, "memoryd %s: %v\n", args[0], err)
		return exitFailed
	}
	return exitOK
}

func (r *rescuer) run(ctx context.Context, command, file string) error {
	if r.cfg.Store.Access != "" { // before an agent is stopped for it
		person := memory.Person{Name: r.cfg.Store.User}
		if err := person.MayAdminister(command + " it; memory export --all writes what you may read, and memory import export FILE reads that"); err != nil {
			return err
		}
	}
	if command == "move" {
		if err := r.checkMove(file); err != nil { // before an agent is stopped for it
			return err
		}
	} else if file != "" {
		absolute, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		file = absolute
	}
	if command == "restore" { // before an agent is stopped for it
		if _, err := backup.Check(file); err != nil {
			return err
		}
	}
	unlock, err := r.lock(ctx, command != "backup")
	if err != nil {
		return err
	}
	defer unlock()
	logFile, err := openLog(r.layout.EngineLog())
	if err != nil {
		return err
	}
	defer func() { _ = logFile.Close() }()
	r.engine, r.log = logFile, slog.New(slog.NewTextHandler(logFile, nil))
	switch command {
	case "backup":
		return r.backup(ctx, file)
	case "restore":
		return r.restore(ctx, file)
	case "move":
		return r.relocate(ctx, file)
	default:
		return r.rebuild(ctx)
	}
}

func (r *rescuer) say(format string, args ...any) {
	_, _ = fmt.Fprintf(r.out, format+"\n", args...)
}

// lock acquires the home's lock. It first ends a running agent if that is wanted.
func (r *rescuer) lock(ctx context.Context, endAgent bool) (unlock func(), err error) {
	for _, dir := range []string{r.layout.Home, r.layout.Run(), r.layout.Logs()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make the home: %w", err)
		}
	}
	lock := flock.New(r.layout.Lock(), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(ctx, lockLimit)
	defer cancel()
	for {
		mine, err := lock.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", r.layout.Lock(), err)
		}
		if mine {
			return func() { _ = lock.Unlock() }, nil
		}
		if !endAgent {
			return nil, errors.New("an agent is running: memory backup has it write the file")
		}
		r.endAgent(ctx)
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("the agent of %s does not end (its pid is in %s): %w", r.layout.Home, r.layout.PIDFile(), ctx.Err())
		case <-time.After(lockPoll):
		}
	}
}

// endAgent asks the agent to end, repeatedly, because a starting agent does not listen
// yet.
func (r *rescuer) endAgent(ctx context.Context) {
	client, err := agentclient.Dial(ctx, r.layout.Socket())
	if err != nil {
		return
	}
	defer func() { _ = client.Close() }()
	_ = client.Notify(ctx, agentapi.MethodStop.Call(agentapi.None{}, nil))
}

// opened is a store with its connection and engine.
type opened struct {
	store      *surreal.Store
	conn       *wire.Conn
	supervisor *engine.Supervisor
}

// open starts an engine on a data directory, or finds the remote one, and waits
// until it answers.
func (r *rescuer) open(ctx context.Context, data, runDir string) (*opened, error) {
	options, err := engineOptions(r.layout, r.cfg, r.log, r.engine)
	if err != nil {
		return nil, err
	}
	options.DataPath, options.RunDir, options.For = data, runDir, r.prefer
	var started atomic.Pointer[engine.Supervisor] // it asks over the connection that locates it
	conn := wire.Open(wire.Options{
		Locate: func(ctx context.Context) (wire.Endpoint, error) {
			e, err := started.Load().Endpoint(ctx)
			return wire.Endpoint(e), err
		},
		Namespace: r.cfg.Store.Namespace, Database: r.cfg.Store.Database, CallTimeout: rescueCall, Log: r.log,
	})
	options.Ask = func(ctx context.Context) error {
		if started.Load() == nil {
			return nil
		}
		return conn.Answers(ctx)
	}
	supervisor, err := engine.Start(ctx, options)
	if err != nil {
		return nil, errors.Join(err, conn.Close(ctx))
	}
	started.Store(supervisor)
	o := &opened{supervisor: supervisor, conn: conn, store: surreal.NewStore(conn)}
	if err := r.await(ctx, supervisor); err != nil {
		return nil, errors.Join(err, o.close())
	}
	if err := o.conn.Ping(ctx); err != nil {
		return nil, errors.Join(err, o.close())
	}
	return o, nil
}

// await waits until an engine is up. An engine that ends each time as soon as it is
// started cannot open its data.
func (r *rescuer) await(ctx context.Context, supervisor *engine.Supervisor) error {
	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	for {
		waiting, cancel := context.WithTimeout(ctx, time.Second)
		_, err := supervisor.Endpoint(waiting)
		cancel()
		switch {
		case err == nil:
			return nil
		case errors.Is(err, engine.ErrDamaged):
			return err
		case supervisor.Restarts() >= hopeless:
			return fmt.Errorf("the engine cannot open its data: %w", supervisor.Err())
		case ctx.Err() != nil:
			return err
		}
	}
}

func (o *opened) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	return errors.Join(o.conn.Close(ctx), o.supervisor.Stop(ctx))
}

// target is the store that package backup fills.
func (o *opened) target() (backup.Target, error) {
	known, err := migrate.Load(migrations.FS)
	if err != nil {
		return backup.Target{}, err
	}
	bootstrap, err := schema.Bootstrap()
	return backup.Target{
		Store: o.store, Schema: surreal.NewMigrationStore(o.conn, bootstrap), Migrations: known, Version: version,
	}, err
}

func (r *rescuer) isRemote() bool { return r.cfg.Store.URL != "" }

func (r *rescuer) data() string { return dataPath(r.layout, r.cfg) }

// isUsed tells whether an engine ever kept data there.
func isUsed(data string) (bool, error) {
	entries, err := os.ReadDir(data)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return len(entries) > 0, err
}

// backup writes the store to a file, or among the daily ones.
func (r *rescuer) backup(ctx context.Context, file string) (err error) {
	if err := engine.FinishReplacing(r.data()); err != nil {
		return err
	}
	if used, err := isUsed(r.data()); !r.isRemote() && (err != nil || !used) {
		return errors.Join(fmt.Errorf("there is nothing in %s to back up", r.data()), err)
	}
	o, err := r.open(ctx, r.data(), r.layout.Run())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.close()) }()
	a := agent.New(agent.Options{Store: o.store, Config: r.cfg, Log: r.log, Now: r.now, Backups: backupsPath(r.layout, r.cfg), Version: version})
	made, err := a.Upkeep.Backup(ctx, file)
	if err != nil {
		return err
	}
	r.say("%s: %d rows, %d bytes", made.File, made.Rows, made.Bytes)
	return nil
}

// restore brings the store back from a file.
func (r *rescuer) restore(ctx context.Context, file string) error {
	fill := func(ctx context.Context, o *opened) error {
		target, err := o.target()
		if err != nil {
			return err
		}
		header, err := backup.Restore(ctx, file, target)
		if err != nil {
			return err
		}
		r.say("restored %d rows of %s, made on %s at schema version %d", header.Rows(), file, header.CreatedAt.Format(time.DateTime), header.SchemaVersion)
		return r.backupRestored(ctx, o)
	}
	if r.isRemote() {
		if err := r.fillRemote(ctx, fill); err != nil {
			return err
		}
		return r.leaveJournal()
	}
	if _, err := r.leaveOld(ctx, "restore --replace"); err != nil {
		return err
	}
	if err := r.refill(ctx, fill); err != nil {
		return err
	}
	return r.leaveJournal()
}

// backupRestored makes the restored store the newest of the daily backups: a rebuild is
// to begin there.
func (r *rescuer) backupRestored(ctx context.Context, o *opened) error {
	dir := backupsPath(r.layout, r.cfg)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the directory of the backups: %w", err)
	}
	now := r.now()
	end, err := journal.End(r.layout.Journal())
	if err == nil {
		_, err = backup.WriteAt(ctx, o.store, filepath.Join(dir, backup.Name(now)), version, now, end, func() {})
	}
	return err
}

// leaveJournal moves the journal aside: it belongs to the store that was replaced,
// which a rebuild must not bring back.
func (r *rescuer) leaveJournal() error {
	kept := r.layout.Journal() + "." + r.stamp()
	err := os.Rename(r.layout.Journal(), kept)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the store is restored, but the journal could not be put aside; move %s away: %w", r.layout.Journal(), err)
	}
	r.say("the journal that led to the old store is kept in %s until you delete it", kept)
	// The next backup goes on where this one ended: backups are ordered by that.
	end, err := journal.End(kept)
	if err == nil && end != "" {
		err = journal.Continue(r.layout.Journal(), end)
	}
	return err
}

// stamp is the time in the names of files that are kept aside.
func (r *rescuer) stamp() string { return r.now().UTC().Format("20060102T150405Z") }

// fillRemote fills the database that the settings name, if it is empty. It is
// shared with others, so nothing in it is put aside.
func (r *rescuer) fillRemote(ctx context.Context, fill func(context.Context, *opened) error) (err error) {
	o, err := r.open(ctx, r.data(), r.layout.Run())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.close()) }()
	err = fill(ctx, o)
	if errors.Is(err, memory.ErrNotEmpty) {
		return fmt.Errorf("%w: a remote database is never replaced. Name an empty one (SURREAL_DB, or store.database in %s), do this again, and keep that name",
			err, r.layout.ConfigFile())
	}
	return err
}

// leaveOld examines the present store, and backs it up if it is to be replaced. It
// returns its tables, or none if it cannot be opened.
func (r *rescuer) leaveOld(ctx context.Context, how string) ([]memory.Table, error) {
	if err := engine.FinishReplacing(r.data()); err != nil {
		return nil, err
	}
	if info, err := os.Lstat(r.data()); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("%s is a symbolic link, which cannot be put aside with its data: set store.data_path to the directory itself", r.data())
	}
	used, err := isUsed(r.data())
	if err != nil || !used {
		return nil, err
	}
	o, err := r.open(ctx, r.data(), r.layout.Run())
	if err != nil {
		if !r.replace {
			return nil, fmt.Errorf("the store in %s cannot be opened (%w); %s puts it aside and goes on", r.data(), err, how)
		}
		r.say("the store in %s cannot be opened, so it is only put aside: %v", r.data(), err)
		return nil, nil
	}
	tables, err := r.saveOld(ctx, o, how)
	if closeErr := o.close(); !isDamaged(err) || !r.replace {
		return tables, errors.Join(err, closeErr)
	}
	r.say("the store in %s cannot be read, so it is only put aside: %v", r.data(), err)
	return nil, nil
}

func (r *rescuer) saveOld(ctx context.Context, o *opened, how string) ([]memory.Table, error) {
	tables, err := o.store.Tables(ctx)
	if err != nil {
		return nil, err
	}
	held := precious(tables)
	if len(held) == 0 {
		return tables, nil
	}
	if !r.replace {
		return nil, fmt.Errorf("the store is %w: it has %s; %s backs it up, puts it aside and goes on", memory.ErrNotEmpty, describe(held), how)
	}
	dir := backupsPath(r.layout, r.cfg)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	made, err := backup.Write(ctx, o.store, filepath.Join(dir, "before-"+backup.Name(r.now())), version, r.now())
	if err != nil {
		return nil, fmt.Errorf("back up the present store: %w", err)
	}
	r.say("the store before is backed up in %s", made.File)
	return tables, nil
}

// precious counts the rows of the tables with user data.
func precious(tables []memory.Table) map[string]int {
	held := map[string]int{}
	for _, table := range tables {
		if table.Rows > 0 && memory.Precious(table.Name) {
			held[table.Name] = table.Rows
		}
	}
	return held
}

func describe(held map[string]int) string {
	var parts []string
	for _, name := range []string{"memory", "session", "prompt", "project"} {
		if n := held[name]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d rows of %s", n, name))
		}
	}
	return strings.Join(parts, ", ")
}

// refill makes a store in a data directory of its own and, once that is filled, moves it
// to the place of the old store. An error before that leaves the old store unchanged.
func (r *rescuer) refill(ctx context.Context, fill func(context.Context, *opened) error) error {
	data := r.data()
	next := data + ".next"
	forget := func() error {
		return errors.Join(os.RemoveAll(next), os.RemoveAll(next+".secret"), os.RemoveAll(next+".engine.json"))
	}
	if err := forget(); err != nil { // of a run that was interrupted
		return err
	}
	if made, found, err := engine.ReadMade(data); r.prefer == nil && err == nil && found {
		r.prefer = &made
	}
	o, err := r.open(ctx, next, filepath.Join(r.layout.Run(), "next"))
	if err != nil {
		return errors.Join(err, forget())
	}
	if err := errors.Join(fill(ctx, o), o.close()); err != nil {
		return errors.Join(err, forget())
	}
	kept := data + "."
	if made, found, err := engine.ReadMade(data); err == nil && found {
		kept += made.Generation() + "."
	}
	kept += r.now().UTC().Format("20060102T150405.000Z") // two stores may be replaced in one second
	_ = os.Remove(data)                                  // if it is empty, there is nothing to keep
	_, missing := os.Lstat(data)
	if err := engine.ReplaceData(data, next, kept); err != nil {
		return err
	}
	if missing == nil {
		r.say("the old store is kept in %s until you delete it", kept)
	}
	r.say("the new store is in place; the next session or hook starts the agent on it")
	return nil
}

// rebuild makes the store anew from a backup and the journal.
func (r *rescuer) rebuild(ctx context.Context) error {
	source, header, err := r.source()
	if err != nil {
		return err
	}
	if r.isRemote() {
		r.say("the journal of this home has the events captured on this machine only, not those that others store in the same database")
		return r.fillRemote(ctx, func(ctx context.Context, o *opened) error { return r.refresh(ctx, o, source, header, nil) })
	}
	r.replace = true // a rebuild replaces a broken store
	old, err := r.leaveOld(ctx, "rebuild")
	if err != nil {
		return err
	}
	if old == nil {
		old = header.Tables
	}
	return r.refill(ctx, func(ctx context.Context, o *opened) error { return r.refresh(ctx, o, source, header, old) })
}

// move makes a newer engine take over the store of one that is gone: by a backup that
// it writes from a copy of the data, or else by the newest backup and the journal. The
// old data is kept and no other engine opens it.
func (r *rescuer) move(ctx context.Context, move *engine.MoveError) error {
	made := move.To.Made()
	r.prefer, r.replace = &made, true
	r.say("%s takes the store over from %s", move.To, move.From)
	file, tables, err := "", []memory.Table(nil), errors.New("it keeps its data in "+made.Storage)
	if made.Storage == move.From.Storage {
		file, tables, err = r.copyOf(ctx, made)
	}
	var header backup.Header
	if err == nil {
		header, err = backup.Check(file)
	}
	if err != nil {
		r.say("%s cannot read the data of %s (%v), so the newest backup and the journal are used", move.To, move.From, err)
		if file, header, err = r.source(); err != nil {
			return err
		}
		tables = header.Tables
	}
	return r.refill(ctx, func(ctx context.Context, o *opened) error { return r.refresh(ctx, o, file, header, tables) })
}

// copyOf makes an engine write a backup from a copy of the data, and deletes the copy.
func (r *rescuer) copyOf(ctx context.Context, made engine.Made) (file string, tables []memory.Table, err error) {
	data, scratch := r.data(), r.data()+".copy"
	beside := []string{"", ".secret", ".engine.json"}
	forget := func() error {
		var errs []error
		for _, suffix := range beside {
			errs = append(errs, os.RemoveAll(scratch+suffix))
		}
		return errors.Join(errs...)
	}
	if err := forget(); err != nil { // of a run that was interrupted
		return "", nil, err
	}
	defer func() { err = errors.Join(err, forget()) }()
	secret, err := os.ReadFile(data + ".secret")
	if err == nil {
		err = os.CopyFS(scratch, os.DirFS(data))
	}
	if err == nil {
		err = errors.Join(os.Chmod(scratch, 0o700), os.WriteFile(scratch+".secret", secret, 0o600), engine.WriteMade(scratch, made))
	}
	if err != nil {
		return "", nil, fmt.Errorf("copy the data: %w", err)
	}
	o, err := r.open(ctx, scratch, filepath.Join(r.layout.Run(), "copy"))
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, o.close()) }()
	if tables, err = o.store.Tables(ctx); err != nil {
		return "", nil, err
	}
	dir := backupsPath(r.layout, r.cfg)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, err
	}
	written, err := backup.Write(ctx, o.store, filepath.Join(dir, "before-"+backup.Name(r.now())), version, r.now())
	if err == nil {
		r.say("the store before is backed up in %s", written.File)
	}
	return written.File, tables, err
}

// source picks the newest undamaged backup; none is no error if there is a journal.
func (r *rescuer) source() (file string, header backup.Header, err error) {
	journaled, err := filepath.Glob(filepath.Join(r.layout.Journal(), "*.jsonl*"))
	if err != nil {
		return "", header, err
	}
	if !r.journalOnly {
		files, err := backup.List(backupsPath(r.layout, r.cfg))
		if err != nil {
			return "", header, err
		}
		for _, file := range files {
			header, err := backup.Check(file)
			if err == nil {
				return file, header, nil
			}
			r.say("passed over: %v", err)
		}
	}
	if len(journaled) == 0 {
		return "", header, fmt.Errorf("%w: no journal in %s, and no backup in %s", errNothing, r.layout.Journal(), backupsPath(r.layout, r.cfg))
	}
	return "", backup.Header{}, nil
}

// refresh fills an empty database from a backup, if there is one, and from the journal,
// and compares it with the old one.
func (r *rescuer) refresh(ctx context.Context, o *opened, file string, header backup.Header, old []memory.Table) error {
	target, err := o.target()
	if err != nil {
		return err
	}
	var from journal.From
	if file == "" {
		err = backup.Empty(ctx, "the journal", target)
	} else {
		r.say("from the backup %s: %d rows", file, header.Rows())
		from = r.after(header)
		_, err = backup.Fill(ctx, file, target)
	}
	if err != nil {
		return err
	}
	if err := r.replay(ctx, o, from); err != nil {
		return err
	}
	tables, err := o.store.Tables(ctx)
	if err != nil {
		return err
	}
	if err := r.compare(precious(old), precious(tables)); err != nil {
		return err
	}
	return o.store.EndRestore(ctx)
}

// after is where the journal goes on that a backup ends with. One of an older version does
// not say exactly.
func (r *rescuer) after(header backup.Header) journal.From {
	if header.IsThrough {
		return journal.From{After: header.JournalEnd}
	}
	from := journal.From{Segment: header.JournalEnd, Since: header.CreatedAt.Add(-replayOverlap)}
	if from.Since.After(r.now()) { // a wrong clock: its times mean nothing
		from.Since = time.Time{}
	}
	return from
}

func (r *rescuer) replay(ctx context.Context, o *opened, from journal.From) error {
	counter, err := bpe.New(r.cfg.Tokens.Encoding)
	if err != nil {
		return err
	}
	a := agent.New(agent.Options{Store: o.store, Counter: counter, Config: r.cfg, Log: r.log, Now: r.now})
	done, err := a.Intake.Replay(ctx, o.store, r.layout.Journal(), from)
	if err != nil {
		return err
	}
	r.say("from the journal: %d events, %d changes", done.Events, done.Changes)
	for _, problem := range done.Problems {
		r.say("warning: the journal: %s", problem)
	}
	for _, refused := range done.Refused {
		r.say("warning: left out: %s", refused)
	}
	return nil
}

// compare reports rows that a rebuilt store lacks.
func (r *rescuer) compare(old, rebuilt map[string]int) error {
	less := map[string]int{}
	for name, n := range old {
		if rebuilt[name] < n {
			less[name] = n
		}
	}
	if len(old) > 0 {
		r.say("the old store has %s", describe(old))
	}
	r.say("the new store has %s", describe(rebuilt))
	if len(less) == 0 {
		return nil
	}
	if r.force {
		r.say("that is less; it is used because of --force")
		return nil
	}
	return fmt.Errorf("the new store holds less than the old one and is not used: the old one has %s; rebuild --force uses it all the same, and keeps the old one", describe(less))
}
