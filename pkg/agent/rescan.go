package agent

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// TextStore rewrites the texts of its rows. clean may be called for any of them.
type TextStore interface {
	RewriteTexts(ctx context.Context, apply bool, clean func(string) string) (map[string]int, error)
}

// Rescan removes secrets from stored texts: the rows of the store, the journal, the backups
// and the logs. It keeps no copy of a secret, so a rescan cannot be undone.
type Rescan struct {
	Store  TextStore // nil: it cannot be done
	Intake rewriter
	// CleanRow has every text of a row in a backup changed.
	CleanRow func(row []byte, clean func(string) string) ([]byte, bool, error)
	// CleanRecord is a record of the journal, changed the same way.
	CleanRecord func(r journal.Record, clean func(string) string) journal.Record
	Journal     *journal.Journal // nil: there is none
	Backups     string           // the directory; empty: there are none
	Logs        string           // the directory; empty: there are none
	Log         *slog.Logger
}

// Run looks through store, journal, backups and logs, in this order, and with p.Apply
// takes out the secrets. Places that an interruption leaves are cleaned by the next run.
func (r *Rescan) Run(ctx context.Context, p agentapi.RescanParams) (agentapi.RescanResult, error) {
	result := agentapi.RescanResult{
		Kinds: map[string]int{}, Backups: []agentapi.RescannedBackup{},
		Logs: []agentapi.RescannedLog{}, Failed: []string{},
	}
	if r.Store == nil {
		return result, fmt.Errorf("the rows of this store cannot be rewritten: %w", memory.ErrInvalid)
	}
	c := &cleaner{kinds: result.Kinds}
	run := func(ctx context.Context) error { return r.run(ctx, p.Apply, c, &result) }
	if !p.Apply {
		return result, run(ctx)
	}
	err := r.Intake.Rewrite(ctx, run)
	if err != nil {
		return result, fmt.Errorf("remove secrets from stored texts (run it again, it goes on where it ended): %w", err)
	}
	r.Log.Info("secrets were removed from stored texts", "rows", result.Rows, "journal", result.Journal.Records,
		"backups", len(result.Backups), "logs", len(result.Logs))
	return result, nil
}

func (r *Rescan) run(ctx context.Context, apply bool, c *cleaner, result *agentapi.RescanResult) (err error) {
	if result.Rows, err = r.Store.RewriteTexts(ctx, apply, c.clean); err != nil {
		return err
	}
	c.quiet = len(result.Kinds) > 0 // the rest are copies of the same texts
	if r.Journal != nil {
		rewritten, err := r.Journal.Rewrite(apply, func(record journal.Record) (journal.Record, bool) {
			before := c.changed
			record = r.CleanRecord(record, c.clean)
			return record, c.changed > before
		})
		result.Journal = agentapi.RescannedJournal(rewritten)
		if err != nil {
			return err
		}
	}
	if r.Backups != "" {
		if err := r.backups(ctx, apply, c, result); err != nil {
			return err
		}
	}
	if r.Logs == "" {
		return nil
	}
	return emptyLogs(ctx, r.Logs, apply, c, result)
}

func (r *Rescan) backups(ctx context.Context, apply bool, c *cleaner, result *agentapi.RescanResult) error {
	files, err := backup.List(r.Backups)
	if err != nil {
		return err
	}
	for _, file := range files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rows, err := backup.Rewrite(file, apply, func(_ string, row []byte) ([]byte, bool,
			error,
		) {
			return r.CleanRow(row, c.clean)
		})
		if err != nil { // a damaged one is reported, and the others are rewritten
			result.Failed = append(result.Failed, c.clean(err.Error()))
			continue
		}
		if rows > 0 {
			result.Backups = append(result.Backups, agentapi.RescannedBackup{File: file, Rows: rows})
		}
	}
	return nil
}
