package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/exchange"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/instructions"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/resident"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/dashboard"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/distill/models"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/tokens"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonserver"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/database"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
)

// live runs the daemon. It returns resident.ErrServed if another daemon serves the home. It writes any other error to a
// file, too, from which the next session shows it. At the end it starts the newer program that is to take over, if any.
func live(ctx context.Context, home resident.Home) error {
	successor, err := resident.Run(ctx, home, func(ctx context.Context, me *resident.Self, log *slog.Logger) error {
		go resident.KeepHeapSmall(ctx)
		return serve(ctx, home, me, log)
	})
	switch {
	case errors.Is(err, resident.ErrServed):
		return err
	case err != nil:
		database.WriteTrouble(home.Layout, err)
	}
	if successor != "" {
		err = errors.Join(err, daemonclient.Daemon{Paths: home.Layout, Executable: successor, Now: time.Now, Environ: os.Environ}.Launch())
	}
	return err
}

// serve connects the parts of the daemon and runs them.
func serve(ctx context.Context, home resident.Home, me *resident.Self, log *slog.Logger) error {
	layout, cfg := home.Layout, home.Config
	counter := tokens.New()
	engineLog, err := resident.OpenLog(layout.EngineLog())
	if err != nil {
		return err
	}
	defer func() { _ = engineLog.Close() }()
	store, err := database.New(layout, cfg, version, log, engineLog)
	if err != nil {
		return err
	}
	// An engine writes into its folder when it ends. If the folder is another daemon's by now, Close kills the engine instead.
	defer func() { store.Close(me.Owns()) }()
	listener, err := listen(layout, me)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	journaled := database.Journal(layout, cfg)
	if journaled != nil {
		defer func() { _ = journaled.Close() }()
	}
	client := paths.ClientDir(os.Getenv)
	var service daemon.Service
	store.Report = func(doing daemonapi.Trouble) { service.Report(doing) }
	now := func() config.Config { // read each time, so that a change takes effect at once
		cfg, _ := config.Load(layout.ConfigFile(), home.Getenv)
		return cfg
	}
	var spools []*spool.Spool // spools in which events of this home may wait
	for _, dir := range layout.Spools() {
		spools = append(spools, spool.New(dir))
	}
	options := daemon.Options{
		Store:   store.Store,
		Spools:  spools,
		Counter: counter, Config: cfg, Log: log, Now: time.Now,
		CanWrite: store.CanWrite, Texts: store.Store, SweepRow: surreal.SweepRow, Layout: layout, Redact: redact.Clean,
		Journal: journaled, Backups: database.Backups(layout, cfg), Version: version,
		HasSchema: store.HasSchema, Owned: me.Owns, Distills: models.Distillation(layout, home.Getenv),
		IsDisabled:   func() bool { return now().Disabled },
		OnlyAsked:    func() bool { return now().Capture.Keep == config.KeepAsked },
		Hooks:        func() config.Hooks { return now().Hooks },
		Instructions: instructions.New(client, time.Now), Client: client,
		Exchange: exchange.New(layout.IsSynced, func(ctx context.Context) error { return syncMachines(ctx, layout) }, log),
	}
	service = daemon.Service{
		Daemon:  daemon.New(options),
		Version: version,
		Prepare: store.Prepare, Repair: store.Repair, Engine: store.Status,
		Explain:   database.Explain,
		Abandoned: me.Abandoned, AdoptPath: me.AdoptPath, Outdated: me.IsOlderThan,
	}
	pages := dashboard.New(dashboard.Options{
		Daemon: &service, Log: log, Now: time.Now, Folder: layout.Run(), OnlyAsked: options.OnlyAsked,
		Save: func(key, value string) error { return config.Set(layout.ConfigFile(), key, value) },
		WhyOff: func(p memory.Project) string {
			if options.IsDisabled() {
				return daemonapi.AllOff
			}
			return project.Project{Key: p.Key, Name: p.Name, Root: p.Root}.WhyOffInTime(layout.OffMarker(p.Key))
		},
	})
	service.Dashboard = pages.Open
	defer func() { // after the listener has stopped
		if err := pages.Close(); err != nil {
			log.Debug("the dashboard did not end cleanly", "error", err)
		}
	}()
	return service.Run(ctx, listener)
}

// syncMachines runs "memory sync" from the folder of this program. Its error has the reason that the command prints.
func syncMachines(ctx context.Context, layout paths.Layout) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("the folder of this program is unknown, so memory sync cannot run: %w", err)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(filepath.Dir(program), "memory"), "sync", "--json")
	cmd.Dir, cmd.Env = layout.Home, append(os.Environ(), "MEMORY_HOME="+layout.Home, "GIT_TERMINAL_PROMPT=0")
	cmd.WaitDelay = time.Second
	var problem strings.Builder
	cmd.Stderr = &problem
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("memory sync: %w: %s", err, strings.TrimSpace(problem.String()))
	}
	return nil
}

// listen opens the socket, and removes the file with the trouble: callers learn of trouble from the daemon's answers now.
func listen(layout paths.Layout, me *resident.Self) (net.Listener, error) {
	if !me.Owns() {
		return nil, intake.ErrHomeLost
	}
	listener, err := daemonserver.Listen(layout.Socket())
	if err != nil {
		return nil, err
	}
	_ = os.Remove(layout.Trouble())
	return listener, nil
}
