package briefing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/intake"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/receipts"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/session"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/pack"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall/start"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// SessionContext returns the packed context of a starting session, after the spooled events that may change it are stored.
func (b *Briefing) SessionContext(ctx context.Context, p daemonapi.SessionContextParams) (daemonapi.ContextResult, error) {
	ended := b.settle(ctx, p)
	held, err := b.openingOf(ctx, p.Project, p.Session)
	if err != nil {
		return daemonapi.ContextResult{}, err
	}
	rows := held.rows
	rows.Summaries = withEnded(rows.Summaries, ended, p.Session)
	who := session.Conversation{Session: p.Session}
	var shown *session.Shown
	if session.StartsAnew(p.Source) {
		shown = b.Sessions.Begin(who, p.Source)
	} else if shown, err = b.Sessions.Shown(ctx, who); err != nil {
		return daemonapi.ContextResult{}, err
	}
	shown.Turn.Lock()
	defer shown.Turn.Unlock()
	rows = rows.Without(shown.InContext)
	rows.Asks = !p.Program
	if !session.StartsAnew(p.Source) {
		if rows, err = b.sinceLeft(ctx, p.Session, shown, rows); err != nil {
			return daemonapi.ContextResult{}, err
		}
	}
	b.dropLoaded(ctx, &rows, p.Client, p.Root)
	var packed pack.Packed
	if session.StartsAnew(p.Source) && len(ended) == 0 {
		packed = b.packed(held, rows, p.TokenBudget)
	} else {
		packed = b.pack(rows, p.TokenBudget)
	}
	if err := ctx.Err(); err != nil { // the caller has given up, so nothing is recorded as shown
		return daemonapi.ContextResult{}, fmt.Errorf("make the text for a session's start: %w", err)
	}
	b.Sessions.Record(who, "session_start", memoryIDs(packed.IDs, rows))
	return daemonapi.ContextResult{
		Text: packed.Text, Tokens: packed.Tokens, Encoding: b.Counter.Encoding(), Items: len(packed.IDs), Budget: p.TokenBudget,
	}, nil
}

// settle ingests, within half of ctx's time, the events that a start must wait for. If no event must be stored first, it returns the sessions whose end waits in the spool.
func (b *Briefing) settle(ctx context.Context, p daemonapi.SessionContextParams) (ended []memory.Session) {
	waiting, cancel := session.HalfTime(ctx)
	defer cancel()
	ended, mustWait := b.Intake.Pending(waiting, p.Project, p.Before)
	if !mustWait {
		return ended
	}
	if err := b.Intake.IngestFor(waiting, p.Project, p.Before); err != nil {
		// An older start is better than none.
		b.Log.Warn("events spooled before a session's start could not be stored", "error", err)
	}
	return nil
}

// withEnded returns the newest sessions of both lists, without the starting one.
func withEnded(listed, ended []memory.Session, starting string) []memory.Session {
	for _, s := range ended {
		if s.Summary.Text != "" && s.ID != starting {
			listed = append(slices.DeleteFunc(listed, func(other memory.Session) bool { return other.ID == s.ID }), s)
		}
	}
	return memory.Newest(listed, startRows)
}

// dropLoaded removes from the rows of a start what the client loads by itself in the folder root.
func (b *Briefing) dropLoaded(ctx context.Context, rows *memory.StartContext, client, root string) {
	loaded := b.loadedBeside(*rows, b.LoadedIn(ctx, client, root, false))
	*rows = rows.Without(func(m memory.Memory) bool { return loaded.FileWith(m) != "" })
	isLeft := func(a memory.Area) bool { return a.LeftOut > 0 }
	if len(rows.Facts) == 0 && !slices.ContainsFunc(rows.Areas, isLeft) {
		rows.Areas = nil // a start without facts and areas has more room for the user's words
	}
}

// atStart returns the ids of the memories that the start of a new session shows in full. It records nothing as shown.
func (b *Briefing) atStart(ctx context.Context, p daemonapi.RecallParams) ([]string, error) {
	held, err := b.openingOf(ctx, p.Project, "")
	if err != nil {
		return nil, err
	}
	rows := held.rows
	rows.Asks = true
	b.dropLoaded(ctx, &rows, p.Client, p.Root)
	packed := b.packed(held, rows, b.Hooks().SessionStartTokens)
	return memoryIDs(packed.IDs, rows), nil
}

// sinceLeft returns what a resumed session has not had: memories newer than its start and compaction, and summaries newer than its last prompt.
func (b *Briefing) sinceLeft(ctx context.Context, id string, shown *session.Shown, rows memory.StartContext) (memory.StartContext, error) {
	record, err := memory.RecordOf(ctx, b.Store, id)
	if errors.Is(err, memory.ErrNotFound) || errors.Is(err, memory.ErrUnavailable) { // better too many rows than none
		return rows, nil
	}
	if err != nil {
		return rows, err
	}
	var left time.Time
	for _, p := range record.Prompts {
		if p.At.After(left) {
			left = p.At
		}
	}
	rows = rows.Without(func(m memory.Memory) bool {
		return !m.LastSeenAt.After(record.Session.StartedAt) || !m.LastSeenAt.After(shown.Since())
	})
	rows.Summaries = slices.DeleteFunc(slices.Clone(rows.Summaries),
		func(s memory.Session) bool { return !s.LastEventAt.After(left) })
	rows.Areas = slices.Clone(rows.Areas)
	for i := range rows.Areas { // the session's start has shown these counts
		rows.Areas[i].LeftOut = 0
	}
	return rows, nil
}

// memoryIDs returns the ids that belong to memories.
func memoryIDs(ids []string, rows memory.StartContext) []string {
	isMemory := map[string]bool{}
	for _, m := range slices.Concat(rows.Statements, rows.Facts, rows.Quoted) {
		isMemory[m.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !isMemory[id] })
}

// packed packs rows, which must be all rows of held or some of them. It caches the text of all rows.
func (b *Briefing) packed(held opening, rows memory.StartContext, budget int) pack.Packed {
	all := held.rows
	if len(rows.Statements) < len(all.Statements) || len(rows.Facts) < len(all.Facts) || len(rows.Quoted) < len(all.Quoted) || len(rows.Summaries) < len(all.Summaries) || len(rows.Areas) < len(all.Areas) {
		return b.pack(rows, budget)
	}
	key := start.KeyOf(rows, budget)
	if made, isMade := held.packed.of.Load(key); isMade {
		return made.(pack.Packed)
	}
	made := b.pack(rows, budget)
	held.packed.of.Store(key, made)
	return made
}

func (b *Briefing) pack(rows memory.StartContext, budget int) pack.Packed {
	return together(rows, func(rows memory.StartContext) pack.Packed {
		return pack.Pack(b.sections(rows), pack.ContextLimits(budget), b.Counter)
	})
}

// together packs rows. It leaves out a line if the user's newer words that may correct the line do not fit beside it.
func together(all memory.StartContext, packRows func(memory.StartContext) pack.Packed) pack.Packed {
	isRow := map[string]bool{}
	for _, m := range slices.Concat(all.Statements, all.Facts, all.Quoted) {
		isRow[m.ID] = true
	}
	for rows := all; ; {
		packed := packRows(rows)
		isTold := map[string]bool{}
		for _, id := range slices.Concat(packed.IDs, packed.Named) {
			isTold[id] = true
		}
		isAlone := func(m memory.Memory) bool {
			return isTold[m.ID] && slices.ContainsFunc(all.Newer[m.ID], func(id string) bool { return isRow[id] && !isTold[id] })
		}
		if !slices.ContainsFunc(slices.Concat(rows.Statements, rows.Facts, rows.Quoted), isAlone) {
			return packed
		}
		rows = rows.Without(isAlone)
	}
}

// sections may use nothing but rows, because packed caches its result. What a setting or a request adds must be a field of rows.
func (b *Briefing) sections(rows memory.StartContext) []pack.Section {
	return start.Sections(rows, start.UsersTokens, b.Counter)
}

// startRows is the maximum number of summaries, and of each sort of statements, that are read: no budget has room for more.
const startRows = 200

// startAge is the maximum age of the index from which a start is made, if other daemons write to the store, too.
const startAge = time.Minute

// StartOf returns the context of a starting session, without its own summary.
func (b *Briefing) StartOf(ctx context.Context, project, starting string) (memory.StartContext, error) {
	held, err := b.openingOf(ctx, project, starting)
	return held.rows, err
}

// openingOf returns the opening of a project without the summary of the starting session.
func (b *Briefing) openingOf(ctx context.Context, project, starting string) (opening, error) {
	asking, cancel := session.HalfTime(ctx)
	defer cancel()
	if b.Shared {
		b.reload(asking, project, b.indexes.entry(project), startAge)
	}
	held, err := b.opening(asking, project)
	if has := func(s memory.Session) bool { return s.ID == starting }; slices.ContainsFunc(held.rows.Summaries, has) {
		held.rows.Summaries = slices.DeleteFunc(slices.Clone(held.rows.Summaries), has)
		held.packed = &packedStarts{}
	}
	return held, err
}

// opening returns the rows with which all sessions of a project start. Without changes since the last call it makes no query.
func (b *Briefing) opening(ctx context.Context, project string) (opening, error) {
	entry := b.indexes.entry(project)
	held := entry.cachedOpening()
	if held.changes == held.after {
		return held, nil
	}
	all, ids, isWhole, err := b.choice(ctx, project)
	switch {
	case err == nil:
		held.rows, held.packed = b.told(start.WithBestFacts(all, ids)), &packedStarts{}
		if isWhole {
			held.after = held.changes
			entry.cacheOpening(held)
		}
	case held.after == 0 || !errors.Is(err, memory.ErrUnavailable): // otherwise old rows are better than none
		return opening{}, err
	}
	return held, nil
}

// withCorrections adds, for each row of a start, the user's newest words that may correct the row: the limits of the start may have left them out.
func (b *Briefing) withCorrections(rows memory.StartContext, users []memory.Memory) memory.StartContext {
	if len(users) <= startRows {
		return rows
	}
	isRow := map[string]bool{}
	for _, m := range rows.Statements {
		isRow[m.ID] = true
	}
	index := b.sentencesOf(users)
	for _, line := range slices.Concat(rows.Facts, rows.Statements) {
		if !precedes(line) {
			continue
		}
		newest := index.NewerThan(line)
		for _, m := range newest[:min(len(newest), mostNewer)] {
			if !isRow[m.ID] {
				isRow[m.ID] = true
				rows.Statements = append(rows.Statements, m)
			}
		}
	}
	return rows
}

// choice returns the rows from which a start of a project is chosen, and the ids of all memories in the index. If the
// index of a large project is not loaded within ctx, isWhole is false, and the rows are what has been read so far:
// the user's memories, and the project's latest.
func (b *Briefing) choice(ctx context.Context, project string) (all memory.StartContext, ids []string, isWhole bool, err error) {
	summaries, err := b.summaries(ctx, project)
	if err != nil {
		return all, nil, false, err
	}
	index, err := b.Index(ctx, project)
	isWhole = err == nil
	if part := b.indexes.entry(project).part(); errors.Is(err, errLoading) && part != nil && len(part.IDs()) > 0 {
		index, err = part, nil
	}
	if err != nil {
		return all, nil, false, err
	}
	all = b.withCorrections(memory.NewStart(index.Standing(), summaries, startRows), index.UsersWords())
	all.Quoted = index.Quoted()
	return all, index.IDs(), isWhole, nil
}

const (
	// mostTold is the number of summaries of which a start may show one: the last session may be the starting one, or have come to nothing.
	mostTold = 3
	// mostGone is the number of archived memories, the latest, whose words are taken out of these summaries.
	mostGone = 50
)

// summaries returns the sessions of a project with a summary, the newest first. The summaries of the first ones have no words that somebody
// has taken back since.
func (b *Briefing) summaries(ctx context.Context, project string) ([]memory.Session, error) {
	sessions, err := b.Store.Sessions(ctx, memory.Summarised{Project: project, Limit: startRows})
	if err != nil || len(sessions) == 0 {
		return sessions, err
	}
	gone, err := b.TakenBack(ctx, project, mostGone)
	first := sessions[:min(len(sessions), mostTold)]
	for i := range first {
		for _, m := range gone {
			first[i].Summary.Text = start.WithoutSentence(first[i].Summary.Text, m.Content)
		}
	}
	return sessions, err
}

// TakenBack returns the memories of a project and of the user that somebody has forgotten, edited or replaced: those among the limit latest
// archived memories of each.
func (b *Briefing) TakenBack(ctx context.Context, project string, limit int) (gone []memory.Memory, err error) {
	for _, owner := range slices.Compact([]string{project, ""}) {
		rows, err := b.Store.Rows(ctx, memory.Page{Project: owner, Status: memory.StatusArchived, Limit: limit})
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if row.Rejected || row.SupersededBy != "" {
				gone = append(gone, row.Memory)
			}
		}
	}
	return gone, nil
}

// Remembered returns a line for the user with the number of a session's active memories and the latest of them; "" if there are
// none, or if the session has had the line.
func (b *Briefing) Remembered(ctx context.Context, p daemonapi.RecallParams) string {
	ids, isReported := b.Sessions.Kept(p.Session)
	if len(ids) == 0 || isReported {
		return ""
	}
	index, err := b.Index(ctx, p.Project)
	if err != nil {
		return ""
	}
	var there []memory.Memory
	for _, id := range ids {
		if m, has := index.Memory(id); has {
			there = append(there, m)
		}
	}
	if len(there) == 0 {
		return ""
	}
	b.Sessions.MarkReported(p.Session)
	newest := there[len(there)-1]
	last := receipts.Named(newest.Content)
	if newest.Scope == memory.ScopeUser {
		last += ", for all your projects; memory edit " + memory.ShortID(newest.ID) + " --scope project limits it to this project"
	}
	if offer := receipts.Offer(newest); offer != "" {
		last += "; " + offer
	}
	if len(there) == 1 {
		return fmt.Sprintf("surrealdb-memory remembered 1 thing from this session: %s. To see or change it", last)
	}
	return fmt.Sprintf("surrealdb-memory remembered %d things from this session, the last: %s. To see or change them", len(there), last)
}

// refreshIndexes applies changes of memories to the loaded indexes. It reads the rows from the store, because a write
// may have been merged with an existing row. If that fails, it drops the indexes.
func (b *Briefing) refreshIndexes(ctx context.Context, ids []string) {
	if len(ids) == 0 {
		return
	}
	rows, err := b.Store.Rows(ctx, memory.WithIDs(ids))
	if err == nil && (len(rows) < len(ids) || slices.ContainsFunc(rows, isGone)) { // a deleted memory may have superseded others, which hold again now
		ids = memory.Union(ids, b.indexes.superseded())
		rows, err = b.Store.Rows(ctx, memory.WithIDs(ids))
	}
	if err != nil {
		b.Log.Warn("recall may miss changes; its index is loaded again", "error", err)
		b.indexes.entries.Purge()
		return
	}
	there := make(map[string]*memory.Row, len(rows))
	for _, row := range rows {
		there[row.Memory.ID] = &row
	}
	for _, id := range ids {
		b.indexes.change(id, there[id])
	}
}

// refreshStarts rebuilds the starts that a write has changed, so that the next session does not wait. It only logs errors.
func (b *Briefing) refreshStarts(ctx context.Context, concluded []memory.Session) {
	all := b.indexes.all()
	for _, s := range concluded {
		if entry := all[s.Project]; entry != nil {
			entry.conclude(s)
		}
	}
	for project, entry := range all {
		if cached := entry.cachedOpening(); cached.after == 0 || cached.after == cached.changes { // nobody has asked for it, or nothing has changed
			continue
		}
		held, err := b.opening(ctx, project)
		if err != nil {
			b.Log.Debug("a session's start could not be read", "project", project, "error", err)
			continue
		}
		rows := held.rows
		rows.Asks = true // as for a session with a person
		b.packed(held, rows, b.Hooks().SessionStartTokens)
	}
}

// Committed updates the indexes and the cached starts of sessions after a commit.
func (b *Briefing) Committed(ctx context.Context, c intake.Committed) {
	if c.All {
		b.indexes.entries.Purge()
	}
	var ids []string
	all := b.indexes.all()
	for _, m := range c.Memories {
		if all[m.Project] != nil || m.Project == "" && len(all) > 0 { // otherwise no index has it
			ids = append(ids, m.ID)
		}
	}
	b.refreshIndexes(ctx, ids)
	b.refreshStarts(ctx, c.Sessions)
}

// Changed updates the indexes and the cached starts of sessions after maintenance has changed these memories.
func (b *Briefing) Changed(ctx context.Context, ids []string) {
	b.refreshIndexes(ctx, ids)
	b.refreshStarts(ctx, nil)
}
