package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/private"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens/bpe"
	"github.com/surrealdb-memory/surrealdb-memory/schema"
)

// maxLogBytes is the size at which a log is put aside at the agent's start, in
// place of the one put aside before.
const maxLogBytes = 4 << 20

// reside is the life of the agent of one home. A second agent ends at once and
// without an error: the first does its work.
func reside(ctx context.Context, layout paths.Layout, cfg config.Config, problems []config.Problem) error {
	if err := takeFolders(layout, cfg); err != nil {
		return fmt.Errorf("make the agent's home: %w", err)
	}
	lock := flock.New(layout.Lock(), flock.SetPermissions(0o600))
	mine, err := lock.TryLock()
	if err != nil {
		return fmt.Errorf("lock %s: %w", layout.Lock(), err)
	}
	if !mine {
		return nil
	}
	defer func() { _ = lock.Unlock() }()

	logFile, err := openLog(layout.AgentLog())
	if err != nil {
		return err
	}
	defer func() { _ = logFile.Close() }()
	log := slog.New(slog.NewTextHandler(logFile, nil))
	for _, p := range problems {
		log.Warn("a setting is not used", "setting", p.Key, "from", p.Origin, "reason", p.Message)
	}
	if err := os.WriteFile(layout.PIDFile(), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		return fmt.Errorf("write the agent's pid: %w", err)
	}
	defer func() {
		_ = os.Remove(layout.PIDFile())
		_ = os.Remove(layout.StartMark()) // the next hook may start an agent at once
	}()

	log.Info("the agent starts", "version", version, "pid", os.Getpid(), "home", layout.Home)
	err = serve(ctx, layout, cfg, log)
	if err != nil {
		log.Error("the agent ends", "error", err)
	} else {
		log.Info("the agent has ended")
	}
	return err
}

// takeFolders makes the folders that the agent writes to, closes them to others,
// and refuses those in which somebody else may have a hand. The engine's files are
// as open as their folder.
func takeFolders(layout paths.Layout, cfg config.Config) error {
	folders := []string{layout.Home}
	if cfg.Store.URL == "" {
		folders = append(folders, dataPath(layout, cfg))
	}
	for _, dir := range folders {
		if err := private.Take(dir); err != nil {
			return err
		}
	}
	for _, dir := range []string{layout.Run(), layout.Logs()} {
		if err := private.Make(dir); err != nil {
			return err
		}
	}
	return nil
}

// serve wires the parts together and runs them.
func serve(ctx context.Context, layout paths.Layout, cfg config.Config, log *slog.Logger) error {
	counter, err := bpe.New(cfg.Tokens.Encoding)
	if err != nil {
		return err
	}
	engineLog, err := openLog(layout.EngineLog())
	if err != nil {
		return err
	}
	defer func() { _ = engineLog.Close() }()
	options, err := engineOptions(layout, cfg, log, engineLog)
	if err != nil {
		return err
	}
	local := &database{options: options, progress: engineLog}
	defer local.stop(log)

	conn := surreal.Open(surreal.Options{
		Locate: local.locate, Namespace: cfg.Store.Namespace, Database: cfg.Store.Database, Log: log,
	})
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()

	listener, err := agentapi.Listen(layout.Socket())
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(layout.Socket()) }()
	store, journaled := surreal.NewStore(conn), openJournal(layout, cfg)
	if journaled != nil {
		defer func() { _ = journaled.Close() }()
	}
	embedder, vectors := meaning(cfg.Embeddings, conn, log)
	service := agent.Service{
		Agent: agent.New(agent.Options{
			Store:   store,
			Spools:  spools(layout),
			Counter: counter, Config: cfg, Log: log, Now: time.Now,
			Embedder: embedder, Vectors: vectors,
			Journal: journaled, Backups: backupsPath(layout, cfg), Version: version,
		}),
		Version: version,
		Prepare: func(ctx context.Context) error {
			if err := local.start(ctx); err != nil {
				return err
			}
			if err := refuseUnfinished(ctx, store); err != nil {
				return err
			}
			return migrateUp(ctx, conn, log)
		},
		Engine:     local.status,
		ReadyMark:  layout.ReadyMark(),
		IsFallback: layout.IsFallbackSpool,
		Abandoned:  func() bool { return isGone(layout.Lock()) },
	}
	return service.Run(ctx, listener)
}

// spools are where events of this home may wait.
func spools(layout paths.Layout) []*spool.Spool {
	all := []*spool.Spool{spool.New(layout.Spool())}
	for _, dir := range layout.FallbackSpools() {
		all = append(all, spool.New(dir))
	}
	return all
}

func engineOptions(layout paths.Layout, cfg config.Config, log *slog.Logger, output io.Writer) (engine.Options, error) {
	executable, err := os.Executable()
	if err != nil {
		return engine.Options{}, fmt.Errorf("find the plugin's directory: %w", err)
	}
	return engine.Options{
		URL: cfg.Store.URL, User: cfg.Store.User, Pass: cfg.Store.Pass, Token: cfg.Store.Token,
		DataPath: dataPath(layout, cfg), RunDir: layout.Run(),
		Sources: filepath.Join(paths.PluginRoot(executable), "engine"), Packages: enginePath(layout, cfg),
		Log: log, Output: output,
	}, nil
}

// enginePath is where the embedded engine is installed.
func enginePath(layout paths.Layout, cfg config.Config) string {
	return cmp.Or(cfg.Store.EnginePath, layout.Engine())
}

// dataPath is where a local engine keeps its files.
func dataPath(layout paths.Layout, cfg config.Config) string {
	if cfg.Store.DataPath != "" {
		return cfg.Store.DataPath
	}
	return layout.Data()
}

// backupsPath is where the daily backups lie.
func backupsPath(layout paths.Layout, cfg config.Config) string {
	if cfg.Backup.Directory != "" {
		return cfg.Backup.Directory
	}
	return layout.Backups()
}

// openJournal returns the journal, or nil if none is to be kept.
func openJournal(layout paths.Layout, cfg config.Config) *journal.Journal {
	if cfg.Backup.JournalDays == 0 {
		return nil
	}
	return journal.New(layout.Journal(), time.Now)
}

// refuseUnfinished keeps the agent from what a restore has begun and not ended.
func refuseUnfinished(ctx context.Context, store *surreal.Store) error {
	source, err := store.UnfinishedRestore(ctx)
	if err == nil && source != "" {
		err = fmt.Errorf("the database is the unfinished result of restoring %s: wait until that has ended, or run it again", source)
	}
	return err
}

// migrateUp brings the schema up to date; it is there already but for the first
// start after an installation or an upgrade.
func migrateUp(ctx context.Context, conn *surreal.Conn, log *slog.Logger) error {
	all, err := migrate.Load(migrations.FS)
	if err != nil {
		return err
	}
	bootstrap, err := schema.Bootstrap()
	if err != nil {
		return err
	}
	report, err := migrate.Up(ctx, surreal.NewMigrationStore(conn, bootstrap), all, migrate.Options{BinaryVersion: version})
	if err != nil {
		return fmt.Errorf("bring the schema up to date: %w", err)
	}
	if report.From != report.To {
		log.Info("the schema is up to date", "from", report.From, "to", report.To)
	}
	return nil
}

// database is the engine behind the connection: started late, because finding
// and installing it takes time, and at most once.
type database struct {
	options  engine.Options
	progress io.Writer

	mu         sync.Mutex
	supervisor *engine.Supervisor
}

func (d *database) start(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.supervisor != nil {
		return nil
	}
	supervisor, err := engine.Start(ctx, d.options)
	if errors.Is(err, engine.ErrNotInstalled) {
		installing, cancel := context.WithTimeout(ctx, installTime)
		defer cancel()
		if err := engine.Install(installing, d.options, d.progress); err != nil {
			return err
		}
		supervisor, err = engine.Start(ctx, d.options)
	}
	if err != nil {
		return err
	}
	d.supervisor = supervisor
	return nil
}

func (d *database) current() *engine.Supervisor {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.supervisor
}

func (d *database) locate(ctx context.Context) (surreal.Endpoint, error) {
	supervisor := d.current()
	if supervisor == nil {
		return surreal.Endpoint{}, errors.New("the engine is not started yet")
	}
	e, err := supervisor.Endpoint(ctx)
	return surreal.Endpoint{URL: e.URL, User: e.User, Pass: e.Pass, Token: e.Token}, err
}

func (d *database) status() agentapi.EngineStatus {
	supervisor := d.current()
	if supervisor == nil {
		return agentapi.EngineStatus{}
	}
	choice := supervisor.Choice()
	return agentapi.EngineStatus{
		Kind: string(choice.Kind), Name: choice.String(), Version: choice.Version, PID: supervisor.Pid(), Restarts: supervisor.Restarts(),
	}
}

// stopTime bounds a clean end of the engine; then it is killed.
const stopTime = 5 * time.Second

func (d *database) stop(log *slog.Logger) {
	supervisor := d.current()
	if supervisor == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	if err := supervisor.Stop(ctx); err != nil {
		log.Error("the engine did not end cleanly", "error", err)
	}
}

// openLog opens a log to append to, and puts one that has grown too large aside
// first.
func openLog(file string) (*os.File, error) {
	if info, err := os.Stat(file); err == nil && info.Size() > maxLogBytes {
		if err := os.Rename(file, file+".old"); err != nil {
			return nil, fmt.Errorf("put the log aside: %w", err)
		}
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log: %w", err)
	}
	return f, nil
}

func isGone(file string) bool {
	_, err := os.Stat(file)
	return errors.Is(err, fs.ErrNotExist)
}
