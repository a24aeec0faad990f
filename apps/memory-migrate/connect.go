package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

const (
	stopLimit = 10 * time.Second // for the engine to end by itself
	pollPause = 200 * time.Millisecond
)

// connectionSettings are the settings that a flag can give; a flag goes before the environment and the settings file.
var connectionSettings = []struct {
	flag, variable, usage string
	field                 func(*config.Store) *string
}{
	{"url", "SURREAL_URL", "`URL` of a SurrealDB server; without one, the local engine", func(s *config.Store) *string { return &s.URL }},
	{"user", "SURREAL_USER", "`NAME` to sign in with", func(s *config.Store) *string { return &s.User }},
	{"pass", "SURREAL_PASS", "`PASSWORD` to sign in with", func(s *config.Store) *string { return &s.Pass }},
	{"token", "SURREAL_TOKEN", "`TOKEN` to sign in with, instead of a name", func(s *config.Store) *string { return &s.Token }},
	{"ca-file", "SURREAL_CA_FILE", "`FILE` of those who may have signed the server's certificate", func(s *config.Store) *string { return &s.CAFile }},
	{"client-cert", "SURREAL_CLIENT_CERT", "`FILE` of the certificate to show", func(s *config.Store) *string { return &s.ClientCert }},
	{"client-key", "SURREAL_CLIENT_KEY", "`FILE` of its key", func(s *config.Store) *string { return &s.ClientKey }},
	{"ns", "SURREAL_NS", "`NAMESPACE`", func(s *config.Store) *string { return &s.Namespace }},
	{"db", "SURREAL_DB", "`DATABASE`", func(s *config.Store) *string { return &s.Database }},
}

// connect opens the database that flags, environment and settings name. hangUp closes it, and ends the engine if it was
// started for this.
func (p *program) connect(c *cli.Context) (conn *wire.Conn, hangUp func() error, err error) {
	layout := paths.FromEnv(p.getenv)
	cfg, problems := config.Load(layout.ConfigFile(), p.getenv)
	for _, problem := range problems {
		p.log.Warn("setting ignored", "problem", problem.String())
	}
	for _, s := range connectionSettings {
		if c.IsSet(s.flag) {
			*s.field(&cfg.Store) = c.String(s.flag)
		}
	}
	locate, stop, err := p.locator(cfg.Store, layout)
	if err != nil {
		return nil, nil, err
	}
	conn = wire.Open(wire.Options{
		Locate: locate, Namespace: cfg.Store.Namespace, Database: cfg.Store.Database, CallTimeout: 30 * time.Second, Log: p.log,
	})
	return conn, func() error {
		ending, cancel := context.WithTimeout(context.Background(), stopLimit)
		defer cancel()
		return errors.Join(conn.Close(ending), stop(ending))
	}, nil
}

type locator func(context.Context) (wire.Endpoint, error)

// locator finds the server: the named one, or the local engine. stop ends the local engine.
func (p *program) locator(store config.Store, layout paths.Layout) (locate locator, stop func(context.Context) error, err error) {
	if store.URL != "" {
		named := wire.Endpoint{
			URL: store.URL, User: store.User, Pass: store.Pass, Token: store.Token,
			CAFile: store.CAFile, CertFile: store.ClientCert, KeyFile: store.ClientKey,
		}
		return func(context.Context) (wire.Endpoint, error) { return named, nil },
			func(context.Context) error { return nil }, nil
	}
	options, err := engineOptions(store, layout)
	if err != nil {
		return nil, nil, err
	}
	options.Log = p.log
	local := &localEngine{options: options, home: flock.New(layout.Lock(), flock.SetPermissions(0o600))}
	p.widen = local.widen
	return local.locate, local.stop, nil
}

// localEngine is the engine that another process runs, or else one of our own. It is asked again after every lost
// connection: the other process may have ended, and its engine with it. Conn asks from one goroutine at a time.
type localEngine struct {
	options engine.Options
	home    *flock.Flock       // the agent's lock: whoever has it runs the home's engine
	own     *engine.Supervisor // nil until nobody else runs one
}

func (l *localEngine) locate(ctx context.Context) (wire.Endpoint, error) {
	for {
		err := l.start()
		if err == nil {
			endpoint, err := l.own.Endpoint(ctx)
			return wire.Endpoint(endpoint), err
		}
		if !errors.Is(err, engine.ErrInUse) {
			return wire.Endpoint{}, fmt.Errorf("start the database engine: %w", err)
		}
		endpoint, err := runningEngine(ctx, filepath.Join(l.options.RunDir, "engine.json"))
		if err == nil {
			return endpoint, nil
		}
		if err := engine.Wake(l.options.RunDir); err != nil {
			return wire.Endpoint{}, fmt.Errorf("wake the database engine: %w", err)
		}
		select {
		case <-time.After(pollPause):
		case <-ctx.Done():
			return wire.Endpoint{}, fmt.Errorf("another process runs the database engine, which does not answer: %w", errors.Join(ctx.Err(), err))
		}
	}
}

// start starts an engine of our own unless another process has the home. Two engines on one home would fight over the
// password file and the data.
func (l *localEngine) start() error {
	if l.own != nil {
		return nil
	}
	if err := os.MkdirAll(l.options.RunDir, 0o700); err != nil {
		return fmt.Errorf("make the run directory: %w", err)
	}
	free, err := l.home.TryLock()
	if err != nil {
		return fmt.Errorf("lock %s: %w", l.home.Path(), err)
	}
	if !free {
		return engine.ErrInUse
	}
	// Not the caller's context: the engine is to outlive this connect.
	own, err := engine.Start(context.Background(), l.options)
	if err != nil {
		return errors.Join(err, l.home.Unlock())
	}
	l.own = own
	return nil
}

// widen prepares for long transactions: see engine.Supervisor.Widen. Another process's engine stays as it is; one of
// our own ends with this program, and the next has small buffers again.
func (l *localEngine) widen() (done func()) {
	if l.own != nil {
		l.own.Widen()
	}
	return func() {}
}

func (l *localEngine) stop(ctx context.Context) error {
	if l.own == nil {
		return nil
	}
	return errors.Join(l.own.Stop(ctx), l.home.Unlock())
}

// runningEngine reads the address that another process has recorded for its engine, and tests whether it accepts
// connections.
func runningEngine(ctx context.Context, file string) (wire.Endpoint, error) {
	var found struct{ URL, User, Pass string }
	content, err := os.ReadFile(file)
	if err != nil {
		return wire.Endpoint{}, err
	}
	if err := json.Unmarshal(content, &found); err != nil {
		return wire.Endpoint{}, fmt.Errorf("read %s: %w", file, err)
	}
	address, err := url.Parse(found.URL)
	if err != nil {
		return wire.Endpoint{}, fmt.Errorf("read %s: %w", file, err)
	}
	var dialer net.Dialer
	probe, err := dialer.DialContext(ctx, "tcp", address.Host)
	if err != nil {
		return wire.Endpoint{}, err
	}
	_ = probe.Close()
	return wire.Endpoint{URL: found.URL, User: found.User, Pass: found.Pass}, nil
}

func engineOptions(store config.Store, layout paths.Layout) (engine.Options, error) {
	executable, err := os.Executable()
	if err != nil {
		return engine.Options{}, fmt.Errorf("find this program: %w", err)
	}
	data := store.DataPath
	if data == "" {
		data = layout.Data()
	}
	return engine.Options{
		DataPath: data, RunDir: layout.Run(),
		Sources: filepath.Join(paths.PluginRoot(executable), "engine"), Packages: cmp.Or(store.EnginePath, layout.Engine()),
	}, nil
}
