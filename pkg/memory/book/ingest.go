package book

import (
	"fmt"
	"maps"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

func BatchKeys(b memory.Batch) memory.Keys {
	k := memory.Keys{
		Projects: memory.Each(b.Projects, func(p memory.Project) string { return p.Key }),
		Sessions: memory.Union(
			memory.Each(b.Sessions, func(s memory.Session) string { return s.ID }),
			memory.Each(b.Summaries, func(s memory.SessionSummary) string { return s.Session }),
		),
		Memories: memory.Union(
			memory.Each(b.Memories, func(m memory.Memory) string { return m.ID }), b.UserWritten,
			memory.Each(b.Derived, func(d memory.Derivation) string { return d.Memory }),
			memory.Each(b.Uses, func(u memory.Use) string { return u.Memory }),
		),
		Queued: memory.Each(b.Queued, func(d memory.Distillation) string { return d.Session }),
		Uses:   memory.Each(b.Uses, memory.Use.Key),
	}
	if len(b.Memories) > 0 {
		k.Jobs = []string{clock}
	}
	return k
}

// BatchWrite returns the write of a batch. Repeating it, or writing its parts in another order, gives the
// same rows. It includes unchanged rows, because a journal may lack them.
func BatchWrite(b memory.Batch, stored memory.Rows) memory.Write { return written(b, stored).write }

func written(b memory.Batch, stored memory.Rows) *batchWrite {
	w := &batchWrite{stored: stored, sessions: maps.Clone(stored.Sessions), memories: maps.Clone(stored.Memories)}
	for _, p := range b.Projects {
		old, isThere := stored.Projects[p.Key]
		switch next := old; {
		case !isThere:
			w.add(memory.ProjectRow{Project: p})
		case p.SeenAt.After(old.SeenAt):
			next.Project = p
			w.change(old, next)
		default:
			w.change(old, old)
		}
	}
	addAll(w, b.Days)
	addAll(w, b.Prompts)
	addAll(w, memory.EventRows(b.SessionEvents))
	w.ofSessions(b)
	w.ofMemories(b)
	addAll(w, b.Sightings)
	addAll(w, b.Injections)
	for _, d := range b.Queued {
		if old, isThere := stored.Queued[d.Session]; !isThere {
			w.add(d)
		} else if isAskedAgain(old, d) {
			w.change(old, d)
		}
	}
	addAll(w, b.Spent)
	return w
}

// isAskedAgain reports whether a request replaces an entry of the queue. An entry that is waiting and never failed
// may get an earlier time.
func isAskedAgain(old, d memory.Distillation) bool {
	switch old.State {
	case memory.DistillationWaiting:
		return old.Tries == 0 && d.NextTry.Before(old.NextTry)
	case memory.DistillationRunning:
		return false
	default:
		return true
	}
}

// batchWrite is an unfinished write of a batch, with the new state of its rows.
type batchWrite struct {
	write    memory.Write
	stored   memory.Rows
	sessions map[string]memory.Session
	memories map[string]memory.Row
	// superseded are the memories that lost their place to an older one, which was said again.
	superseded []memory.Memory
}

func (w *batchWrite) add(row any) { w.change(nil, row) }

func (w *batchWrite) change(before, after any) {
	w.write.Rows = append(w.write.Rows, memory.RowChange{Before: before, After: after})
}

func addAll[T any](w *batchWrite, rows []T) {
	for _, row := range rows {
		w.add(row)
	}
}

func (w *batchWrite) ofSessions(b memory.Batch) {
	var ids []string
	for _, s := range b.Sessions {
		if old, isThere := w.sessions[s.ID]; isThere {
			s = MergeSession(old, s)
		}
		w.sessions[s.ID] = s
		ids = append(ids, s.ID)
	}
	for _, one := range b.Summaries {
		if s, isThere := w.sessions[one.Session]; isThere {
			w.sessions[one.Session] = WithSummary(s, one.Summary)
			ids = append(ids, one.Session)
		}
	}
	emit(w, ids, w.stored.Sessions, w.sessions)
}

// emit adds the changes of some rows, in the order of their ids.
func emit[T any](w *batchWrite, ids []string, stored, rows map[string]T) {
	for _, id := range memory.Union(ids) {
		before, isThere := stored[id]
		if after := rows[id]; isThere {
			w.change(before, after)
		} else {
			w.add(after)
		}
	}
}

func (w *batchWrite) ofMemories(b memory.Batch) {
	var ids []string
	set := func(id string, change func(*memory.Row)) {
		if row, isThere := w.memories[id]; isThere {
			change(&row)
			w.memories[id] = row
			ids = append(ids, id)
		}
	}
	for _, m := range b.Memories {
		old, isThere := w.memories[m.ID]
		if !isThere {
			w.memories[m.ID] = NewRow(m)
			ids = append(ids, m.ID)
			continue
		}
		isAsked := slices.Contains(b.Asked, m.ID)
		see := func(id string, next memory.Memory) {
			was := w.memories[id]
			isAgain := isAsked && !isEcho(was.Memory, m) && m.LastSeenAt.After(was.Memory.LastSeenAt)
			set(id, func(row *memory.Row) {
				if isAgain {
					*row = saidAgain(*row, m)
				}
				*row, _ = AddSighting(*row, next)
			})
			if isAgain {
				ids = append(ids, w.makeCurrent(was, m)...)
			}
		}
		if target := w.memories[old.MergedInto].Memory; target.LastSeenAt.Before(m.LastSeenAt) && !isEcho(target, m) {
			target.LastSeenAt = m.LastSeenAt
			see(old.MergedInto, target)
		}
		see(m.ID, m)
	}
	for _, id := range b.UserWritten {
		set(id, func(row *memory.Row) { row.UserWritten = true })
	}
	for _, d := range b.Derived {
		set(d.Memory, func(row *memory.Row) {
			if !slices.Contains(row.DerivedFrom, d.From) {
				row.DerivedFrom = append(slices.Clone(row.DerivedFrom), d.From)
			}
		})
	}
	for _, u := range w.firstUses(b.Uses) {
		set(u.Memory, func(row *memory.Row) {
			row.Uses++
			if u.At.After(row.UsedAt) {
				row.UsedAt = u.At
			}
		})
	}
	emit(w, ids, w.stored.Memories, w.memories)
}

// makeCurrent makes the memory that m states again hold: the memory then supersedes its successor. was is the memory's row before m. The
// successor stays in force if it is newer than m or pinned, or if its author is trusted more than m's. makeCurrent records the
// change as a decision, so that other machines hear of it, and returns the ids of the changed rows.
func (w *batchWrite) makeCurrent(was memory.Row, m memory.Memory) (changed []string) {
	id, by := was.Memory.ID, memory.Row{}
	row, passed := w.memories[id], map[string]bool{id: true}
	for next := row.SupersededBy; next != "" && !passed[next]; next = by.SupersededBy {
		passed[next], by = true, w.memories[next]
	}
	if row.Memory.Status != memory.StatusActive || row.SupersededBy == "" && !was.Rejected && was.Memory.Scope == row.Memory.Scope {
		return nil
	}
	at := dated(m.LastSeenAt, w.stored)
	run := memory.Run{ID: fmt.Sprintf("%016x-%.12s", at.UnixNano(), id), Job: memory.Amend, Trigger: string(m.Source), StartedAt: at, EndedAt: at, Notes: []string{"restored"}}
	if by.Memory.Status == memory.StatusActive {
		isLess := !m.IsUsersWord() && (by.UserWritten && !row.UserWritten || by.Memory.Outranks(row.Memory))
		mayNot := by.SupersededBy != "" && by.SupersededBy != id || by.Memory.Pinned || isLess || !row.Memory.LastSeenAt.After(by.Memory.LastSeenAt)
		if mayNot && !was.Rejected {
			return nil
		}
		if after := by.State(); !mayNot {
			after.SupersededBy = id
			run.Add(recorded(by.Becomes(after, memory.ActionAmend, memory.ShortID(id)+" was said again")))
			w.memories[by.Memory.ID], changed = by.With(after), append(changed, by.Memory.ID)
			w.superseded = append(w.superseded, by.Memory)
		}
	}
	row.SupersededBy = ""
	w.memories[id] = row
	after := was.State().Patch([]string{"status", "retired_at", "superseded_by", "detail", "scope", "project"}, row.State())
	run.Add(recorded(was.Becomes(after, memory.ActionAmend, memory.AskedAgain)))
	w.add(run)
	return append(changed, id)
}

// firstUses adds the first use of each memory by each session, and returns them.
func (w *batchWrite) firstUses(uses []memory.Use) []memory.Use {
	var first []memory.Use
	isIn := map[memory.Use]bool{}
	for _, u := range uses {
		key := u.Key()
		if _, isThere := w.memories[u.Memory]; isThere && !w.stored.Uses[key] && !isIn[key] {
			first, isIn[key] = append(first, u), true
		}
	}
	addAll(w, first)
	return first
}
