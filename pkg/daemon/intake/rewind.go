package intake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/knowledge"
)

// takeBack marks the prompts of a session for which isBack returns true as rewound. It archives what was said in rewound turns
// alone, unless somebody has decided about it since. by is the author of these changes. The caller must hold in.writing.
func (in *Intake) takeBack(ctx context.Context, session string, isBack func(memory.Prompt) bool, by string) error {
	record, err := memory.RecordOf(ctx, in.Store, session)
	if errors.Is(err, memory.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	var marks []memory.SessionEvent
	for _, p := range record.Prompts {
		isMarked := func(one memory.SessionEvent) bool { return one.Kind == memory.EventTakenBack && one.Detail == p.ID }
		if isBack(p) && !slices.ContainsFunc(record.SessionEvents, isMarked) {
			marks = append(marks, memory.SessionEvent{ID: p.ID + "-back", Session: session, Kind: memory.EventTakenBack, At: p.At, Text: memory.TookBack, Detail: p.ID})
		}
	}
	if len(marks) > 0 {
		made, err := in.Store.Conclude(ctx, memory.Batch{SessionEvents: marks}, []string{session}, nil, in.derive)
		if err != nil {
			return fmt.Errorf("mark %d prompts as taken back: %w", len(marks), err)
		}
		in.publish(ctx, Committed{Sessions: made.Sessions})
		record.SessionEvents = append(record.SessionEvents, marks...)
	}
	ids := onlyRewound(record)
	for _, s := range slices.Backward(rewound(record)) {
		if !slices.Contains(ids, s.Memory) {
			ids = append(ids, s.Memory)
		}
	}
	for _, id := range ids {
		err := in.unsay(ctx, id, by)
		for errors.Is(err, memory.ErrConflict) {
			err = in.unsay(ctx, id, by)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rewound returns the sightings in rewound turns that are of a user's sentence, or of a memory that comes from rewound turns alone.
func rewound(record memory.SessionRecord) (gone []memory.Sighting) {
	held, ids := record.WithoutRewound().Seen, onlyRewound(record)
	for _, s := range record.Seen {
		isHeld := slices.ContainsFunc(held, func(one memory.Seen) bool { return one.ID == s.ID && one.Memory.ID == s.Memory.ID })
		if !isHeld && (isExtracted(s) && s.Memory.Source == memory.SourceUser || slices.Contains(ids, s.Memory.ID)) {
			gone = append(gone, memory.Sighting{ID: s.ID, Memory: s.Memory.ID, Session: record.Session.ID, At: s.At})
		}
	}
	return gone
}

// isExtracted reports whether a sighting is of a sentence of a prompt: only such a sighting has an id that ends with the memory's id.
func isExtracted(s memory.Seen) bool {
	return strings.HasSuffix(s.ID, "-"+s.Memory.ID[:min(12, len(s.Memory.ID))])
}

// onlyRewound returns the ids of the memories that come from rewound turns of the session alone: first the facts that
// a model wrote, then the user's sentences, which these facts may have superseded. Each group begins with the latest.
func onlyRewound(record memory.SessionRecord) (ids []string) {
	held := record.WithoutRewound()
	if len(held.Seen) == len(record.Seen) {
		return nil
	}
	var words []string
	texts := slices.Concat(
		memory.Each(held.Prompts, func(p memory.Prompt) string { return p.Text }),
		memory.Each(held.SessionEvents, func(e memory.SessionEvent) string { return e.Text + " " + e.Detail }),
	)
	isQuoted := func(m memory.Memory) bool {
		return slices.ContainsFunc(strings.Split(m.Detail, "\n"), func(passage string) bool {
			return slices.ContainsFunc(texts, func(text string) bool { return knowledge.Quotes(text, passage) })
		})
	}
	for _, seen := range slices.Backward(record.Seen) {
		m := seen.Memory
		switch {
		case slices.ContainsFunc(held.Seen, func(one memory.Seen) bool { return one.Memory.ID == m.ID }):
		case m.IsFact() && m.Source == memory.SourceAssistant && !isQuoted(m):
			ids = append(ids, m.ID)
		case m.Source == memory.SourceUser && isExtracted(seen):
			words = append(words, m.ID)
		}
	}
	return append(ids, words...)
}

// takeBackSent follows the rewinds in imported sessions: it archives what was said in rewound turns alone. If an
// imported session states a memory that was archived for a rewind in another session, it makes the memory active again.
func (in *Intake) takeBackSent(ctx context.Context, batch memory.Batch) error {
	sessions := map[string]bool{}
	for _, e := range batch.SessionEvents {
		if e.Kind == memory.EventTakenBack && !sessions[e.Session] {
			sessions[e.Session] = true
			if err := in.takeBack(ctx, e.Session, func(memory.Prompt) bool { return false }, "import"); err != nil {
				return err
			}
		}
	}
	ids := memory.Each(batch.Sightings, func(s memory.Sighting) string { return s.Memory })
	if len(ids) == 0 {
		return nil
	}
	rows, err := in.Store.Rows(ctx, memory.WithIDs(ids))
	if err != nil {
		return err
	}
	for _, row := range rows {
		if !row.Memory.IsTakenBack() {
			continue
		}
		history, err := in.Store.History(ctx, row.Memory.ID)
		if err != nil {
			return err
		}
		now := in.Now().UTC()
		_, rest, err := in.sightings(ctx, row.Memory.ID, history.Seen)
		if len(rest) > 0 && err == nil {
			_, err = in.amend(ctx, row.Memory.ID, memory.Change{ID: memory.NewEventID(now), At: now, By: "import", Status: memory.StatusActive, Reason: "said in another session, too"})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sightings splits the sightings of a memory in stored sessions into those in rewound turns (gone) and the others (rest).
func (in *Intake) sightings(ctx context.Context, id string, seen []memory.Sighting) (gone, rest []memory.Sighting, err error) {
	isGone := map[string]bool{}
	for i, s := range seen {
		if slices.ContainsFunc(seen[:i], func(one memory.Sighting) bool { return one.Session == s.Session }) {
			continue
		}
		record, err := memory.RecordOf(ctx, in.Store, s.Session)
		if err != nil && !errors.Is(err, memory.ErrNotFound) {
			return nil, nil, err
		}
		for _, one := range rewound(record) {
			isGone[one.ID] = isGone[one.ID] || one.Memory == id
		}
		for _, one := range seen[i:] {
			switch {
			case one.Session != s.Session || err != nil:
			case isGone[one.ID]:
				gone = append(gone, one)
			default:
				rest = append(rest, one)
			}
		}
	}
	return gone, rest, nil
}

// unsay undoes the effect of rewound turns on a memory. If nobody has decided about the memory since, unsay archives it in two cases:
// it was said nowhere else, or it had been archived before and only a rewound turn asked for it again. The memories that it superseded
// then hold again (package book), unless it is superseded itself. unsay fails with memory.ErrConflict if a row was changed meanwhile.
func (in *Intake) unsay(ctx context.Context, id, by string) error {
	rows, err := in.Store.Rows(ctx, memory.WithIDs{id})
	if err != nil || len(rows) == 0 {
		return err
	}
	row := rows[0]
	history, err := in.Store.History(ctx, id)
	if err != nil {
		return err
	}
	gone, rest, err := in.sightings(ctx, id, history.Seen)
	if err != nil {
		return err
	}
	now := in.Now().UTC()
	if after := row.Without(gone, rest).State(); len(after.Changed(row.State())) > 0 {
		if err := in.decide(ctx, row, after, nil, now, row.Rejected, by, memory.TookBack); err != nil {
			return err
		}
		in.publish(ctx, Committed{Memories: []memory.Memory{row.With(after).Memory}})
	}
	if !mayBeUnsaid(row, history) {
		return nil
	}
	reason := memory.TookBack
	if len(rest) > 0 {
		if reason = "you took back that you asked for it again"; !isAskedIn(gone, history) {
			return nil
		}
	}
	_, err = in.amend(ctx, id, memory.Change{ID: memory.NewEventID(now), At: now, By: by, Status: memory.StatusArchived, Reason: reason})
	return err
}

// mayBeUnsaid reports whether nobody has decided about a memory since it was last said.
func mayBeUnsaid(row memory.Row, history memory.History) bool {
	row.SupersededBy = "" // a superseded memory is taken back, too
	if row.Memory.Source == memory.SourceUser {
		row.Memory.Scope = memory.ScopeProject // a memory of user scope is taken back, too
	}
	var last time.Time
	for _, seen := range history.Seen {
		if seen.At.After(last) {
			last = seen.At
		}
	}
	return row.ReasonNotReplaceable(true) == "" && !slices.ContainsFunc(history.Changes, func(c memory.ChangeRecord) bool {
		isOurs := c.By == "session" || c.By == "import" || c.Reason == memory.AskedAgain // a change that followed from what was said is nobody's decision
		return (c.Job == memory.Amend || c.Job == memory.Undo) && !isOurs && c.At.After(last)
	})
}

// isAskedIn reports whether the request that last restored an archived memory is one of the given sightings.
func isAskedIn(some []memory.Sighting, history memory.History) bool {
	last := memory.Sighting{}
	for _, c := range history.Changes {
		for _, s := range history.Seen {
			if c.Reason == memory.AskedAgain && !s.At.After(c.At) && !s.At.Before(last.At) {
				last = s
			}
		}
	}
	return slices.ContainsFunc(some, func(s memory.Sighting) bool { return s.ID == last.ID })
}
