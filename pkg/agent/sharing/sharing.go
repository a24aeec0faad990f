// Package sharing imports the facts that people share through the repository of a project:
// new ones wait for the user's yes, and those that no checkout has any more are archived. It
// reads the files of checkouts, and runs no program. It never writes to a repository.
package sharing

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/filestate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
)

// Store reads memories. Package storetest describes each method.
type Store interface {
	memory.RowReader
}

// Intake stores facts and changes them.
type Intake interface {
	Import(ctx context.Context, p agentapi.ImportParams) (agentapi.ImportResult, error)
	Amend(ctx context.Context, p agentapi.AmendParams) (agentapi.AmendResult, error)
}

// Sharing imports shared facts. Its methods are safe for concurrent use.
type Sharing struct {
	Store  Store
	Intake Intake
	Record Record
	Log    *slog.Logger
	Now    func() time.Time

	mu      sync.Mutex // held while checkouts are read
	looks   filestate.Looks
	files   importer.SharedReader
	notices map[string]string // for the user, by project
}

// mostCheckouts bounds the checkouts of a project that are read, those used last first.
const mostCheckouts = 16

// mostProposed bounds the waiting facts that are listed.
const mostProposed = 500

// Read reads the shared facts of a project in the checkout at root and in its other known
// checkouts, imports the changes, and lists the facts that wait.
func (s *Sharing) Read(ctx context.Context, p agentapi.SharedParams) (agentapi.SharedResult, error) {
	result := agentapi.SharedResult{Proposed: []memory.Memory{}, Refused: []agentapi.RefusedFile{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.take(ctx, p, &result); err != nil {
		return result, err
	}
	waiting, err := memory.Memories(ctx, s.Store, memory.Filter{
		Project:  p.Project,
		Statuses: []memory.Status{memory.StatusProposed}, Limit: mostProposed,
	})
	if err != nil {
		return result, err
	}
	slices.SortFunc(waiting, func(a, b memory.Memory) int { return b.LastSeenAt.Compare(a.LastSeenAt) })
	result.Proposed = append(result.Proposed, waiting...)
	if result.New > 0 {
		if s.notices == nil {
			s.notices = map[string]string{}
		}
		s.notices[p.Project] = notice(waiting)
	}
	return result, nil
}

// take brings the store to the state of the checkouts.
func (s *Sharing) take(ctx context.Context, p agentapi.SharedParams, result *agentapi.SharedResult) error {
	before, err := s.Record.of(p.Project)
	if err != nil {
		return err
	}
	where := memory.Project{Key: p.Project, Name: path.Base(p.Project), Root: p.Root}
	found := s.readAll(ctx, checkouts(before, p.Root))
	if found.err != nil {
		return found.err
	}
	result.Refused = append(result.Refused, found.refused...)
	if len(before.Memories) == 0 && len(found.facts) == 0 {
		return nil
	}
	facts := map[string][]importer.SharedFact{} // by the id of the memory
	for _, fact := range found.facts {
		fact.At = earlier(fact.At, s.Now().UTC())
		id := fact.Memory(where).ID
		facts[id] = append(facts[id], fact)
	}
	if err := s.propose(ctx, where, facts, result); err != nil {
		return err
	}
	if found.isPartial { // the unread files may still share them
		ids := slices.AppendSeq(slices.Clone(before.Memories), maps.Keys(facts))
		slices.Sort(ids)
		return s.Record.keep(p.Project, reading{found.roots, slices.Compact(ids)})
	}
	if err := s.withdraw(ctx, where, before, facts, result); err != nil {
		return err
	}
	return s.Record.keep(p.Project, reading{found.roots, slices.Sorted(maps.Keys(facts))})
}

// checkouts are the directories to read: that of the caller and the known ones, the caller's
// first.
func checkouts(before reading, root string) []string {
	roots := append([]string{root}, slices.DeleteFunc(slices.Clone(before.Checkouts),
		func(other string) bool { return other == root })...)
	return slices.DeleteFunc(roots, func(root string) bool { return root == "" })
}

// findings are the facts in the checkouts of a project.
type findings struct {
	roots     []string // that are repositories, or did not answer
	facts     []importer.SharedFact
	refused   []agentapi.RefusedFile
	isPartial bool // the file system of one did not answer
	err       error
}

// checkoutTime is how long reading a checkout may take.
const checkoutTime = 5 * time.Second

// readAll reads checkouts. It waits for no file system that hangs.
func (s *Sharing) readAll(ctx context.Context, roots []string) findings {
	var all findings
	for _, root := range roots {
		if len(all.roots) == mostCheckouts {
			break
		}
		one, isKnown := filestate.Look(ctx, &s.looks, root, checkoutTime, func() findings { return read(&s.files, root) })
		if !isKnown {
			one = findings{
				roots: []string{root}, isPartial: true,
				refused: []agentapi.RefusedFile{{File: root, Reason: "its file system does not answer, so its facts stay as they are"}},
			}
		}
		all.roots, all.facts, all.refused = append(all.roots, one.roots...), append(all.facts, one.facts...),
			append(all.refused, one.refused...)
		all.isPartial, all.err = all.isPartial || one.isPartial, cmp.Or(all.err, one.err)
	}
	all.err = cmp.Or(ctx.Err(), all.err)
	return all
}

// read reads a checkout; one that is no repository has nothing.
func read(reader *importer.SharedReader, root string) findings {
	if project.Repository(root) != root {
		return findings{}
	}
	files, err := reader.Folder(root)
	found := findings{roots: []string{root}, err: err}
	for _, file := range files {
		if file.Refused != nil {
			found.refused = append(found.refused, agentapi.RefusedFile{File: path.Join(importer.SharedFolder,
				file.Name), Reason: reason(file.Refused)})
			continue
		}
		found.facts = append(found.facts, file.Fact)
	}
	return found
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// reason is an error without the code at its end.
func reason(err error) string {
	return strings.TrimSuffix(err.Error(), ": "+memory.ErrInvalid.Error())
}

// propose stores the facts that are new here, and brings back those that were withdrawn.
func (s *Sharing) propose(
	ctx context.Context, where memory.Project, facts map[string][]importer.SharedFact, result *agentapi.SharedResult,
) error {
	rows, err := s.byID(ctx, slices.Collect(maps.Keys(facts)))
	if err != nil {
		return err
	}
	var events []memory.Event
	for id, same := range facts {
		m, isKnown := rows[id]
		switch {
		case !isKnown:
			slices.SortFunc(same, func(a, b importer.SharedFact) int { // the first to share it is its author
				return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Author, b.Author))
			})
			events = append(events, importer.Proposals(where, same)...)
			result.New++
		case m.Status == memory.StatusArchived && slices.Contains(m.Tags, memory.TagWithdrawn):
			status := memory.StatusProposed
			if slices.Contains(m.Tags, memory.TagAccepted) {
				status = memory.StatusActive
			}
			s.amend(ctx, m, memory.Change{Status: status, RemoveTags: []string{memory.TagWithdrawn}, Reason: "it is shared again"})
		}
	}
	for part := range slices.Chunk(events, agentapi.MaxImport) {
		stored, err := s.Intake.Import(ctx, agentapi.ImportParams{Events: part})
		if err != nil {
			return fmt.Errorf("import the facts shared in %s: %w", where.Root, err)
		}
		for _, refused := range stored.Refused {
			s.Log.Warn("a shared fact could not be stored", "project", where.Key, "reason", refused.Reason)
		}
	}
	return nil
}

// rowsAtOnce bounds the rows that are asked for in one query.
const rowsAtOnce = 500

// byID reads memories; those that are not stored are left out.
func (s *Sharing) byID(ctx context.Context, ids []string) (map[string]memory.Memory, error) {
	found := make(map[string]memory.Memory, len(ids))
	for part := range slices.Chunk(ids, rowsAtOnce) {
		rows, err := s.Store.Rows(ctx, memory.WithIDs(part))
		if err != nil {
			return nil, fmt.Errorf("read which shared facts are known: %w", err)
		}
		for _, row := range rows {
			found[row.Memory.ID] = row.Memory
		}
	}
	return found, nil
}

// withdraw archives other people's facts that were in the shared files when the checkouts were read
// last, and are not any more. A fact that the user has stated, too, stays.
func (s *Sharing) withdraw(
	ctx context.Context, where memory.Project, before reading, facts map[string][]importer.SharedFact,
	result *agentapi.SharedResult,
) error {
	gone := slices.DeleteFunc(slices.Clone(before.Memories), func(id string) bool { return facts[id] != nil })
	rows, err := s.byID(ctx, gone)
	if err != nil {
		return err
	}
	for _, id := range gone {
		m, isKnown := rows[id]
		isThere := m.Status == memory.StatusActive || m.Status == memory.StatusProposed || m.Status == memory.StatusQuarantined
		if isKnown && isThere && m.Author != "" && m.Project == where.Key {
			s.amend(ctx, m, memory.Change{
				Status: memory.StatusArchived, AddTags: []string{memory.TagWithdrawn},
				Reason: "it is not shared any more",
			})
			result.Withdrawn++
		}
	}
	return nil
}

// By is the By of the changes that follow the files of a checkout.
const By = "share"

// amend changes a memory. A failure is logged: the next reading tries again.
func (s *Sharing) amend(ctx context.Context, m memory.Memory, c memory.Change) {
	now := s.Now().UTC()
	c.ID, c.At, c.By = memory.NewEventID(now), now, By
	if _, err := s.Intake.Amend(ctx, agentapi.AmendParams{Project: m.Project, ID: m.ID, Change: c}); err != nil {
		s.Log.Warn("a shared fact could not be changed", "memory", m.ID, "to", c.Status, "error", err)
	}
}

// notice informs the user that facts wait.
func notice(waiting []memory.Memory) string {
	if len(waiting) == 0 { // all are in quarantine
		return ""
	}
	facts := "1 fact waits"
	if len(waiting) > 1 {
		facts = fmt.Sprintf("%d facts wait", len(waiting))
	}
	return fmt.Sprintf("surrealdb-memory: %s for your yes, shared here by %s", facts, authors(waiting))
}

// authors names those who shared facts, three at most.
func authors(facts []memory.Memory) string {
	const most = 3
	var names []string
	for _, m := range facts {
		if name := m.AuthorName(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > most {
		names = append(names[:most], "others")
	}
	return strings.Join(names, ", ")
}

// Notice is the line about facts that arrived since the last one, for the user, once; empty if none
// did.
func (s *Sharing) Notice(projectKey string) string {
	if !s.mu.TryLock() { // a prompt does not wait for files
		return ""
	}
	defer s.mu.Unlock()
	line := s.notices[projectKey]
	delete(s.notices, projectKey)
	return line
}

// Discard forgets the checkouts of projects that are purged.
func (s *Sharing) Discard(isOf func(project string) bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Record.discard(isOf)
}
