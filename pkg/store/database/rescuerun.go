package database

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/gofrs/flock"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/resident"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/backup"
)

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
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("the daemon of %s still runs: end the process whose number is in %s, and run the command again: %w",
				r.Layout.Home, r.Layout.PIDFile(), ctx.Err())
		case <-time.After(lockPoll):
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
