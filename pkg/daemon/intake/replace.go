package intake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/receipts"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/knowledge"
)

// replacing is the job named in the runs of replace.
const replacing = "replace"

// replace supersedes memories by facts that the assistant stored, which are in the batch. A fact supersedes the memory that its event names, and the user's
// sentences in the event's quote. replace records this as a run, which can be undone, and returns the changed memories. It must run before the events are
// acknowledged; if events are stored again, it changes nothing. Receipts tell the user which of their words were superseded.
func (in *Intake) replace(ctx context.Context, events []memory.Event, batch memory.Batch) ([]memory.Memory, error) {
	now := in.Now().UTC()
	run := memory.Run{ID: memory.NewEventID(now), Job: replacing, Trigger: "mcp", StartedAt: now, EndedAt: now}
	var replaced []memory.Memory
	var told []receipts.Receipt
	for _, e := range events {
		by, isKept := keptOf(e, batch)
		if !isKept || e.Kind != memory.EventRemembered {
			continue
		}
		r, err := in.replacement(ctx, e, by)
		if err != nil {
			return nil, err
		}
		if r.why != "" {
			in.Log.Info("a memory is not replaced", "memory", r.named.Memory.ID, "by", by.ID, "reason", r.why)
		}
		if by.Source != memory.SourceUser && !r.isOwn && in.OnlyAsked() {
			if err := in.dropUnasked(ctx, &run, by); err != nil {
				return nil, err
			}
			continue
		}
		if a, changes := r.ownChange(e); changes {
			run.Add(a)
			by.Scope, by.Project = a.After.Scope, a.After.Project
			replaced = append(replaced, by)
		}
		for _, row := range r.gone {
			if slices.ContainsFunc(run.Actions, func(a memory.Action) bool { return a.Memory == row.Memory.ID }) {
				continue
			}
			after := row.State()
			after.SupersededBy = by.ID
			a := row.Becomes(after, "supersede", fmt.Sprintf("the assistant stored %s in its place", by.ID))
			a.Needs, a.Group = by.ID, r.group()
			run.Add(a)
			replaced = append(replaced, row.Memory)
			isKept := r.isOwn && isQuoted(e, row.Memory) && knowledge.Agrees(by.Title+" "+by.Content, row.Memory.Content)
			if row.IsUsers() && !isKept {
				told = append(told, receipts.Receipt{Project: row.Memory.Project, Run: run.ID, Memory: row.Memory.ID, By: by.ID})
			}
		}
	}
	if len(run.Actions) > 0 {
		if _, err := in.Store.Commit(ctx, memory.Commit{Run: run}); err != nil {
			return nil, err
		}
	}
	if err := in.Receipts.Add(told...); err != nil {
		in.Log.Warn("the user is not told which memories were replaced", "error", err)
	}
	return replaced, nil
}

// dropUnasked adds to run an action that archives the fact m, because nobody typed the quote by which the user would have asked for it.
func (in *Intake) dropUnasked(ctx context.Context, run *memory.Run, m memory.Memory) error {
	rows, err := in.Store.Rows(ctx, memory.WithIDs{m.ID})
	if err != nil || len(rows) == 0 || rows[0].Memory.Status == memory.StatusArchived || rows[0].Sessions > 1 {
		return err
	}
	after := rows[0].State()
	after.Status, after.RetiredAt = memory.StatusArchived, run.StartedAt
	run.Add(rows[0].Becomes(after, "archive", "the user keeps only what he asks for, and did not type its quote"))
	return nil
}

// keptOf returns the memory of a batch that an event asked to keep, and whether there is one.
func keptOf(e memory.Event, batch memory.Batch) (memory.Memory, bool) {
	seen := slices.IndexFunc(batch.Sightings, func(s memory.Sighting) bool { return s.ID == e.ID })
	if seen < 0 {
		return memory.Memory{}, false
	}
	at := slices.IndexFunc(batch.Memories, func(m memory.Memory) bool { return m.ID == batch.Sightings[seen].Memory })
	if at < 0 {
		return memory.Memory{}, false
	}
	return batch.Memories[at], true
}

// replacement describes which memories a fact that the assistant stored replaces.
type replacement struct {
	named memory.Row   // memory that the event names; without an id if it names none
	why   string       // reason why named is not replaced; empty if it is
	gone  []memory.Row // memories that the fact replaces
	isOwn bool         // whether the user typed the event's quote
	waits bool         // whether the transcript has not yet told who typed it
	own   memory.Row   // the fact's row
	after string       // memory in gone that had superseded the fact, directly or through others; empty if there is none
}

// group names the actions that must be carried out all or none, so that no two memories supersede each other; empty if there are none.
func (r replacement) group() string {
	if r.after == "" {
		return ""
	}
	return r.own.Memory.ID
}

// ownChange returns the change of the fact itself; changes is false if there is none. The fact is current again if it
// replaces the memory that had superseded it. If the user typed the event's quote, the fact's scope becomes user if
// the quote says so, and it counts as said again if another session had stated it already.
func (r replacement) ownChange(e memory.Event) (a memory.Action, changes bool) {
	a = r.own.Becomes(r.own.State(), memory.ActionAmend, fmt.Sprintf("it was stored again after %s had replaced it", r.after))
	if r.isOwn && r.own.Sessions > 1 && !r.own.Memory.IsUsersWord() { // for the user's own sentence its sightings count the repetitions
		if again, isNew := r.own.Repeated(e.Session, fmt.Sprintf("the user had to say it again, by the words %q", e.Quote)); isNew {
			a, changes = again, true
		}
	}
	if m := r.own.Memory; r.isOwn && !r.waits && knowledge.SaysEverywhere(e.Quote) && m.Scope == memory.ScopeProject && m.Status == memory.StatusActive {
		if !changes {
			a.Kind = "widen"
		}
		a.Reason = fmt.Sprintf("the user says it for every project, by the words %q", e.Quote)
		a.After.Scope, a.After.Project, changes = memory.ScopeUser, "", true
	}
	if r.after != "" {
		a.After.SupersededBy, a.Group, changes = "", r.group(), true
	}
	return a, changes
}

// replacement returns which memories the fact by, made of the event e, replaces.
func (in *Intake) replacement(ctx context.Context, e memory.Event, by memory.Memory) (r replacement, err error) {
	at, said, err := in.quoted(ctx, e, by)
	if err != nil {
		return r, err
	}
	r.waits = in.isUnsure(e.Quote)
	if r.isOwn = !at.IsZero(); by.Status == memory.StatusActive {
		r.gone = said
	}
	if e.Replaces != "" {
		isSaid := func(row memory.Row) bool { return row.Memory.ID == r.named.Memory.ID }
		if r.named, r.why, err = in.toReplace(ctx, e, by, at); slices.ContainsFunc(r.gone, isSaid) {
			r.why = ""
		} else if r.why == "" && err == nil {
			r.gone = append(r.gone, r.named)
		}
	}
	if err != nil {
		return r, err
	}
	replaced := r.gone
	r.gone = nil
	var stay []memory.Row
	for _, row := range replaced {
		why, err := in.WhyNeeded(ctx, row, replaced, stay...)
		if err != nil {
			return r, err
		}
		switch {
		case why == "":
			r.gone = append(r.gone, row)
		case row.Memory.ID == r.named.Memory.ID:
			r.why = why
		default:
			stay = append(stay, row)
		}
	}
	return r, in.readOwn(ctx, by.ID, &r)
}

// readOwn sets own and after, if the fact with the id replaces anything or the user typed its quote. If the fact was
// superseded by a memory that it does not replace, it is not current itself: then it replaces nothing.
func (in *Intake) readOwn(ctx context.Context, id string, r *replacement) error {
	if !r.isOwn && len(r.gone) == 0 {
		return nil
	}
	rows, err := in.Store.Rows(ctx, memory.WithIDs{id})
	if err != nil || len(rows) == 0 {
		return err
	}
	r.own = rows[0]
	later, err := in.Successors(ctx, r.own)
	if err != nil || len(later) == 0 {
		return err
	}
	at := slices.IndexFunc(r.gone, func(row memory.Row) bool { return slices.Contains(later, row.Memory.ID) })
	if at >= 0 {
		r.after = r.gone[at].Memory.ID
		return nil
	}
	if slices.ContainsFunc(r.gone, func(row memory.Row) bool { return row.Memory.ID == r.named.Memory.ID }) {
		r.why = memory.ShortID(later[0]) + " stands in the place of the new one"
	}
	r.gone = nil
	return nil
}

// Successors returns the id of the memory that superseded a row, of the memory that superseded this one, and so on.
func (in *Intake) Successors(ctx context.Context, row memory.Row) (ids []string, err error) {
	for next := row.SupersededBy; next != "" && !slices.Contains(ids, next); {
		ids = append(ids, next)
		rows, err := in.Store.Rows(ctx, memory.WithIDs{next})
		if err != nil || len(rows) == 0 {
			return ids, err
		}
		next = rows[0].SupersededBy
	}
	return ids, nil
}

// WhyNeeded returns why a fact must not replace the user's words in a row, or "". They must stay if they may correct an
// older statement of the user's that is not replaced with them: otherwise the outdated statement would stand alone. They need not stay if
// the user's words in one of the rows in stay, which the fact quotes and which are not replaced, may correct that statement, too.
func (in *Intake) WhyNeeded(ctx context.Context, row memory.Row, replaced []memory.Row, stay ...memory.Row) (why string, err error) {
	if !row.IsUsers() {
		return "", nil
	}
	err = memory.EachRecallable(ctx, in.Store, row.Memory.Project, memory.PageRows, func(page []memory.Row) error {
		for _, older := range page {
			isReplaced := func(r memory.Row) bool { return r.Memory.ID == older.Memory.ID }
			isOlder := row.Memory.LastSeenAt.Sub(older.Memory.LastSeenAt) >= memory.OnePrompt
			if !older.Memory.IsUsersWord() || older.SupersededBy != "" || !isOlder || slices.ContainsFunc(replaced, isReplaced) {
				continue
			}
			mayCorrect := func(r memory.Row) bool { return knowledge.MayCorrect(r.Memory.Content, older.Memory.Content) }
			if mayCorrect(row) && !slices.ContainsFunc(stay, mayCorrect) {
				why = fmt.Sprintf("it may correct %s, which stands: %s; if that does not hold any more, replace it first; if it is about something else, the user can archive the old memory with ! memory forget %s",
					memory.ShortID(older.Memory.ID), receipts.Named(older.Memory.Content), memory.ShortID(row.Memory.ID))
			}
		}
		return nil
	})
	return why, err
}

// quoted returns when the user typed the quote of an event in its session (zero for never), and the memories of the user's sentences
// that the quote repeats (isQuoted) or of which the fact is a part (isPart). It ignores a quote that shares no word with the fact.
func (in *Intake) quoted(ctx context.Context, e memory.Event, by memory.Memory) (at time.Time, said []memory.Row, err error) {
	if e.Quote == "" || !knowledge.SharesWord(by.Title+" "+by.Content, e.Quote) {
		return at, nil, nil
	}
	record, err := in.continuation(ctx, e.Session)
	if errors.Is(err, memory.ErrNotFound) {
		return at, nil, nil
	}
	for _, p := range record.Prompts {
		if p.At.After(at) && !p.At.After(e.At) && knowledge.States(p.Text, e.Quote) {
			at = p.At
		}
	}
	if err != nil || at.IsZero() {
		return at, nil, err
	}
	var ids []string
	for _, seen := range record.Seen {
		if m := seen.Memory; m.IsUsersWord() && m.ID != by.ID && (isQuoted(e, m) || isPart(e, m)) {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) > 0 {
		said, err = in.Store.Rows(ctx, memory.WithIDs(ids))
	}
	return at, slices.DeleteFunc(said, func(row memory.Row) bool { return row.UserWritten || row.ReasonNotReplaceable(true) != "" }), err
}

// continuation looks for the next session of a cleared one among mostCleared sessions, and within clearTime of its end.
const (
	mostCleared = 20
	clearTime   = 10 * time.Second
)

// continuation returns the record of a session. If the user cleared the conversation, it returns the record of the
// session that followed: the MCP server keeps running then, and still names the first one.
func (in *Intake) continuation(ctx context.Context, id string) (memory.SessionRecord, error) {
	record, err := memory.RecordOf(ctx, in.Store, id)
	if err != nil || record.Session.EndReason != "clear" {
		return record, err
	}
	all, err := in.Store.Sessions(ctx, memory.LastSessions{Project: record.Session.Project, Limit: mostCleared})
	slices.SortFunc(all, func(a, b memory.Session) int { return a.StartedAt.Compare(b.StartedAt) })
	for _, next := range all {
		s := record.Session
		if err == nil && s.EndReason == "clear" && next.Source == "clear" && next.Dir == s.Dir && next.ID != s.ID && next.StartedAt.Sub(s.EndedAt).Abs() < clearTime {
			record, err = memory.RecordOf(ctx, in.Store, next.ID)
		}
	}
	return record, err
}

// isQuoted reports whether the quote of an event contains the text of a memory or is part of it.
func isQuoted(e memory.Event, m memory.Memory) bool {
	return knowledge.Quotes(m.Content, e.Quote) || knowledge.Quotes(e.Quote, m.Content)
}

// isPart reports whether a memory contains the text and title of an event, and the text has the same numbers and negations.
func isPart(e memory.Event, m memory.Memory) bool {
	return knowledge.Quotes(m.Content, e.Text) && (e.Title == "" || knowledge.Quotes(m.Content, e.Title)) && knowledge.Agrees(e.Text, m.Content)
}

// toReplace returns the row that e.Replaces names, and why the fact by must not replace it ("" if it may). at is when the user typed the quote, or zero. The
// fact may replace a memory from before at. If the memory is of words said in passing, a fact that only repeats a part of these words may replace it, too.
func (in *Intake) toReplace(ctx context.Context, e memory.Event, by memory.Memory, at time.Time) (row memory.Row, why string, err error) {
	m, err := memory.Find(ctx, in.Store, e.Replaces, in.Aliases.Of(e), "")
	switch {
	case errors.Is(err, memory.ErrNotFound):
		return row, "there is no such memory in this project", nil
	case errors.Is(err, memory.ErrInvalid):
		return row, memory.ErrorText(err), nil
	case err != nil:
		return row, "", err
	}
	rows, err := in.Store.Rows(ctx, memory.WithIDs{m.ID})
	if err != nil || len(rows) == 0 {
		return row, "there is no such memory in this project", err
	}
	isAhead := m.LastSeenAt.After(in.Now()) // not newer: a fast clock dated it ahead, but it was stored before e
	switch row = rows[0]; {
	case m.ID == by.ID:
		return row, "it has the same text", nil
	case by.Status != memory.StatusActive:
		return row, "the new memory is " + string(by.Status), nil
	case m.LastSeenAt.After(e.At) && !isAhead:
		return row, "it is newer", nil
	}
	isEarlier := m.LastSeenAt.Before(at) || isAhead && !at.IsZero() && m.Session != e.Session
	mayReplace := isEarlier || !row.UserWritten && isPart(e, m)
	if why = row.ReasonNotReplaceable(mayReplace); row.IsUsers() && !mayReplace {
		why += ": to replace it, set quote to a whole sentence, word for word, that the user typed after it in this session"
	}
	return row, why, nil
}
