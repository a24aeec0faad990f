package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/surreal/wire"
)

const (
	// betweenRebuilds limits how often a repeatedly damaged store is rebuilt: the disk is failing then, and each
	// rebuild leaves a copy.
	betweenRebuilds = time.Hour
	// mendTime bounds how long a restarted engine may take until it accepts writes.
	mendTime = time.Minute
)

func isDamaged(err error) bool {
	return errors.Is(err, engine.ErrDamaged) || errors.Is(err, memory.ErrDamaged) || errors.Is(err, wire.ErrDamaged)
}

// prepare starts the engine and calls use, which tries the store. If the data is damaged or belongs to an older engine,
// a new store is made first from backup and journal; the old data is kept.
func (d *database) prepare(ctx context.Context, use func(context.Context) error) error {
	try := func() error {
		if err := d.start(ctx); err != nil {
			return err
		}
		return use(ctx)
	}
	err := try()
	var move *engine.MoveError
	switch {
	case errors.As(err, &move):
		err = d.bringOver(fmt.Sprintf("%s took the store over from %s, which was not there any more", move.To, move.From),
			func(r *rescuer) error { return r.move(ctx, move) })
	case isDamaged(err) && d.options.URL == "":
		err = d.rebuild(ctx, err)
	default:
		return err
	}
	if err != nil {
		return err
	}
	return try()
}

// mend repairs a store that failed while it was in use: it restarts an engine that refuses to write, and prepare
// rebuilds damaged data. The error says why the store is still not usable.
func (d *database) mend(ctx context.Context, fault error, store *surreal.Store) error {
	if d.options.URL == "" && isDamaged(fault) { // also where no engine was left by a rebuild that failed
		return d.rebuild(ctx, fault)
	}
	supervisor := d.current()
	if supervisor == nil || d.options.URL != "" { // a remote server is not ours to restart
		return store.CanWrite(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, mendTime)
	defer cancel()
	if err := store.CanWrite(ctx); err == nil {
		return nil
	}
	supervisor.Restart(fault.Error())
	return store.CanWrite(ctx)
}

// rebuild replaces a damaged store by one made of backup and journal, at most once in betweenRebuilds.
func (d *database) rebuild(ctx context.Context, fault error) error {
	if at, isLate := d.rebuiltLately(); isLate {
		return fmt.Errorf("%w; the store was rebuilt only at %s, so the disk may be failing: memory rebuild rebuilds it once more",
			fault, at.Format(time.DateTime))
	}
	d.log.Error("the store's files are damaged: it is rebuilt from backup and journal", "error", fault)
	isGone := errors.Is(fault, engine.ErrGone)
	err := d.bringOver(howDamaged(fault, isGone)+"; it was rebuilt from backup and journal", func(r *rescuer) error { return r.rebuild(ctx) })
	if isGone && errors.Is(err, errNothing) { // nothing was ever stored, or somebody wants to start over
		return engine.ForgetMade(d.options.DataPath)
	}
	return err
}

// rebuiltLately tells whether the store was rebuilt by itself less than betweenRebuilds ago, and when. A notice that is
// dated ahead, by a clock that was corrected since, does not count.
func (d *database) rebuiltLately() (at time.Time, isLate bool) {
	info, err := os.Stat(d.layout.StoreNotice())
	if err != nil {
		return time.Time{}, false
	}
	return info.ModTime(), time.Since(info.ModTime()).Abs() < betweenRebuilds
}

// bringOver rebuilds the store while no engine runs, and leaves a notice of it.
func (d *database) bringOver(what string, work func(*rescuer) error) error {
	if d.report != nil {
		d.report(agentapi.Trouble{What: "the store is being rebuilt: nothing is lost, events wait"})
	}
	d.stop(d.log)
	d.mu.Lock()
	d.supervisor = nil
	d.mu.Unlock()
	var said strings.Builder
	r := &rescuer{layout: d.layout, cfg: d.cfg, out: io.MultiWriter(&said, d.progress), log: d.log, engine: d.progress, now: time.Now}
	if err := work(r); err != nil {
		return fmt.Errorf("%w: the store could not be rebuilt: %w", memory.ErrUnavailable, err)
	}
	text := fmt.Sprintf("%s: %s\n%s", time.Now().Format(time.DateTime), what, said.String())
	d.log.Warn("the store was rebuilt", "why", what, "how", strings.ReplaceAll(strings.TrimSpace(said.String()), "\n", "; "))
	if err := os.WriteFile(d.layout.StoreNotice(), []byte(text), 0o600); err != nil {
		d.log.Error("the notice that the store was rebuilt could not be written", "error", err)
	}
	return nil
}

// newDatabase is the engine of a home, not started yet.
func newDatabase(options engine.Options, layout paths.Layout, cfg config.Config, log *slog.Logger, progress io.Writer) *database {
	return &database{options: options, layout: layout, cfg: cfg, log: log, progress: progress}
}
