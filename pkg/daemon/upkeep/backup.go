package upkeep

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/backup"
)

// Backup writes a backup of the store to an absolute path. If file is empty it writes a daily backup, and rotates the
// daily backups.
func (u *Upkeep) Backup(ctx context.Context, file string) (daemonapi.BackupResult, error) {
	u.backingUp.Lock()
	defer u.backingUp.Unlock()
	var result daemonapi.BackupResult
	now := u.Now()
	daily := file == ""
	if daily {
		if err := os.MkdirAll(u.Backups, 0o700); err != nil {
			return result, fmt.Errorf("make the folder of the backups (setting backup.directory): %w", err)
		}
		file = filepath.Join(u.Backups, backup.Name(now))
	}
	if !filepath.IsAbs(file) {
		return result, fmt.Errorf("back up to %q: name an absolute path: %w", file, memory.ErrInvalid)
	}
	var made backup.Result
	err := u.Ledger.Snapshot(func(through string, taken func()) (err error) {
		made, err = backup.Write(ctx, u.Store, file, u.Version, now, through, taken)
		return err
	})
	if err != nil {
		return result, err
	}
	result = daemonapi.BackupResult{
		File: made.File, Bytes: made.Bytes, Rows: made.Header.Rows(),
	}
	if daily {
		result.Deleted, err = backup.Rotate(u.Backups, u.Config.Backup.Keep)
	}
	u.Log.Info("backed up", "file", made.File, "rows", result.Rows, "bytes", made.Bytes, "deleted", len(result.Deleted))
	return result, err
}

// BackupAt is the cron expression of the daily backup, in the local time zone: an hour in which no clock is changed.
const BackupAt = "37 5 * * *"

// archiveCheck is how often the daemon checks whether a backup is due. After the machine was asleep or off, the
// backup is made within this time.
const archiveCheck = 10 * time.Minute

// wrongClock is how far the newest backup may be in the future. A backup further ahead was dated by a wrong clock and is ignored.
const wrongClock = time.Hour

// Archive compresses and trims the journal, and makes a backup if one is due.
func (u *Upkeep) Archive(ctx context.Context, schedule cron.Schedule) {
	if u.Journal != nil {
		if err := u.Journal.Compact(u.Config.Backup.JournalDays); err != nil {
			u.Log.Error("old journal files could not be compressed or deleted", "error", err)
		}
	}
	if u.Backups == "" {
		return
	}
	due, err := u.backupDue(ctx, schedule)
	if err == nil && due {
		_, err = u.Backup(ctx, "")
	}
	if err != nil && ctx.Err() == nil {
		u.Log.Error("the daily backup failed; it is tried again", "error", err, "next try", archiveCheck)
	}
}

// backupDue reports whether a scheduled time has passed since the newest backup. An empty store needs no backup.
func (u *Upkeep) backupDue(ctx context.Context, schedule cron.Schedule) (bool, error) {
	there, err := backup.List(u.Backups)
	if err != nil {
		return false, err
	}
	var last time.Time
	now := u.Now()
	for _, path := range there { // see wrongClock
		if at, ok := backup.MadeAt(path); ok && at.After(last) && !at.After(now.Add(wrongClock)) {
			last = at
		}
	}
	if schedule.Next(last.In(now.Location())).After(now) {
		return false, nil
	}
	tables, err := memory.TablesOf(ctx, u.Store)
	return len(memory.UserTables(tables)) > 0, err
}
