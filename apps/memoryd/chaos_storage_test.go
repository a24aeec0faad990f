//go:build linux

package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

var storageFaults = []fault{
	{"disk of the data full (tmpfs)", inFull(3), fillDataDisk},
	{"disk of the whole home full (tmpfs)", times(1, 3), fillHomeDisk},
	{"store's files damaged while it runs", inFull(5), damageStore},
	{"store's files deleted while no daemon runs", inFull(5), deleteStore},
	{"write-ahead log cut, changed or deleted while no daemon runs", inFull(6), damageLog},
	{"write-ahead log cut, changed or deleted between two engines of one daemon", inFull(3), damageLogUnderDaemon},
	{"store's files deleted under the engine", inFull(5), deleteStoreUnderEngine},
	{"newest backup dated a year ahead, then the store's files damaged", inFull(3), backUpAhead},
	{"database on a remote server deleted (events since then)", inFull(5), deleteDatabase},
	{"journal cannot be written", inFull(5), blockJournal},
}

// fill leaves no room on a disk, and returns the file that takes it.
func fill(t *testing.T, disk string) string {
	t.Helper()
	filler := filepath.Join(disk, "filler")
	if output, err := exec.CommandContext(t.Context(), "sh", "-c", `cat /dev/zero > "$0"`, filler).CombinedOutput(); err == nil {
		t.Fatalf("the disk does not end: %s", output)
	}
	return filler
}

func fillDataDisk(t *testing.T, c *chaos, runs int) {
	disk := enginetest.SmallDisk(t, 24)
	musttest.Do(t, errors.Join(os.MkdirAll(c.home.layout.Home, 0o700), os.Mkdir(filepath.Join(disk, "data"), 0o700), os.Symlink(filepath.Join(disk, "data"), c.home.layout.Data())))
	c.start(t)
	c.awaitReady(t)
	c.size = 6000
	for range runs {
		filler := fill(t, disk)
		c.await(t, "the daemon to say that the storage fails", func() bool { // an engine may have some room set aside
			c.prompts(t, 20)
			status, err := c.status(t)
			return err == nil && status.State != "ready"
		})
		if c.waiting(t) == 0 {
			t.Error("nothing waits")
		}
		musttest.Do(t, os.Remove(filler))
		c.awaitReady(t)
	}
}

func fillHomeDisk(t *testing.T, c *chaos, runs int) {
	disk := enginetest.SmallDisk(t, 24)
	c.layout.Home = filepath.Join(disk, "home")
	c.home.env = append(c.home.env, "MEMORY_HOME="+c.layout.Home)
	c.env = append(c.env, "MEMORY_HOME="+c.layout.Home)
	c.start(t)
	c.awaitReady(t)
	c.size = 6000
	for range runs {
		filler := fill(t, disk)
		c.prompts(t, 20) // they wait below HOME
		musttest.Do(t, os.Remove(filler))
		c.prompts(t, 20)
	}
}

// noticed waits until the daemon has rebuilt the store, and lets it do so again, which it does once in an hour.
func (c *chaos) noticed(t *testing.T) {
	t.Helper()
	c.await(t, "the notice", func() bool {
		status, err := c.status(t)
		return err == nil && status.State == "ready" && status.Notice != ""
	})
	long := time.Now().Add(-2 * time.Hour)
	musttest.Do(t, os.Chtimes(c.layout.StoreNotice(), long, long))
}

func (c *chaos) hasNoNotice() bool {
	info, err := os.Stat(c.layout.StoreNotice())
	return err != nil || time.Since(info.ModTime()) > time.Hour
}

// damage breaks the store's files between two lots of prompts, and waits for the daemon to have rebuilt them.
func (c *chaos) damage(t *testing.T) {
	t.Helper()
	c.prompts(t, 10)
	c.isStored(t)
	c.breakManifest(t)
	kill(t, c.enginePID(t))
	c.prompts(t, 10)
	c.awaitNewNotice(t)
}

func damageStore(t *testing.T, c *chaos, runs int) {
	c.start(t)
	for range runs {
		c.damage(t)
	}
}

// awaitNewNotice is noticed for a notice that was not there before.
func (c *chaos) awaitNewNotice(t *testing.T) {
	t.Helper()
	c.await(t, "a new notice", func() bool { return !c.hasNoNotice() })
	c.noticed(t)
}

func deleteStore(t *testing.T, c *chaos, runs int) {
	for range runs {
		c.prompts(t, 10)
		c.count(t, c.in)
		musttest.Do(t, os.RemoveAll(c.layout.Data()))
		c.prompts(t, 10)
		c.start(t)
		c.awaitNewNotice(t)
	}
}

// damageLog removes the last writes from the store, which a restarted engine does not notice.
func damageLog(t *testing.T, c *chaos, runs int) {
	for n := range runs {
		c.prompts(t, 10)
		a := c.start(t)
		c.isStored(t)
		enginePID := c.enginePID(t)
		kill(t, a.cmd.Process.Pid) // an orderly end may write the log into the tables
		_ = a.cmd.Wait()           // the error is that it was killed
		c.await(t, "the engine to end", func() bool { return isGoneProcess(enginePID) })
		c.spoilLogs(t, n%3)
		c.prompts(t, 10)
		c.start(t)
		c.awaitNewNotice(t)
		c.count(t, c.in)
	}
}

// damageLogUnderDaemon makes the daemon restart its engine on a log that was damaged meanwhile, with waiting events that
// must not be stored on top of the rest.
func damageLogUnderDaemon(t *testing.T, c *chaos, runs int) {
	a := c.start(t)
	for n := range runs {
		c.prompts(t, 10)
		c.isStored(t)
		enginePID := c.enginePID(t)
		freeze(t, a.cmd.Process.Pid) // it would start another engine at once
		kill(t, enginePID)
		c.await(t, "the engine to end", func() bool { return isGoneProcess(enginePID) })
		c.spoilLogs(t, n%3)
		c.prompts(t, 10)
		musttest.Do(t, syscall.Kill(a.cmd.Process.Pid, syscall.SIGCONT))
		c.awaitNewNotice(t)
	}
}

// spoilLogs spoils the store's write-ahead logs.
func (c *chaos) spoilLogs(t *testing.T, how int) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(c.layout.Data(), "*.log"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("logs %v, %v", logs, err)
	}
	for _, log := range logs {
		musttest.Do(t, spoil(log, how))
	}
}

// spoil truncates a file, changes its middle, or deletes it.
func spoil(file string, how int) error {
	content, err := os.ReadFile(file)
	middle := len(content) / 2
	switch {
	case err != nil || how == 2:
		return errors.Join(err, os.Remove(file))
	case how == 0:
		return os.Truncate(file, int64(middle))
	}
	for i := range min(64, len(content)-middle) {
		content[middle+i] ^= 0xff
	}
	return os.WriteFile(file, content, 0o600)
}

func deleteStoreUnderEngine(t *testing.T, c *chaos, runs int) {
	c.start(t)
	for range runs {
		c.prompts(t, 10)
		c.isStored(t)
		musttest.Do(t, os.RemoveAll(c.layout.Data()))
		kill(t, c.enginePID(t))
		c.prompts(t, 10)
		c.awaitNewNotice(t)
	}
}

// backUpAhead leaves, of all backups, one that was made while the clock was a year ahead, and the later events.
func backUpAhead(t *testing.T, c *chaos, runs int) {
	c.start(t)
	for n := range runs {
		c.prompts(t, 10)
		c.isStored(t)
		var made daemonapi.BackupResult
		c.call(t, daemonapi.MethodBackup.Call("", &made))
		wrong := filepath.Join(c.layout.Backups(), backup.Name(time.Now().AddDate(1, 0, n)))
		musttest.Do(t, os.Rename(made.File, wrong))
		c.damage(t)
	}
}

// deleteDatabase does what a server's administrator may do. The daemon cannot restore the contents: only later events count.
func deleteDatabase(t *testing.T, c *chaos, runs int) {
	change, database := c.serve(t)
	c.start(t)
	for range runs {
		c.prompts(t, 10)
		c.isStored(t)
		change("REMOVE DATABASE " + database)
		c.in, c.most = 0, 0
		c.prompts(t, 10)
	}
}

// blockJournal puts a file in the journal's place before the daemon writes to it.
func blockJournal(t *testing.T, c *chaos, runs int) {
	for range runs {
		c.prompts(t, 5)
		aside := c.layout.Journal() + ".aside"
		err := os.Rename(c.layout.Journal(), aside)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		musttest.Do(t, errors.Join(os.MkdirAll(aside, 0o700), os.WriteFile(c.layout.Journal(), nil, 0o600)))
		c.start(t)
		c.await(t, "the daemon to say why events wait", func() bool {
			log, _ := os.ReadFile(c.layout.DaemonLog())
			return strings.Contains(string(log), "stored but not journaled")
		})
		c.prompts(t, 5)
		musttest.Do(t, errors.Join(os.Remove(c.layout.Journal()), os.Rename(aside, c.layout.Journal())))
		c.count(t, c.in)
		musttest.Do(t, os.Remove(c.layout.DaemonLog()))
	}
}
