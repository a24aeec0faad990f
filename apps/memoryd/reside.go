package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/instructions"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentserver"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/client/launcher"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/private"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/tokens/bpe"
	"github.com/surrealdb-memory/surrealdb-memory/schema"
)

// maxLogBytes is the size at which a log is rotated at the agent's start; one rotated
// file is kept.
const maxLogBytes = 4 << 20

// lockTime bounds the wait for the lock: an agent that replaces a killed one may start
// before the system has released the lock.
const lockTime = 300 * time.Millisecond

// errServed says that another agent has the home.
var errServed = errors.New("another agent serves this home")

// live runs the agent. It returns errServed if this is one too many. Any other error
// before it can answer is left in a file for the next session to show. If a newer program is to take over, live starts it.
func live(ctx context.Context, layout paths.Layout, cfg config.Config, problems []config.Problem, getenv func(string) string) error {
	successor, err := reside(ctx, layout, cfg, problems, getenv)
	if errors.Is(err, errServed) {
		return err
	}
	if err != nil {
		leaveTrouble(layout, err)
	}
	if successor != "" {
		err = errors.Join(err, agentclient.Agent{Paths: layout, Executable: successor, Now: time.Now}.Launch())
	}
	return err
}

// reside runs the agent of one home, unless another does. It returns the program that is
// to take over, if any.
func reside(
	ctx context.Context, layout paths.Layout, cfg config.Config, problems []config.Problem, getenv func(string) string,
) (successor string, err error) {
	if err := takeFolders(layout, cfg); err != nil {
		return "", fmt.Errorf("make the agent's home: %w", err)
	}
	lock := flock.New(layout.Lock(), flock.SetPermissions(0o600))
	waiting, cancel := context.WithTimeout(ctx, lockTime)
	mine, err := lock.TryLockContext(waiting, lockTime/10)
	cancel()
	if !mine && errors.Is(err, context.DeadlineExceeded) {
		return "", fmt.Errorf("%w: %s is held", errServed, layout.Lock())
	}
	if err != nil {
		return "", fmt.Errorf("lock %s: %w", layout.Lock(), err)
	}
	defer func() { _ = lock.Unlock() }()
	locked, err := lock.Stat()
	if err != nil {
		return "", fmt.Errorf("look at %s: %w", layout.Lock(), err)
	}

	logFile, err := openLog(layout.AgentLog())
	if err != nil {
		return "", err
	}
	defer func() { _ = logFile.Close() }()
	log := slog.New(slog.NewTextHandler(redact.Writer{To: logFile}, nil))
	for _, p := range problems {
		log.Warn("a setting is not used", "setting", p.Key, "from", p.Origin, "reason", p.Message)
	}
	me, err := newSelf(layout, locked, getenv, log)
	if err != nil {
		return "", fmt.Errorf("find the agent's own program: %w", err)
	}
	if err := launcher.Refresh(layout, paths.InstalledRoot(me.program)); err != nil {
		log.Warn("other clients may call an older version", "err", err)
	}
	// The heartbeat is written before the pid: this process's pid with an old heartbeat
	// would look like an agent that hangs.
	if err := os.WriteFile(layout.Beat(), nil, 0o600); err != nil {
		return "", fmt.Errorf("write the agent's mark: %w", err)
	}
	if err := os.WriteFile(layout.PIDFile(), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("write the agent's pid: %w", err)
	}
	defer func() {
		if !me.owns() {
			return // the files there are another agent's
		}
		_ = os.Remove(layout.PIDFile())
		if me.follower() == "" {
			_ = os.Remove(layout.StartMark()) // the next hook may start an agent at once
		} else {
			_ = os.WriteFile(layout.StartMark(), nil, 0o600) // hooks of the older plugin wait for the newer agent
		}
	}()

	log.Info("the agent starts", "version", version, "pid", os.Getpid(), "home", layout.Home)
	go keepHeapSmall(ctx)
	err = serve(ctx, layout, cfg, log, me, getenv)
	if err != nil {
		log.Error("the agent ends", "error", err)
	} else {
		log.Info("the agent has ended")
	}
	return me.follower(), err
}

// takeFolders makes the folders that the agent writes to, closes them to other users,
// and refuses those that others can write to. The engine's files are as accessible as
// their folder.
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
func serve(
	ctx context.Context, layout paths.Layout, cfg config.Config, log *slog.Logger, me *self, getenv func(string) string,
) error {
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
	local := newDatabase(options, layout, cfg, log, engineLog)
	defer func() {
		if me.owns() {
			local.stop(log)
		} else { // an engine that ends in order writes to its folder once more, which is another agent's by now
			local.kill()
		}
	}()

	conn := wire.Open(wire.Options{
		Locate: local.locate, Namespace: cfg.Store.Namespace, Database: cfg.Store.Database, Log: log,
	})
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	local.options.Ask, local.options.Verify = conn.Answers, local.verify
	local.options.Use, local.options.Sleep = conn, cfg.Agent.EngineSleep

	listener, err := listen(layout, me)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	store, journaled := surreal.NewStore(conn), openJournal(layout, cfg)
	store.Rights = schema.Rights
	if journaled != nil {
		defer func() { _ = journaled.Close() }()
	}
	embedder, vectors := embeddings(cfg.Embeddings, conn, log)
	var service agent.Service
	local.report = func(doing agentapi.Trouble) { service.Report(doing) }
	service = agent.Service{
		Agent: agent.New(agent.Options{
			Store:   store,
			Spools:  spools(layout),
			Counter: counter, Config: cfg, Log: log, Now: time.Now,
			Embedder: embedder, Vectors: vectors, CanWrite: store.CanWrite, Texts: store, CleanRow: surreal.CleanRow,
			Journal: journaled, Backups: backupsPath(layout, cfg), Version: version, Logs: layout.Logs(), Evaluation: layout.Evaluation(), Shared: layout.Shared(), SharedRef: sharedRef(layout),
			HasSchema: func(ctx context.Context) error { return hasSchema(ctx, conn) },
			Owned:     me.owns, Model: model(cfg.Distill, layout, log),
			Instructions: instructions.New(clientDir(os.Getenv), time.Now),
		}),
		Version: version,
		Prepare: func(ctx context.Context) error {
			return local.prepare(ctx, func(ctx context.Context) error {
				if err := refuseUnfinished(ctx, store); err != nil {
					return err
				}
				if err := migrateUp(ctx, conn, local.widen, log); err != nil {
					return err
				}
				err := local.checkTail(ctx, store)
				local.isChecked.Store(err == nil)
				return err
			})
		},
		Mend: func(ctx context.Context, fault error) error {
			if err := local.mend(ctx, fault, store); err != nil || isDamaged(fault) {
				return err
			}
			if err := migrateUp(ctx, conn, local.widen, log); err != nil {
				return err
			}
			return hasSchema(ctx, conn)
		},
		Notice:    layout.StoreNotice(),
		Engine:    local.status,
		ReadyMark: layout.ReadyMark(), Beat: layout.Beat(),
		IsFallback: layout.IsFallbackSpool,
		Abandoned:  me.abandoned, Superseded: me.superseded, Look: me.look, Outdated: me.isOlderThan,
		Explain: explain, Distills: distills(layout, getenv), FetchShared: fetchShared(layout, cfg),
	}
	defer showPages(&service, layout, cfg, log)()
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

// listen opens the socket; from then on callers are told the trouble.
func listen(layout paths.Layout, me *self) (net.Listener, error) {
	if !me.owns() {
		return nil, intake.ErrNotOurs
	}
	listener, err := agentserver.Listen(layout.Socket())
	if err != nil {
		return nil, err
	}
	_ = os.Remove(layout.Trouble())
	return listener, nil
}

func engineOptions(layout paths.Layout, cfg config.Config, log *slog.Logger, output io.Writer) (engine.Options, error) {
	executable, err := os.Executable()
	if err != nil {
		return engine.Options{}, fmt.Errorf("find the plugin's directory: %w", err)
	}
	return engine.Options{
		URL: cfg.Store.URL, User: cfg.Store.User, Pass: cfg.Store.Pass, Token: cfg.Store.Token, Access: cfg.Store.Access,
		CAFile: cfg.Store.CAFile, CertFile: cfg.Store.ClientCert, KeyFile: cfg.Store.ClientKey,
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
	if cfg.Store.Access != "" { // a person cannot read all of a store; whoever administers it backs it up
		return ""
	}
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

// database is the engine behind the connection. It is started late, because finding and
// installing it takes time, and at most once.
type database struct {
	options  engine.Options
	layout   paths.Layout
	cfg      config.Config
	log      *slog.Logger
	progress io.Writer
	report   func(agentapi.Trouble) // a slow step

	starting sync.Mutex // held while the engine is installed and started, which may take minutes
	failed   []error    // the installations that failed

	// isChecked says that the store had its schema and the journal's last event since this supervisor
	// started.
	isChecked atomic.Bool

	mu         sync.Mutex // held for no longer than it takes to look, so that a status never waits for an installation
	supervisor *engine.Supervisor
}

func (d *database) start(ctx context.Context) error {
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
	d.mu.Lock()
	defer d.mu.Unlock()
	d.supervisor = supervisor
	return nil
}

// install installs the embedded engine, and reports since when, and how it went before.
func (d *database) install(ctx context.Context) error {
	d.report(installing(engine.DownloadSize(ctx, d.options), time.Now(), d.failed))
	ctx, cancel := context.WithTimeout(ctx, installTime)
	defer cancel()
	if err := engine.Install(ctx, d.options, d.progress); err != nil {
		d.failed = append(d.failed, err)
		return fmt.Errorf("%w: %w", errInstall, err)
	}
	return nil
}

func (d *database) current() *engine.Supervisor {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.supervisor
}

// widen prepares the engine for long transactions, and tells callers that wait that its restart is no fault.
func (d *database) widen() (narrow func()) {
	supervisor := d.current()
	if supervisor == nil {
		return func() {}
	}
	d.report(agentapi.Trouble{What: "the store is being brought to this version's schema, which takes minutes when it is large"})
	return supervisor.Widen()
}

func (d *database) locate(ctx context.Context) (wire.Endpoint, error) {
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

func (d *database) status() agentapi.EngineStatus {
	supervisor := d.current()
	if supervisor == nil {
		return agentapi.EngineStatus{}
	}
	choice := supervisor.Choice()
	status := agentapi.EngineStatus{
		Kind: string(choice.Kind), Name: choice.String(), Version: choice.Version, PID: supervisor.Pid(), Restarts: supervisor.Restarts(),
		Silent: supervisor.Silent(), Asleep: supervisor.IsAsleep(),
	}
	if err := supervisor.Err(); err != nil {
		status.Ended = firstLine(err)
	}
	return status
}

// stopTime bounds a clean end of the engine; then it is killed, which loses
// nothing that was committed. Who stops the agent is answered within two seconds,
// also with an engine that hangs.
const stopTime = time.Second

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

// kill ends the engine at once, which loses nothing that was committed.
func (d *database) kill() {
	if supervisor := d.current(); supervisor != nil {
		now, cancel := context.WithCancel(context.Background())
		cancel()
		_ = supervisor.Stop(now) // only its record may be left, in a home that is gone
	}
}

// openLog opens a log for appending, after rotating one that has grown too large.
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
