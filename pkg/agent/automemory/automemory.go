// Package automemory imports the memory that Claude Code keeps of a project by itself, as
// facts: a file that changes replaces its facts, and one that goes has them archived. It reads
// in the background, after something happened in a session, and only the folder in which the
// client has that memory. It writes nothing there, and follows no link out of it.
package automemory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/filestate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Store reads memories. Package storetest describes the method.
type Store interface {
	memory.RowReader
}

// Intake stores facts and changes them.
type Intake interface {
	Becomes(e memory.Event) []memory.Memory
	Import(ctx context.Context, p agentapi.ImportParams) (agentapi.ImportResult, error)
	Amend(ctx context.Context, p agentapi.AmendParams) (agentapi.AmendResult, error)
}

// Options configure an AutoMemory.
type Options struct {
	Store  Store
	Intake Intake
	// Client is the directory of Claude Code's settings; empty: nothing is read.
	Client string
	// File keeps the record of the files that were read; empty: it ends with the process.
	File string
	Log  *slog.Logger
	Now  func() time.Time
}

// AutoMemory imports the client's memory of projects. Its methods are safe for concurrent use.
type AutoMemory struct {
	Options
	looks filestate.Looks

	reading sync.Mutex // held while folders are read; guards record
	record  record

	mu   sync.RWMutex
	due  map[string]memory.Project    // by root
	held map[string]map[string]string // by root: the file of each fact, by id
}

// New makes an AutoMemory, which begins with the record in File.
func New(o Options) *AutoMemory {
	a := &AutoMemory{Options: o, due: map[string]memory.Project{}}
	a.record = load(o.File, o.Log)
	a.held = a.record.held()
	return a
}

// Of names the file from which the client, where it works on a project at this root, loads a
// fact by itself; empty if there is none. It does not wait.
func (a *AutoMemory) Of(root, id string) string {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.held[root][id]
}

// moments are the events after which the client may have written into its memory.
var moments = []memory.EventKind{memory.EventSessionStarted, memory.EventTurnEnded, memory.EventSessionEnded}

// Committed notes the projects whose folder is to be read. It does not wait.
func (a *AutoMemory) Committed(_ context.Context, c intake.Committed) {
	if a.Client == "" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range c.Events {
		if slices.Contains(moments, e.Kind) && filestate.IsProject(e.Project.Root) {
			a.due[e.Project.Root] = e.Project
		}
	}
}

// Check reads the folders that are due, unless another call does. While the store is not there
// they stay due; after another failure they are due with the next event.
func (a *AutoMemory) Check(ctx context.Context) {
	if !a.reading.TryLock() {
		return
	}
	defer a.reading.Unlock()
	a.mu.Lock()
	due := a.due
	a.due = map[string]memory.Project{}
	a.mu.Unlock()
	for _, root := range slices.Sorted(maps.Keys(due)) {
		err := a.take(ctx, due[root])
		switch {
		case err == nil:
		case ctx.Err() != nil, errors.Is(err, memory.ErrUnavailable):
			a.mu.Lock()
			if _, isDue := a.due[root]; !isDue {
				a.due[root] = due[root]
			}
			a.mu.Unlock()
		default:
			a.Log.Warn("the client's own memory of a project could not be imported", "project", due[root].Key, "error", err)
		}
	}
}

// take brings the store to the state of the client's memory of a project.
func (a *AutoMemory) take(ctx context.Context, where memory.Project) error {
	folder := folderOf(a.Client, where.Root)
	before := a.record.of(where.Key, folder)
	if folder == "" { // the client neither loads nor writes it
		a.record.leave(where.Root)
		return a.keep()
	}
	found, isKnown := filestate.Look(ctx, &a.looks, folder, lookTime,
		func() listing { return list(a.Client, folder, before.Files) })
	if !isKnown {
		return fmt.Errorf("read %s: its file system does not answer", folder)
	}
	for _, name := range slices.Sorted(maps.Keys(found.refused)) {
		a.Log.Info("a file of the client's memory is left out", "project", where.Key, "file", name, "reason", found.refused[name])
	}
	var events []memory.Event
	for name, text := range found.texts {
		made := a.eventsOf(where, name, text, found)
		f := found.files[name]
		for _, e := range made {
			for _, m := range a.Intake.Becomes(e) {
				f.Facts = append(f.Facts, m.ID)
			}
		}
		found.files[name] = f
		events = append(events, made...)
	}
	if err := a.store(ctx, events); err != nil {
		return err
	}
	after := reading{Files: found.files, Roots: before.Roots}
	err := a.follow(ctx, where, folder, before, after, found.isPartial)
	if ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	a.record.set(where.Key, folder, where.Root, after)
	return errors.Join(err, a.keep())
}

// eventsOf are those that store the facts of a file.
func (a *AutoMemory) eventsOf(where memory.Project, name string, text []byte, found listing) []memory.Event {
	facts, err := importer.AutoMemoryFile(name, text, found.has)
	if err != nil {
		a.Log.Info("a file of the client's memory is left out", "project", where.Key, "file", name, "reason", err)
		return nil
	}
	at := found.files[name].Modified.UTC()
	var events []memory.Event
	for _, m := range facts[:min(len(facts), mostFacts)] {
		// Facts of one day are of one session, so that at a start many files are not many
		// sessions that came after others.
		session := memory.NewImportID(importer.TagAutoMemory, where.Key, at.Format(time.DateOnly))
		m.Session, m.CreatedAt, m.LastSeenAt = session, at, at
		events = append(events, memory.Event{
			ID: memory.NewImportID(importer.TagAutoMemory, where.Key, memory.Normalise(m.Content)), At: at,
			Kind:    memory.EventImported,
			Session: session, Project: where, Import: &memory.Import{Memory: &m},
		})
	}
	return events
}

func (a *AutoMemory) store(ctx context.Context, events []memory.Event) error {
	for part := range slices.Chunk(events, agentapi.MaxImport) {
		result, err := a.Intake.Import(ctx, agentapi.ImportParams{Events: part})
		if err != nil {
			return err
		}
		for _, refused := range result.Refused {
			a.Log.Warn("a fact of the client's memory could not be stored", "reason", refused.Reason)
		}
	}
	return nil
}

// follow archives the facts that no file has any more, and restores those that it archived and
// a file has again. Where not all files are known, none is archived.
func (a *AutoMemory) follow(
	ctx context.Context, where memory.Project, folder string, before, after reading, isPartial bool,
) error {
	were, are := before.facts(), after.facts()
	elsewhere := a.record.elsewhere(where.Key, folder)
	var ids []string
	for id := range are {
		if _, was := were[id]; !was {
			ids = append(ids, id)
		}
	}
	for id := range were {
		if _, is := are[id]; !is && !isPartial && !elsewhere[id] {
			ids = append(ids, id)
		}
	}
	var failed error
	for part := range slices.Chunk(ids, rowsAtOnce) {
		rows, err := a.Store.Rows(ctx, memory.WithIDs(part))
		if err != nil {
			return fmt.Errorf("read which facts of the client's memory are stored: %w", err)
		}
		for _, row := range rows {
			_, is := are[row.Memory.ID]
			failed = cmp.Or(failed, a.settle(ctx, row, is, after.reason(were[row.Memory.ID])))
		}
	}
	return failed
}

// rowsAtOnce bounds the rows that are asked for in one query.
const rowsAtOnce = 500

// By is the By of the changes that follow the client's files.
const By = "auto-memory"

// settle archives a fact that no file has, or restores one that a file has again.
func (a *AutoMemory) settle(ctx context.Context, row memory.Row, isThere bool, reason string) error {
	m, now := row.Memory, a.Now().UTC()
	c := memory.Change{ID: memory.NewEventID(now), At: now, By: By}
	isWithdrawn := m.Status == memory.StatusArchived && m.HasTag(memory.TagWithdrawn)
	switch {
	case isThere && isWithdrawn:
		c.Status, c.RemoveTags, c.Reason = memory.StatusActive, []string{memory.TagWithdrawn}, "the client's memory has it again"
	case !isThere && mayArchive(row):
		c.Status, c.AddTags, c.Reason = memory.StatusArchived, []string{memory.TagWithdrawn}, reason
	default:
		return nil
	}
	_, err := a.Intake.Amend(ctx, agentapi.AmendParams{Project: m.Project, ID: m.ID, Change: c})
	if errors.Is(err, memory.ErrUnavailable) {
		return err
	}
	if err != nil { // it would fail each time
		a.Log.Warn("a fact of the client's memory could not be changed", "memory", m.ID, "to", c.Status, "error", err)
	}
	return nil
}

// mayArchive reports whether a fact may be archived with its file: not if somebody asked to keep it.
func mayArchive(row memory.Row) bool {
	if row.Memory.Status == memory.StatusQuarantined {
		row.Memory.Status = memory.StatusActive
	}
	return row.Memory.HasTag(importer.TagAutoMemory) && row.WhyStands() == ""
}

// keep writes the record, and has Of answer by it.
func (a *AutoMemory) keep() error {
	a.mu.Lock()
	a.held = a.record.held()
	a.mu.Unlock()
	return a.record.save(a.File)
}

// Discard drops the records of projects.
func (a *AutoMemory) Discard(isOf func(project string) bool) error {
	a.reading.Lock()
	defer a.reading.Unlock()
	maps.DeleteFunc(a.record.Projects, func(key string, _ map[string]*reading) bool { return isOf(key) })
	return a.keep()
}
