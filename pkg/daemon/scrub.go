package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/backup"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/purged"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
)

// Scrub removes secrets, or what a person purges, from the rows, the journal, the backups, the logs and the engine's
// files. A purge also deletes dead letters that contain something of it. No copy is kept, so a scrub is irreversible.
type Scrub struct {
	Options // Run needs Texts
	// Projects deletes the projects that were purged on other machines.
	Projects *Projects
}

// Run searches everything stored, and with p.Apply removes secrets or what p names. After an interruption, the next
// run continues.
func (r *Scrub) Run(ctx context.Context, p daemonapi.ScrubParams) (daemonapi.ScrubResult, error) {
	result := daemonapi.ScrubResult{
		Kinds: map[string]int{}, Backups: []daemonapi.ScrubbedBackup{},
		Failed: []string{},
	}
	c := &cleaner{kinds: result.Kinds, remove: redact.Text}
	plan := purgePlan{sweep: memory.Sweep{Clean: c.clean}}
	if p.IsPurge() {
		if _, err := r.Projects.Intake.Ingest(ctx); err != nil && p.Apply {
			return result, fmt.Errorf("nothing was purged, because the waiting events could not be stored first: %w", err)
		}
	}
	makePlan := func(ctx context.Context) (err error) {
		if p.IsPurge() {
			plan, err = r.purgeOf(ctx, p, c, &result)
		}
		return err
	}
	if !p.Apply {
		if err := makePlan(ctx); err != nil {
			return result, err
		}
		return result, r.run(ctx, p.Apply, c, plan.sweep, &result)
	}
	var notPlanned error
	err := r.Projects.Intake.Rewrite(ctx, func(ctx context.Context) error {
		if notPlanned = makePlan(ctx); notPlanned != nil { // made within Rewrite, so that nothing is stored meanwhile
			return notPlanned
		}
		list := plan.list
		if list != nil {
			if err := plan.first.Save(r.Layout.Purged()); err != nil { // before the deletion, so that nothing of it is stored again
				return err
			}
		}
		if err := r.run(ctx, p.Apply, c, plan.sweep, &result); err != nil || list == nil {
			return err
		}
		for _, key := range plan.emptied {
			if _, err := r.Projects.remove(ctx, key); err != nil {
				return err
			}
		}
		return list.Save(r.Layout.Purged())
	})
	if notPlanned != nil {
		return result, notPlanned
	}
	if err != nil {
		return result, fmt.Errorf("remove texts from everything that is stored (run the command again to continue): %w", err)
	}
	what := "secrets were removed from stored texts"
	if p.IsPurge() {
		what = "purged"
	}
	r.Log.Info(what, "deleted", result.Deleted, "cleaned", result.Cleaned, "journal", result.Journal.Records,
		"backups", len(result.Backups), "logs", result.Logs)
	return result, nil
}

// purgePlan is what a purge will do.
type purgePlan struct {
	list *purged.List // everything purged
	// first is the list that is saved before the purge. It lacks the projects that other machines have purged since the last exchange: if
	// this purge is interrupted, the next purge deletes them. list contains these projects, so that a later purge does not delete one again that has got new rows.
	first   *purged.List
	emptied []string // keys of the projects of which nothing stays
	sweep   memory.Sweep
}

// purgeOf returns the plan to remove what p names.
func (r *Scrub) purgeOf(ctx context.Context, p daemonapi.ScrubParams, c *cleaner, result *daemonapi.ScrubResult) (plan purgePlan, err error) {
	plan.sweep = memory.Sweep{Clean: c.clean, Whole: true, Memories: map[string]bool{}, Gone: map[string][]memory.Sighting{}, Stay: map[string][]memory.Sighting{}}
	texts, sessions := slices.Clone(p.Words), []string{}
	for _, id := range p.Memories {
		m, err := memory.Find(ctx, r.Projects.Store, id)
		if err != nil {
			return plan, err
		}
		texts, plan.sweep.Memories[m.ID] = append(texts, m.Content), true
		result.Named = append(result.Named, m.Content)
	}
	if p.Session != "" {
		sessions = append(sessions, p.Session)
	}
	known, err := purged.Load(r.Layout.Purged())
	if err != nil {
		return plan, err
	}
	if plan.list, err = known.With(texts, slices.Sorted(maps.Keys(plan.sweep.Memories)), sessions); err != nil {
		return plan, err
	}
	if len(p.Elsewhere) > 0 {
		others := make([]*purged.List, len(p.Elsewhere))
		for i, text := range p.Elsewhere {
			if err := json.Unmarshal(text, &others[i]); err != nil || others[i] == nil {
				return plan, fmt.Errorf("read what was purged on another machine: %w: %w", err, memory.ErrInvalid)
			}
		}
		plan.list = known.Adding(others)
		plan.sweep = plan.list.Sweep()
		plan.sweep.Clean = c.clean
	}
	plan.sweep.IsSession = plan.list.HasSession
	c.remove = func(text string) (string, redact.Report) { return plan.list.Clean(text), redact.Report{} }
	fresh, first := plan.list.NewProjects(known)
	if plan.first = first; len(fresh) > 0 {
		plan.emptied, err = r.Projects.purgedElsewhere(ctx, fresh, &plan.sweep)
	}
	return plan, err
}

func (r *Scrub) run(ctx context.Context, apply bool, c *cleaner, sweep memory.Sweep, result *daemonapi.ScrubResult) (err error) {
	result.Swept, err = r.Texts.Sweep(ctx, apply, sweep)
	if errors.Is(err, memory.ErrUnavailable) || ctx.Err() != nil {
		return err
	}
	if err != nil { // the store refuses some rows; the rest is still removed
		result.Failed = append(result.Failed, c.clean(err.Error()))
	}
	c.quiet = len(result.Kinds) > 0 // the kinds were counted in the rows; the journal and the backups have copies
	if r.Journal != nil {
		rewritten, err := r.Journal.Rewrite(apply, false, func(record journal.Record) (journal.Record, bool) {
			return sweepRecord(record, c, sweep)
		})
		result.Journal = daemonapi.ScrubbedJournal(rewritten)
		if err != nil {
			return err
		}
	}
	if sweep.Whole {
		if err := r.deadLetters(apply, c, sweep, result); err != nil {
			return err
		}
	}
	if r.Backups != "" {
		if err := r.backups(ctx, apply, c, sweep, result); err != nil {
			return err
		}
	}
	if err := r.emptyLogs(apply, c, result); err != nil || !apply {
		return err
	}
	if err := r.Texts.Compact(ctx); err != nil {
		result.Failed = append(result.Failed, "the engine's own files: "+c.clean(err.Error()))
	}
	return nil
}

// sweepRecord returns the rest of a journal's record after a sweep, and whether it differs.
func sweepRecord(r journal.Record, c *cleaner, sweep memory.Sweep) (journal.Record, bool) {
	before, isOther := c.changed, false
	if sweep.Whole { // before the texts are cleaned, because ids may contain the words
		r, isOther = purge{sweep}.rest(r)
	}
	clean := memory.Cleaned[journal.Record]
	if sweep.Whole {
		clean = memory.CleanedTexts
	}
	cleaned := clean(r, c.clean)
	differs := isOther || c.changed > before
	if of, isKnown := memory.RowTypeOf(r.Row()); differs && isKnown && c.changed > before && sweep.IsWhole(of.Table) {
		return journal.Record{}, true
	}
	return cleaned, differs
}

// deadLetters deletes dead letters, and events that hooks have written since Run emptied the spools, if they contain something to
// remove. Without apply it only counts them.
func (r *Scrub) deadLetters(apply bool, c *cleaner, sweep memory.Sweep, result *daemonapi.ScrubResult) error {
	for _, s := range r.Projects.Spools.All() {
		_, err := s.Discard(func(e memory.Event) bool {
			before := c.changed
			_ = memory.CleanedTexts(e, c.clean)
			isGone := c.changed > before || sweep.Has(e.Session)
			if isGone {
				result.Spooled++
			}
			return apply && isGone
		})
		if err != nil && !r.Projects.Spools.IsRefused(s, err) {
			return err
		}
	}
	return nil
}

// emptyLogs truncates all logs, rotated ones included, and counts them; without apply it only counts. It does not replace the
// files, because running programs append to them.
func (r *Scrub) emptyLogs(apply bool, c *cleaner, result *daemonapi.ScrubResult) error {
	entries, err := os.ReadDir(r.Layout.Logs())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("list the logs: %w", err)
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			continue
		}
		result.Logs++
		if !apply {
			continue
		}
		if err := os.Truncate(filepath.Join(r.Layout.Logs(), entry.Name()), 0); err != nil { // the other logs are still emptied
			result.Failed = append(result.Failed, c.clean(err.Error()))
		}
	}
	return nil
}

func (r *Scrub) backups(ctx context.Context, apply bool, c *cleaner, sweep memory.Sweep, result *daemonapi.ScrubResult) error {
	files, err := backup.List(r.Backups)
	if err != nil {
		return err
	}
	for _, file := range files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rows, err := backup.Rewrite(file, apply, func(table string, row []byte) ([]byte, bool, error) {
			return r.SweepRow(table, row, sweep)
		})
		if err != nil { // damaged: the error is in result, and the other backups are still rewritten
			result.Failed = append(result.Failed, c.clean(err.Error()))
			continue
		}
		if rows > 0 {
			result.Backups = append(result.Backups, daemonapi.ScrubbedBackup{File: file, Rows: rows})
		}
	}
	return nil
}

// cleaner removes secrets, or purged words, from texts and counts what it removes.
type cleaner struct {
	remove  func(string) (string, redact.Report)
	kinds   map[string]int
	changed int  // number of texts changed
	quiet   bool // whether only texts are counted, not kinds
}

func (c *cleaner) clean(text string) string {
	cleaned, report := c.remove(text)
	if cleaned == text {
		return text
	}
	c.changed++
	if !c.quiet {
		for _, f := range report.Found {
			c.kinds[f.Kind] += f.Count
		}
	}
	return cleaned
}
