package intake

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// Import stores events made from another program's memories, like captured events but with three exceptions. It does not restore a
// memory about which somebody decided after it was said, does not change a stored memory that is at least as new, and leaves out
// what hooks have captured. So importing again changes nothing. In the result, Refused lists the events that can never be stored.
func (in *Intake) Import(ctx context.Context, p daemonapi.ImportParams) (daemonapi.ImportResult, error) {
	in.writing.Lock()
	defer in.writing.Unlock()
	var result daemonapi.ImportResult
	if _, err := in.ingestWhile(ctx, func() bool { return true }); err != nil { // what hooks captured of the same sessions must be stored first
		return result, err
	}
	valid, back := make([]memory.Event, 0, len(p.Events)), []memory.Event(nil)
	for _, e := range p.Events {
		if e.Origin != "" && in.Purged().HasSession(e.Origin) {
			continue
		}
		if err := e.Validate(); err != nil {
			result.Refused = append(result.Refused, daemonapi.Refusal{ID: e.ID, Reason: memory.ErrorText(err)})
			continue
		}
		e = received(in.cleanEvent(e), in.Now()) // dated ahead, it would become the newest
		if e.TakenBack {
			back = append(back, e)
		} else {
			valid = append(valid, e)
		}
	}
	in.lastWords.set(valid)
	defer in.failures.forget()
	err := inHalves(ctx, 0, len(valid), func(from, to int) error {
		added, err := in.importBatch(ctx, valid[from:to], &result)
		if err == nil {
			result.Events += to - from
			result.Added += added
		}
		return err
	}, func(at int, reason error) error {
		result.Refused = append(result.Refused, daemonapi.Refusal{ID: valid[at].ID, Reason: memory.ErrorText(reason)})
		return nil
	})
	isBack := func(p memory.Prompt) bool { // its event has the same id, because an earlier import stored it
		return slices.ContainsFunc(back, func(e memory.Event) bool { return e.ID == p.ID })
	}
	for session := range sessionsWith(back, memory.EventPrompt) {
		err = errors.Join(err, in.takeBack(ctx, session, isBack, "import"))
	}
	return result, err
}

// MemoriesOf returns the memories that would be made of an event, with their ids.
func (in *Intake) MemoriesOf(e memory.Event) []memory.Memory {
	batch := in.batchOf(in.receivedAll([]memory.Event{e}))
	in.Aliases.Rekey(&batch)
	return batch.Memories
}

// importBatch stores events, and returns the number of new memories. It counts them by kind in result.
func (in *Intake) importBatch(ctx context.Context, events []memory.Event, result *daemonapi.ImportResult) (added int, err error) {
	if err := in.LearnAliases(ctx); err != nil {
		return 0, err
	}
	batch := in.batchOf(events)
	known, err := in.known(ctx, batch.Memories)
	if err != nil {
		return 0, err
	}
	own, err := in.withoutCopies(ctx, events, batch.Sightings, known)
	if err != nil {
		return 0, err
	}
	if len(own) < len(events) {
		events, batch = own, in.batchOf(own)
	}
	fates := map[string]memory.Fate{}
	for _, e := range events {
		if row := e.Import; row != nil && row.Memory != nil && row.Fate != nil {
			fates[row.Memory.ID] = *row.Fate
			batch.Known = slices.MaxFunc([]time.Time{batch.Known, atMost(row.Fate.Known(), in.Now().Add(farAhead))}, time.Time.Compare)
		}
	}
	in.Aliases.Rekey(&batch)
	sent := slices.Clone(batch.Memories)
	if err := in.leaveOutKnown(ctx, &batch, fates, known); err != nil {
		return 0, err
	}
	fresh := map[string]memory.Kind{}
	for _, m := range sent {
		if _, isKnown := known[m.ID]; !isKnown {
			fresh[m.ID] = m.Kind
		}
	}
	changed, err := in.leaveOutStored(ctx, &batch)
	var superseded []memory.Memory
	if err == nil {
		superseded, err = in.ingestParts(ctx, batch)
	}
	if err == nil {
		err = in.takeBackSent(ctx, batch)
	}
	if err != nil {
		return 0, err
	}
	decided, err := in.applyDecisions(ctx, fates, sent, known)
	batch.Memories, added = slices.Concat(batch.Memories, superseded, decided), len(fresh)
	if err != nil {
		in.publish(ctx, Committed{Memories: batch.Memories}) // what was written before the error counts as stored when the import is repeated
		return 0, err
	}
	var all []memory.Session
	due := sessionsWith(events, memory.EventCommandSucceeded)
	for some := range slices.Chunk(changed, concludedAtOnce) {
		made, err := in.Store.Conclude(ctx, memory.Batch{}, some, due, in.derive) // reads the sessions as stored: their rows may have come with another batch
		if err != nil {
			return 0, err
		}
		for _, m := range unseen(made.Derived.Memories, made.Records) {
			fresh[m.ID] = m.Kind
		}
		batch.Memories, all = append(batch.Memories, made.Derived.Memories...), append(all, made.Sessions...)
	}
	in.publish(ctx, Committed{Memories: batch.Memories, Sessions: all})
	for _, kind := range fresh {
		if result.Kinds == nil {
			result.Kinds = map[memory.Kind]int{}
		}
		result.Kinds[kind]++
	}
	return added, nil
}

// importRows is the number of memories in one transaction: its cost grows faster than the number of its rows.
const importRows = 25

// ingestParts writes a batch in several transactions, the memories first, because the other rows refer to them. If it
// is interrupted, a repeated import stores the missing parts. It returns the memories that were superseded.
func (in *Intake) ingestParts(ctx context.Context, batch memory.Batch) (superseded []memory.Memory, err error) {
	var parts []memory.Batch
	for part := range slices.Chunk(batch.Memories, importRows) {
		parts = append(parts, memory.Batch{Memories: part, Asked: batch.Asked})
	}
	sightings := memory.Batch{Sightings: batch.Sightings}
	batch.Memories, batch.Sightings = nil, nil
	for _, part := range append(parts, batch, sightings) {
		made, err := in.Store.Conclude(ctx, part, nil, nil, in.derive)
		if err != nil {
			return nil, err
		}
		superseded = append(superseded, made.Superseded...)
	}
	return superseded, nil
}

// sessionsOf returns the ids of the sessions in a batch's rows.
func sessionsOf(b memory.Batch) []string {
	return memory.Union(
		memory.Each(b.Sessions, func(s memory.Session) string { return s.ID }),
		memory.Each(b.Prompts, func(p memory.Prompt) string { return p.Session }),
		memory.Each(b.Sightings, func(s memory.Sighting) string { return s.Session }),
		memory.Each(b.SessionEvents, func(e memory.SessionEvent) string { return e.Session }),
	)
}

// known returns the stored rows of memories by id.
func (in *Intake) known(ctx context.Context, memories []memory.Memory) (map[string]memory.Row, error) {
	ids := memory.Each(memories, func(m memory.Memory) string { return m.ID })
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := in.Store.Rows(ctx, memory.WithIDs(ids))
	known := make(map[string]memory.Row, len(found))
	for _, row := range found {
		known[row.Memory.ID] = row
	}
	return known, err
}

// withoutCopies leaves out events that repeat the user's words from another session, in the store or earlier among the
// events: a session may begin with a copy of another's history, but the user said the line once. A copy has the same
// time. If a hook captured one and a transcript has the other, their ids differ, and their times by less than sameTime.
func (in *Intake) withoutCopies(ctx context.Context, events []memory.Event, sightings []memory.Sighting, known map[string]memory.Row) ([]memory.Event, error) {
	if !slices.ContainsFunc(events, func(e memory.Event) bool { return e.Import == nil }) {
		return events, nil // rows of an export or of another machine
	}
	seen := map[string][]memory.Sighting{} // by memory
	var copies []memory.Sighting
	for _, s := range sightings {
		if row := known[s.Memory]; seen[s.Memory] == nil && row.Memory.IsUsersWord() && (row.Sessions > 1 || row.Memory.Session != s.Session) {
			history, err := in.Store.History(ctx, s.Memory)
			if err != nil {
				return nil, err
			}
			seen[s.Memory] = history.Seen
		}
		if slices.ContainsFunc(seen[s.Memory], func(one memory.Sighting) bool {
			isOtherWay := memory.IsImportID(one.ID) != memory.IsImportID(s.ID) && one.At.Sub(s.At).Abs() < sameTime
			return one.Session != s.Session && (isOtherWay || one.At.Equal(s.At))
		}) {
			copies = append(copies, s)
		}
		seen[s.Memory] = append(seen[s.Memory], s)
	}
	return slices.DeleteFunc(slices.Clone(events), func(e memory.Event) bool {
		return e.Import == nil && slices.ContainsFunc(copies, func(s memory.Sighting) bool { return s.Session == e.Session && strings.HasPrefix(s.ID, e.ID) })
	}), nil
}

// leaveOutKnown drops the memories whose stored version (in known) is at least as new and as trusted, because an import
// must not undo later changes. It keeps a memory from another machine of the user if it was said there in sessions that
// are new here. From batch.Asked it removes the memories about which somebody has decided since they were said.
func (in *Intake) leaveOutKnown(ctx context.Context, batch *memory.Batch, fates map[string]memory.Fate, known map[string]memory.Row) error {
	if len(batch.Memories) == 0 {
		return nil
	}
	decisions, err := in.Store.Decisions(ctx, batch.Asked)
	if err != nil {
		return err
	}
	for i, m := range batch.Memories {
		isLater := func(d memory.Decision) bool { return d.Memory == m.ID && !d.At.Before(m.LastSeenAt) }
		if slices.ContainsFunc(decisions, isLater) {
			batch.Asked = slices.DeleteFunc(batch.Asked, func(id string) bool { return id == m.ID })
		}
		if _, isSent := fates[m.ID]; isSent && known[m.ID].Memory.ID != "" {
			batch.Memories[i] = m.Stated()
		}
	}
	batch.Memories = slices.DeleteFunc(batch.Memories, func(m memory.Memory) bool {
		row, isKnown := known[m.ID]
		old := row.Memory
		_, isSent := fates[m.ID]
		isNew := isSent && slices.ContainsFunc(m.Tags, func(tag string) bool { return !slices.Contains(old.Tags, tag) })
		return isKnown && !isNew && !m.LastSeenAt.After(old.LastSeenAt) && !m.CreatedAt.Before(old.CreatedAt) && !m.Outranks(old)
	})
	return nil
}

// leaveOutStored drops the prompts, sightings and session events that are stored already, or that hooks captured of
// the same sessions. It returns the sessions with other rows, which must be summarised again.
func (in *Intake) leaveOutStored(ctx context.Context, batch *memory.Batch) (changed []string, err error) {
	if err := in.leaveOutCopies(ctx, batch); err != nil {
		return nil, err
	}
	all := sessionsOf(*batch)
	unchanged := map[string]bool{}
	for ids := range slices.Chunk(all, concludedAtOnce) {
		records, err := in.Store.Records(ctx, memory.RecordsOf(ids))
		if err != nil {
			return nil, err
		}
		for _, record := range records {
			// After an interrupted import a session that is over may lack its summary. If the events of a session
			// were deleted, its summary cannot be made again, and stays.
			stored, now := record.Session.Summary, ingest.Summary(record, in.Counter)
			isOther := now.Text != stored.Text || !slices.Equal(now.Digest.Fields(), stored.Digest.Fields())
			isStale := record.Session.State.IsOver() && (len(record.SessionEvents) > 0 || stored.Text == "") && isOther
			unchanged[record.Session.ID] = !leaveOut(batch, record) && !isStale && record.Session.State != memory.SessionSummarising
		}
	}
	return slices.DeleteFunc(all, func(id string) bool { return unchanged[id] }), nil
}

// leaveOutCopies drops events that are stored in another session with the same prompts: a session may begin with a copy of another.
func (in *Intake) leaveOutCopies(ctx context.Context, batch *memory.Batch) error {
	var sources []string
	prompts := memory.Each(batch.Prompts, func(p memory.Prompt) string { return p.ID })
	if len(prompts) == 0 || len(batch.SessionEvents) == 0 {
		return nil
	}
	found, err := in.Store.Sessions(ctx, memory.OfPrompts(prompts))
	if err != nil {
		return err
	}
	own := sessionsOf(*batch)
	sources = memory.EachIf(found, func(s memory.Session) (string, bool) { return s.ID, !slices.Contains(own, s.ID) })
	for some := range slices.Chunk(sources, concludedAtOnce) {
		records, err := in.Store.Records(ctx, memory.RecordsOf(some))
		if err != nil {
			return err
		}
		for _, record := range records {
			batch.SessionEvents = slices.DeleteFunc(batch.SessionEvents, func(e memory.SessionEvent) bool {
				return slices.ContainsFunc(record.SessionEvents, func(stored memory.SessionEvent) bool { return stored.ID == e.ID })
			})
		}
	}
	return nil
}

// leaveOut drops from a batch what is stored of one session, and reports whether the batch still has events or a newer state of the session.
func leaveOut(batch *memory.Batch, stored memory.SessionRecord) (isLeft bool) {
	all, ids := occurrences(stored), map[string]bool{}
	leaveOutOtherWay(batch, stored.Session.ID, all)
	for _, o := range all {
		ids[o.id] = true
	}
	drop(batch, stored.Session.ID, func(o occurrence) bool {
		isLeft = isLeft || !ids[o.id]
		return ids[o.id]
	})
	return isLeft || slices.ContainsFunc(batch.Sessions, func(s memory.Session) bool {
		return s.ID == stored.Session.ID && s.StateAt.After(stored.Session.StateAt)
	})
}

// sessionsAtOnce is the number of sessions that one query reads, without their events.
const sessionsAtOnce = 500

// KnownSessions returns the given sessions that are stored.
func (in *Intake) KnownSessions(ctx context.Context, ids []string) ([]memory.Session, error) {
	known := []memory.Session{}
	for some := range slices.Chunk(ids, sessionsAtOnce) {
		found, err := in.Store.Sessions(ctx, memory.SessionIDs(some))
		if err != nil {
			return nil, err
		}
		known = append(known, found...)
	}
	return known, nil
}
