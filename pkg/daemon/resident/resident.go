// Package resident makes this process the daemon of a home: it takes the home's lock, records the process there, ends
// it when it is not needed any more, and hands over to a newer daemon.
package resident

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/launcher"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
)

// maxLogBytes is the size from which a log is rotated when the daemon starts. One rotated file is kept.
const maxLogBytes = 4 << 20

// lockTime limits the wait for the lock, which the system releases some time after a daemon was killed.
const lockTime = 300 * time.Millisecond

// ErrServed means that another daemon serves the home.
var ErrServed = errors.New("another daemon serves this home")

// Run takes the home's lock, runs serve, and returns the program that is to take over, or "". It fails with
// ErrServed if another process is the daemon of the home.
func Run(
	ctx context.Context, home Home, serve func(context.Context, *Self, *slog.Logger) error,
) (successor string, err error) {
	if err := home.takeFolders(); err != nil {
		return "", fmt.Errorf("make the daemon's home: %w", err)
	}
	lock := flock.New(home.Lock(), flock.SetPermissions(0o600))
	waiting, cancel := context.WithTimeout(ctx, lockTime)
	mine, err := lock.TryLockContext(waiting, lockTime/10)
	cancel()
	if !mine && errors.Is(err, context.DeadlineExceeded) {
		return "", fmt.Errorf("%w: %s is held", ErrServed, home.Lock())
	}
	if err != nil {
		return "", lockError(home.Lock(), err)
	}
	defer func() { _ = lock.Unlock() }()
	locked, err := lock.Stat()
	if err != nil {
		return "", fmt.Errorf("%s cannot be examined: %w", home.Lock(), err)
	}

	logFile, err := OpenLog(home.DaemonLog())
	if err != nil {
		return "", err
	}
	defer func() { _ = logFile.Close() }()
	log := slog.New(slog.NewTextHandler(redact.Writer{To: logFile}, nil))
	for _, p := range home.Problems {
		log.Warn("a setting is not used", "setting", p.Key, "from", p.Origin, "reason", p.Message)
	}
	me, err := newSelf(home, locked, log)
	if err != nil {
		return "", fmt.Errorf("the daemon's own program cannot be found: %w", err)
	}
	if err := launcher.Refresh(home.Layout, paths.InstalledRoot(me.program)); err != nil {
		log.Warn("Codex, the user and the system may call an older version", "err", err)
	}
	// The heartbeat is written before the pid: this pid with an old heartbeat would look like a daemon that hangs.
	if err := os.WriteFile(home.Heartbeat(), nil, 0o600); err != nil {
		return "", fmt.Errorf("write the daemon's marker: %w", err)
	}
	if err := os.WriteFile(home.PIDFile(), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("write the daemon's pid: %w", err)
	}
	defer me.leave()

	log.Info("the daemon starts", "version", home.Build.Version, "pid", os.Getpid(), "home", home.Home)
	if err = serve(ctx, me, log); err != nil {
		log.Error("the daemon ends", "error", err)
	} else {
		log.Info("the daemon has ended")
	}
	return me.follower(), err
}

// leave removes the files that show that this daemon is running, unless they belong to another daemon.
func (s *Self) leave() {
	if !s.Owns() {
		return
	}
	_ = os.Remove(s.home.PIDFile())
	if s.follower() == "" {
		_ = os.Remove(s.home.StartMarker()) // lets the next hook start a daemon at once
	} else {
		_ = os.WriteFile(s.home.StartMarker(), nil, 0o600) // makes hooks of the older plugin wait for the newer daemon
	}
}

// takeFolders creates the folders that the daemon writes to, and closes them to other users, because the files in
// them are as accessible as their folder. It refuses folders that others can write to.
func (h Home) takeFolders() error {
	if err := private.EnsureDir(h.Home); err != nil {
		return err
	}
	if h.Config.Store.URL == "" {
		if err := private.EnsureDir(h.Data()); err != nil {
			return err
		}
	}
	return errors.Join(private.Make(h.Run()), private.Make(h.Logs()))
}

// OpenLog opens a log for appending, after rotating it if it is larger than maxLogBytes.
func OpenLog(file string) (*os.File, error) {
	if info, err := os.Stat(file); err == nil && info.Size() > maxLogBytes {
		if err := os.Rename(file, file+".old"); err != nil {
			return nil, fmt.Errorf("the log cannot be put aside: %w", err)
		}
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log: %w", err)
	}
	return f, nil
}

// ErrNoLocks means that the home's file system has no locks, so two daemons could run at once.
var ErrNoLocks = errors.New("the file system does not support file locks")

// lockError returns the error for a file that cannot be locked: ErrNoLocks if its file system has no locks.
func lockError(file string, err error) error {
	for _, none := range []error{syscall.ENOLCK, syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.EINVAL} {
		if errors.Is(err, none) {
			return fmt.Errorf("%w (%s, %w): two daemons could damage the store. Set MEMORY_HOME to a folder on a disk of this machine; until then events wait on disk",
				ErrNoLocks, filepath.Dir(file), err)
		}
	}
	return fmt.Errorf("lock %s: %w", file, err)
}

const (
	// smallHeap is the minimum limit of the heap, in bytes. Up to it, garbage is collected as often as by default.
	// With the program itself the daemon then takes less than 200 MB.
	smallHeap = 160 << 20
	// heapPause is the time between two adjustments of the limit.
	heapPause = 2 * time.Second
)

// KeepHeapSmall adjusts the runtime's memory limit to heapLimit until ctx ends. By default the heap may grow to twice
// the part in use, which is 100 MB too much for the index of a large project. It does nothing if GOMEMLIMIT is set.
func KeepHeapSmall(ctx context.Context) {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return
	}
	next := time.NewTicker(heapPause)
	defer next.Stop()
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	for {
		metrics.Read(sample)
		debug.SetMemoryLimit(heapLimit(sample[0].Value.Uint64()))
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
	}
}

// heapLimit returns the limit of the heap in bytes: a third above inUse. A lower one makes the daemon collect all the time.
func heapLimit(inUse uint64) int64 { return max(smallHeap, int64(inUse+inUse/3)) }
