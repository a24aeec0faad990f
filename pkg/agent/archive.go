package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// recordEvents journals what the store has committed. The events are not
// acknowledged before: when it fails they come again, and writing them twice is
// writing them once.
func (a *Agent) recordEvents(events []memory.Event) error {
	if a.Journal == nil {
		return nil
	}
	records := make([]journal.Record, 0, len(events))
	for i := range events {
		records = append(records, journal.Record{Event: &events[i]})
	}
	if err := a.Journal.Append(records...); err != nil {
		return fmt.Errorf("%w: %d events are stored and could not be journaled: %w", memory.ErrUnavailable, len(events), err)
	}
	return nil
}

// Journaled is a store that journals what people and models change in it by hand.
// Events are journaled by the agent, which knows when they are acknowledged.
func Journaled(store memory.Store, j *journal.Journal) memory.Store {
	if j == nil {
		return store
	}
	return &journaled{Store: store, journal: j}
}

type journaled struct {
	memory.Store
	journal *journal.Journal
	// changing keeps the journal's order that of the commits.
	changing sync.Mutex
}

func (s *journaled) append(r journal.Record) error {
	if err := s.journal.Append(r); err != nil {
		return fmt.Errorf("%w: the change was made, and a rebuilt store would lack it: %w", memory.ErrUnavailable, err)
	}
	return nil
}

// Amend implements memory.Store.
func (s *journaled) Amend(ctx context.Context, id string, c memory.Change) (before, after memory.Memory, err error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	before, after, err = s.Store.Amend(ctx, id, c)
	if err != nil || reflect.DeepEqual(before, after) {
		return before, after, err
	}
	return before, after, s.append(journal.Record{Amended: &journal.Amended{Change: c, Before: before}})
}

// RenameProject implements memory.Store.
func (s *journaled) RenameProject(ctx context.Context, key, name string) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	if err := s.Store.RenameProject(ctx, key, name); err != nil {
		return err
	}
	return s.append(journal.Record{Renamed: &journal.Renamed{Project: key, Name: name}})
}

// MergeProjects implements memory.Store.
func (s *journaled) MergeProjects(ctx context.Context, from, into string) (memory.Holding, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	moved, err := s.Store.MergeProjects(ctx, from, into)
	if err != nil {
		return moved, err
	}
	return moved, s.append(journal.Record{Merged: &journal.Merged{From: from, Into: into}})
}

// PurgeProject implements memory.Store. What is purged leaves the journal first:
// should the agent be killed in between, it is purged again, and nothing comes
// back.
func (s *journaled) PurgeProject(ctx context.Context, key string) (memory.Holding, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	aliases, err := s.Aliases(ctx)
	if err != nil {
		return memory.Holding{}, err
	}
	isPurged := func(project string) bool { return project == key || aliases[project] == key }
	if _, err := s.journal.Remove(func(r journal.Record) bool { return concerns(r, isPurged) }); err != nil {
		return memory.Holding{}, fmt.Errorf("purge project %s: %w", key, err)
	}
	held, err := s.Store.PurgeProject(ctx, key)
	if err != nil {
		return held, err
	}
	return held, s.append(journal.Record{Purged: &journal.Purged{Project: key}})
}

// PurgeAll implements memory.Store.
func (s *journaled) PurgeAll(ctx context.Context) (memory.Holding, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	if _, err := s.journal.Remove(func(journal.Record) bool { return true }); err != nil {
		return memory.Holding{}, fmt.Errorf("purge everything: %w", err)
	}
	held, err := s.Store.PurgeAll(ctx)
	if err != nil {
		return held, err
	}
	return held, s.append(journal.Record{Purged: &journal.Purged{}})
}

// concerns tells whether a record is about one of the projects.
func concerns(r journal.Record, isOne func(key string) bool) bool {
	switch {
	case r.Event != nil:
		return isOne(r.Event.Project.Key)
	case r.Amended != nil:
		return isOne(r.Amended.Before.Project)
	case r.Renamed != nil:
		return isOne(r.Renamed.Project)
	case r.Merged != nil:
		return isOne(r.Merged.Into)
	case r.Purged != nil:
		return isOne(r.Purged.Project)
	}
	return false
}

// Backup writes a backup of the store: to a file, or among the daily ones, which
// are then rotated.
func (a *Agent) Backup(ctx context.Context, file, version string) (agentapi.BackupResult, error) {
	a.backingUp.Lock()
	defer a.backingUp.Unlock()
	var result agentapi.BackupResult
	now := a.Now()
	daily := file == ""
	if daily {
		if err := os.MkdirAll(a.Backups, 0o700); err != nil {
			return result, fmt.Errorf("make the directory of the backups: %w", err)
		}
		file = filepath.Join(a.Backups, backup.Name(now))
	}
	if !filepath.IsAbs(file) {
		return result, fmt.Errorf("back up to %q: name an absolute path: %w", file, memory.ErrInvalid)
	}
	made, err := backup.Write(ctx, a.Store, file, version, now)
	if err != nil {
		return result, err
	}
	result = agentapi.BackupResult{
		File: made.File, Bytes: made.Bytes, Rows: made.Header.Rows(), SchemaVersion: made.Header.SchemaVersion, CreatedAt: made.Header.CreatedAt,
	}
	if daily {
		result.Deleted, err = backup.Rotate(a.Backups, a.Config.Backup.Keep)
	}
	a.Log.Info("backed up", "file", made.File, "rows", result.Rows, "bytes", made.Bytes, "deleted", len(result.Deleted))
	return result, err
}

func (s *Service) backup(ctx context.Context, p agentapi.BackupParams) (agentapi.BackupResult, error) {
	return s.Agent.Backup(ctx, p.File, s.Version)
}

// archiveCheck is how often it is looked whether a backup is due. A machine that
// slept or was off at the time makes it up within this.
const archiveCheck = "@every 10m"

// scheduleArchive has the journal tended, and a backup made when one is due.
func (s *Service) scheduleArchive(ctx context.Context, c *cron.Cron) {
	var when cron.Schedule
	if expression := s.Agent.Config.Backup.Cron; expression != "" {
		parsed, err := cron.ParseStandard(expression)
		if err != nil {
			s.Agent.Log.Error("there are no daily backups: backup.cron cannot be used", "error", err)
		} else {
			when = parsed
		}
	}
	if _, err := c.AddFunc(archiveCheck, func() { s.archive(ctx, when) }); err != nil {
		s.Agent.Log.Error("there are no daily backups", "error", err)
	}
}

func (s *Service) archive(ctx context.Context, when cron.Schedule) {
	a := s.Agent
	if a.Journal != nil {
		if _, err := a.Journal.Tend(a.Config.Backup.JournalDays); err != nil {
			a.Log.Error("the journal could not be tended", "error", err)
		}
	}
	if when == nil || a.Backups == "" {
		return
	}
	due, err := a.backupDue(ctx, when)
	if err == nil && due {
		_, err = a.Backup(ctx, "", s.Version)
	}
	if err != nil && ctx.Err() == nil {
		a.Log.Error("the daily backup failed; it is tried again", "error", err, "next try", archiveCheck)
	}
}

// backupDue tells whether the schedule has come round since the newest backup. A
// store that holds nothing yet needs none.
func (a *Agent) backupDue(ctx context.Context, when cron.Schedule) (bool, error) {
	there, err := backup.List(a.Backups)
	if err != nil {
		return false, err
	}
	var last time.Time
	if len(there) > 0 {
		last, _ = backup.MadeAt(there[0])
	}
	if now := a.Now(); when.Next(last.In(now.Location())).After(now) {
		return false, nil
	}
	tables, err := a.Store.Tables(ctx)
	for _, table := range tables {
		if table.Rows > 0 && memory.Precious(table.Name) {
			return true, nil
		}
	}
	return false, err
}
