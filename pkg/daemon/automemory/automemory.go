// Package automemory imports, as facts, the memory that Claude Code itself keeps of a project. It reads MEMORY.md and the files
// linked from it in the background, when a session starts or ends. New facts of a changed file replace its old ones; the facts of
// a deleted file are archived. It never writes to these files, and follows no link out of their folder.
package automemory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/filestate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

type Options struct {
	Store  memory.RowReader
	Intake *intake.Intake
	// Standing lists the memories of a project and of the user that are not superseded.
	Standing func(ctx context.Context, project string) ([]memory.Memory, error)
	// Client is the directory of Claude Code's settings; if it is empty, nothing is read.
	Client string
	Log    *slog.Logger
	Now    func() time.Time
}

// AutoMemory imports the client's memory of projects. Its methods are safe for concurrent use.
type AutoMemory struct {
	Options
	reads filestate.ReadLimiter

	reading sync.Mutex // held while folders are read

	mu   sync.RWMutex
	due  map[string]memory.Project    // by root
	held map[string]map[string]string // the file of each fact, by the project's root and the fact's content
}

// New returns an AutoMemory that has read nothing yet.
func New(o Options) *AutoMemory {
	return &AutoMemory{Options: o, due: map[string]memory.Project{}, held: map[string]map[string]string{}}
}

// Of returns the file from which the client, at root, loads fact m by itself, or "". It reads a folder that was not read yet.
func (a *AutoMemory) Of(root string, m memory.Memory) string {
	a.mu.RLock()
	held, isRead := a.held[root]
	a.mu.RUnlock()
	if !isRead && a.Client != "" && filestate.IsProject(root) {
		folder := folderOf(a.Client, root)
		if found, isKnown := a.look(context.Background(), folder, answerTime); isKnown {
			held = a.hold(memory.Project{Key: root, Root: root}, folder, found)
		}
	}
	return held[m.Content]
}

// Committed marks the folders of sessions that started or ended: the client may have written to them. Check reads them.
func (a *AutoMemory) Committed(_ context.Context, c intake.Committed) {
	if a.Client == "" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range c.Events {
		isMoment := e.Kind == memory.EventSessionStarted || e.Kind == memory.EventSessionEnded
		if isMoment && filestate.IsProject(e.Project.Root) {
			a.due[e.Project.Root] = e.Project
		}
	}
}

// Check reads the marked folders, unless another call does so already. If the store is unavailable they stay marked;
// after another error they are read when a session next starts or ends.
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

// take makes the stored facts match the client's memory of a project.
func (a *AutoMemory) take(ctx context.Context, where memory.Project) error {
	folder := folderOf(a.Client, where.Root)
	found, isKnown := a.look(ctx, folder, lookTime)
	if !isKnown {
		return fmt.Errorf("read %s: its file system does not answer; the next session tries again", folder)
	}
	a.hold(where, folder, found)
	if folder == "" {
		return nil
	}
	events := a.eventsOf(where, folder, found)
	for part := range slices.Chunk(events, daemonapi.MaxImport) {
		result, err := a.Intake.Import(ctx, daemonapi.ImportParams{Events: part})
		if err != nil {
			return err
		}
		for _, refused := range result.Refused {
			a.Log.Warn("a fact of the client's memory could not be stored", "reason", refused.Reason)
		}
	}
	return a.follow(ctx, where, folder, a.becomes(events), found.isPartial)
}

// look lists a folder. It returns false if the file system does not answer within limit.
func (a *AutoMemory) look(ctx context.Context, folder string, limit time.Duration) (listing, bool) {
	if folder == "" { // the client does not use its memory
		return listing{}, true
	}
	return filestate.TryRead(ctx, &a.reads, folder, limit, func() listing { return list(a.Client, folder) })
}

// mostRoots is the maximum number of roots whose facts are kept. Beyond it, all are dropped and read again.
const mostRoots = 64

// hold stores and returns the facts that the client loads by itself at a project's root, mapped to their files.
func (a *AutoMemory) hold(where memory.Project, folder string, found listing) map[string]string {
	held := map[string]string{}
	for _, f := range found.files {
		for _, m := range a.becomes(a.eventsOf(where, folder, listing{files: []file{f}, named: found.named})) {
			held[m.Content] = cmp.Or(held[m.Content], filepath.Join(folder, filepath.FromSlash(f.name)))
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.held) >= mostRoots {
		clear(a.held)
	}
	a.held[where.Root] = held
	return held
}

// becomes returns the facts made of the events.
func (a *AutoMemory) becomes(events []memory.Event) (facts []memory.Memory) {
	for _, e := range events {
		facts = append(facts, a.Intake.MemoriesOf(e)...)
	}
	return facts
}

// eventsOf returns the events that store the facts of a folder, all with one session id: a start shall not count files as sessions.
func (a *AutoMemory) eventsOf(where memory.Project, folder string, found listing) []memory.Event {
	var events []memory.Event
	session, has := sessionOf(where, folder), func(name string) bool { return found.named[name] }
	for _, f := range found.files {
		facts, err := importer.AutoMemoryFile(f.name, f.text, has)
		if err != nil {
			a.Log.Info("a file of the client's memory is left out", "project", where.Key, "file", f.name, "reason", err)
			continue
		}
		for _, m := range facts[:min(len(facts), mostFacts)] {
			m.Session, m.CreatedAt, m.LastSeenAt = session, f.at, f.at
			events = append(events, memory.Event{
				ID: memory.NewImportID(memory.TagAutoMemory, where.Key, memory.Normalise(m.Content)), At: f.at,
				Kind:    memory.EventImported,
				Session: session, Project: where, Import: &memory.Import{Memory: &m},
			})
		}
	}
	return events
}

// sessionOf returns the session id for the facts of a folder.
func sessionOf(where memory.Project, folder string) string {
	return memory.NewImportID(memory.TagAutoMemory, where.Key, folder)
}

// follow archives stored facts that the folder lost (none if some files are unknown), and restores those that it has again.
func (a *AutoMemory) follow(ctx context.Context, where memory.Project, folder string, now []memory.Memory, isPartial bool) error {
	var ids []string
	isThere := map[string]bool{}
	for _, m := range now {
		ids = append(ids, m.ID)
		isThere[m.ID] = true
	}
	if !isPartial {
		stored, err := a.Standing(ctx, where.Key)
		if err != nil {
			return fmt.Errorf("read the stored facts of the client's auto-memory: %w", err)
		}
		ids = append(ids, memory.EachIf(stored, func(m memory.Memory) (string, bool) {
			return m.ID, m.Session == sessionOf(where, folder) && !isThere[m.ID]
		})...)
	}
	var failed error
	for part := range slices.Chunk(ids, rowsAtOnce) {
		rows, err := a.Store.Rows(ctx, memory.WithIDs(part))
		if err != nil {
			return fmt.Errorf("read which facts of the client's memory are stored: %w", err)
		}
		for _, row := range rows {
			failed = cmp.Or(failed, a.settle(ctx, row, isThere[row.Memory.ID]))
		}
	}
	return failed
}

// rowsAtOnce is the maximum number of rows that one query reads.
const rowsAtOnce = 500

// By is the author of the changes that follow the client's files.
const By = "auto-memory"

// settle archives a fact that no file has, or restores one. It returns memory.ErrUnavailable, and logs other errors.
func (a *AutoMemory) settle(ctx context.Context, row memory.Row, isThere bool) error {
	m, now := row.Memory, a.Now().UTC()
	c := memory.Change{ID: memory.NewEventID(now), At: now, By: By}
	isWithdrawn := m.Status == memory.StatusArchived && m.HasTag(memory.TagWithdrawn)
	// A fact that a person asked to keep is not archived.
	mayArchive := m.HasTag(memory.TagAutoMemory) && row.ReasonNotReplaceable(false) == ""
	switch {
	case isThere && isWithdrawn:
		c.Status, c.RemoveTags, c.Reason = memory.StatusActive, []string{memory.TagWithdrawn}, "the client's memory has it again"
	case !isThere && mayArchive:
		c.Status, c.AddTags, c.Reason = memory.StatusArchived, []string{memory.TagWithdrawn}, memory.Withdrew
	default:
		return nil
	}
	_, err := a.Intake.Amend(ctx, daemonapi.AmendParams{Project: m.Project, ID: m.ID, Change: c})
	if errors.Is(err, memory.ErrUnavailable) {
		return err
	}
	if err != nil { // trying again would fail again
		a.Log.Warn("a fact of the client's memory could not be changed", "memory", m.ID, "to", c.Status, "error", err)
	}
	return nil
}
