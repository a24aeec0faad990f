package resident

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

const (
	// orphanMark is the file with which the client marks the folder of an uninstalled or replaced plugin.
	orphanMark = ".orphaned_at"
	// installedFile is the client's list of installed plugins, below its own folder.
	installedFile = "plugins/installed_plugins.json"
	pluginPrefix  = "surrealdb-memory@"

	// missingLooks is how many looks in a row must miss the program before the daemon ends: a build deletes it for a moment.
	missingLooks = 3
	// lingering is how long the daemon of an uninstalled plugin waits for a session that still runs.
	lingering = 30 * time.Second
	// mostPath is the maximum number of bytes of the PATH after adopting a caller's.
	mostPath = 32 << 10
)

// Home describes the home that the daemon serves.
type Home struct {
	paths.Layout
	Config   config.Config
	Problems []config.Problem // problems with the settings
	Getenv   func(string) string
	Build    Build // build of this program; its version may come from the plugin (WithPluginVersion)
}

// Self is this process as the daemon of its home: its lock, its program, and its successor. Its methods are safe for
// concurrent use.
type Self struct {
	home      Home
	lock      fs.FileInfo // the lock file that this process holds
	program   string      // path of this executable
	image     fs.FileInfo // this executable's file when the process started
	installed string      // path of the client's list of plugins
	log       *slog.Logger

	mu        sync.Mutex
	missing   int // number of looks in a row that did not find the program
	wasListed bool
	listRead  time.Time       // modification time of the list when it was read
	successor string          // program that takes over
	asked     map[string]bool // whether each program that was asked is newer, by its path, size and time
}

// newSelf returns the Self of this process, which must hold lock. It fails if it cannot find its own program.
func newSelf(home Home, lock fs.FileInfo, log *slog.Logger) (*Self, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	image, err := os.Stat(program)
	if err != nil {
		return nil, err
	}
	home.Build = home.Build.WithPluginVersion(program)
	s := &Self{
		home: home, lock: lock, program: program, image: image,
		installed: filepath.Join(paths.ClientDir(home.Getenv), installedFile), log: log,
	}
	s.isUnlisted() // reads the list as it is at the start
	return s, nil
}

// Owns reports whether the home still has the lock file that this process holds. It has not if the home was deleted or replaced.
func (s *Self) Owns() bool {
	info, err := os.Stat(s.home.Lock())
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) // an unreadable file is not a missing one
	}
	return os.SameFile(info, s.lock)
}

// Abandoned returns why this daemon is not needed any more, or "". It must be called every few seconds.
func (s *Self) Abandoned(unused time.Duration) string {
	if !s.Owns() {
		return intake.ErrHomeLost.Error()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := os.Stat(s.program); errors.Is(err, fs.ErrNotExist) {
		if s.missing++; s.missing >= missingLooks {
			return "its program " + s.program + " is gone"
		}
		return ""
	}
	s.missing = 0
	if unused < lingering {
		return ""
	}
	if _, err := os.Stat(filepath.Join(paths.InstalledRoot(s.program), orphanMark)); err == nil {
		return "its plugin was uninstalled or replaced"
	}
	if s.isUnlisted() {
		return "its plugin was uninstalled"
	}
	return ""
}

// isUnlisted reports whether the plugin has disappeared from the client's list since this daemon started. A plugin
// that is used without being installed never was in the list.
func (s *Self) isUnlisted() bool {
	info, err := os.Stat(s.installed)
	if err != nil || info.ModTime().Equal(s.listRead) {
		return false
	}
	content, err := os.ReadFile(s.installed)
	var list struct {
		Plugins map[string]json.RawMessage `json:"plugins"`
	}
	if err != nil || json.Unmarshal(content, &list) != nil {
		return false // the client may be writing it
	}
	listed := false
	for name := range list.Plugins {
		listed = listed || strings.HasPrefix(name, pluginPrefix)
	}
	gone := s.wasListed && !listed
	if !gone {
		s.wasListed, s.listRead = listed, info.ModTime()
	}
	return gone
}

// IsOlderThan reports whether a caller's daemon is a newer build than this one. If so, that daemon becomes the successor, unless
// there is one already. The caller's program is asked for its build; the time of its file proves nothing, because archives keep
// old times.
func (s *Self) IsOlderThan(ctx context.Context, caller daemonapi.Caller) bool {
	if !filepath.IsAbs(caller.Program) || filepath.Base(caller.Program) != filepath.Base(s.program) {
		return false
	}
	info, err := os.Stat(caller.Program)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o100 == 0 || os.SameFile(info, s.image) {
		return false
	}
	if !s.isNewer(ctx, caller.Program, info) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.successor != "" {
		return false
	}
	s.log.Info("a newer daemon was installed", "program", caller.Program)
	s.successor = caller.Program
	return true
}

// isNewer reports whether a program is a newer build. It asks each program once.
func (s *Self) isNewer(ctx context.Context, program string, file fs.FileInfo) bool {
	one := fmt.Sprint(program, file.Size(), file.ModTime().UnixNano())
	s.mu.Lock()
	isNewer, isKnown := s.asked[one]
	s.mu.Unlock()
	if isKnown {
		return isNewer
	}
	theirs, err := buildOf(ctx, program)
	if ctx.Err() != nil {
		return false
	}
	if err != nil {
		s.log.Info("a caller's daemon does not report its build, so it counts as older", "error", err)
	}
	isNewer = err == nil && s.home.Build.compare(theirs) < 0
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked == nil {
		s.asked = map[string]bool{}
	}
	s.asked[one] = isNewer
	return isNewer
}

// If a caller's PATH has new folders, AdoptPath puts it before this process's and returns true, unless the two have more than mostPath bytes.
func (s *Self) AdoptPath(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := filepath.SplitList(os.Getenv("PATH"))
	var all []string
	news := false
	for _, dir := range append(filepath.SplitList(path), known...) {
		if filepath.IsAbs(dir) && !slices.Contains(all, dir) {
			all = append(all, dir)
			news = news || !slices.Contains(known, dir)
		}
	}
	joined := strings.Join(all, string(os.PathListSeparator))
	if !news || len(joined) > mostPath {
		return false
	}
	if err := os.Setenv("PATH", joined); err != nil {
		s.log.Warn("a caller's PATH cannot be used", "error", err)
		return false
	}
	s.log.Info("added the folders of a caller's PATH to the daemon's", "PATH", joined)
	return true
}

// follower returns the program to start after this daemon's end, or "".
func (s *Self) follower() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.successor
}
