package intake

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/filestate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/knowledge"
)

// TakeBack takes back what was said in rewound turns, which the user left by going back to an earlier prompt (/rewind),
// in the sessions that have ended since the last call. The hooks captured these turns; only the client's transcript shows
// that they were rewound. It logs what it cannot read.
func (in *Intake) TakeBack(ctx context.Context) {
	in.writing.Lock()
	ended := in.ended
	in.ended = nil
	in.writing.Unlock()
	for _, e := range ended {
		err := in.takeBackIn(ctx, e)
		if errors.Is(err, memory.ErrUnavailable) { // it is tried again with the next events
			in.writing.Lock()
			in.ended = append(in.ended, e)
			in.writing.Unlock()
		}
		if err != nil && ctx.Err() == nil {
			in.Log.Warn("a transcript was not searched for what was taken back", "of", e.Session, "file", e.Transcript, "error", err)
		}
	}
}

// TakeBackSilent does what TakeBack does, also for a session that ends because nothing was heard of it: it crashed. client is the
// client's folder, which has the transcripts.
func (in *Intake) TakeBackSilent(ctx context.Context, client, session string) {
	if client == "" || strings.ContainsAny(session, `/\*?[`) { // which no client has in the id of a session
		return
	}
	folder := filepath.Join(client, "projects")
	files, _ := fs.Glob(os.DirFS(folder), "*/"+session+".jsonl")
	in.writing.Lock()
	for _, file := range files {
		in.ended = append(in.ended, memory.Event{Session: session, Transcript: filepath.Join(folder, file)})
	}
	in.writing.Unlock()
	in.TakeBack(ctx)
}

// readTime limits the reading of a transcript, because a call to a file system that hangs never returns. A file of 90 MB
// took a second.
const readTime = 10 * time.Second

// takeBackIn is TakeBack for the session that ended in e.
func (in *Intake) takeBackIn(ctx context.Context, e memory.Event) error {
	type prompts struct {
		said []memory.Event
		err  error
	}
	found, answers := filestate.TryRead(ctx, &in.reads, filepath.Dir(e.Transcript), readTime, func() (p prompts) {
		p.said, p.err = in.promptsIn(ctx, e)
		return p
	})
	if !answers {
		return fmt.Errorf("its file system did not answer within %s", readTime)
	}
	if found.err != nil || len(found.said) == 0 {
		return found.err
	}
	in.writing.Lock()
	defer in.writing.Unlock()
	return in.takeBack(ctx, e.Session, func(p memory.Prompt) bool { return isTakenBack(p, found.said) }, "session")
}

// promptsIn returns the prompts in the transcript of a session, each with the text that the store has of it. It returns
// none if there is no transcript or nothing was rewound, because the caller then has nothing to do.
func (in *Intake) promptsIn(ctx context.Context, e memory.Event) ([]memory.Event, error) {
	t := importer.Transcript{File: e.Transcript}
	if err := t.ReadHead(); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	reader := importer.Reader{Wanted: func(_ context.Context, session string) (bool, error) { return session == e.Session, nil }}
	all, _, err := reader.Read(ctx, t)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(all, func(one memory.Event) bool { return one.TakenBack }) {
		return nil, nil
	}
	all = slices.DeleteFunc(all, func(one memory.Event) bool { return one.Kind != memory.EventPrompt })
	kept := map[string]string{} // by event
	for _, p := range in.batchOf(in.receivedAll(all)).Prompts {
		kept[p.ID] = memory.OneLine(p.Text)
	}
	for i := range all {
		all[i].Prompt = kept[all[i].ID]
	}
	return all, nil
}

// isTakenBack reports whether p is of a rewound turn. said are the prompts of the transcript. Of those with p's text whose
// time differs from p's by less than sameTime, the nearest is p.
func isTakenBack(p memory.Prompt, said []memory.Event) bool {
	var nearest memory.Event
	for _, one := range said {
		isSame := one.Prompt == memory.OneLine(p.Text) && one.At.Sub(p.At).Abs() < sameTime
		if isSame && (nearest.ID == "" || one.At.Sub(p.At).Abs() < nearest.At.Sub(p.At).Abs()) {
			nearest = one
		}
	}
	return nearest.TakenBack
}

// takeBack marks the rewound prompts of a session, and archives the memories that were said in rewound turns alone, except
// those that somebody has restored. Each change can be undone; the author in its record is by. The caller must hold
// in.writing.
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
	for _, id := range onlyRewound(record) {
		if err := in.archiveTakenBack(ctx, id, session, by); err != nil {
			return err
		}
	}
	return nil
}

// onlyRewound returns the memories that come from rewound turns of the session alone: the facts that a model wrote, and
// then the user's sentences, which these facts may have superseded. Of both the latest comes first.
func onlyRewound(record memory.SessionRecord) (ids []string) {
	held := record.Held()
	if len(held.Seen) == len(record.Seen) {
		return nil
	}
	var texts, words []string
	for _, p := range held.Prompts {
		texts = append(texts, p.Text)
	}
	for _, e := range held.SessionEvents {
		texts = append(texts, e.Text+" "+e.Detail)
	}
	isQuoted := func(m memory.Memory) bool {
		return slices.ContainsFunc(strings.Split(m.Detail, "\n"), func(passage string) bool {
			return slices.ContainsFunc(texts, func(text string) bool { return knowledge.Quotes(text, passage) })
		})
	}
	for _, seen := range slices.Backward(record.Seen) {
		m := seen.Memory
		isExtracted := strings.HasSuffix(seen.ID, "-"+m.ID[:min(12, len(m.ID))]) // as the ids of ingest's sightings end, and others do not
		switch {
		case slices.ContainsFunc(held.Seen, func(one memory.Seen) bool { return one.Memory.ID == m.ID }):
		case m.IsFact() && m.Source == memory.SourceAssistant && !isQuoted(m):
			ids = append(ids, m.ID)
		case m.Source == memory.SourceUser && isExtracted:
			words = append(words, m.ID)
		}
	}
	return append(ids, words...)
}

// takeBackSent follows the rewinds in imported sessions. It archives what was said in rewound turns alone, and makes a
// memory active again that was archived for the rewind of another session, if an imported session states it as well.
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
	var ids memory.WithIDs
	for _, s := range batch.Sightings {
		ids = append(ids, s.Memory)
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := in.Store.Rows(ctx, ids)
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
		holds, err := in.holds(ctx, row.Memory.ID, history.Seen)
		if holds && err == nil {
			_, err = in.amend(ctx, row.Memory.ID, memory.Change{ID: memory.NewEventID(now), At: now, By: "import", Status: memory.StatusActive, Reason: "said in another session, too"})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// holds reports whether a memory was said in a turn that was not rewound, in one of the sessions that saw it.
func (in *Intake) holds(ctx context.Context, id string, seen []memory.Sighting) (bool, error) {
	for i, s := range seen {
		if slices.ContainsFunc(seen[:i], func(one memory.Sighting) bool { return one.Session == s.Session }) {
			continue
		}
		record, err := memory.RecordOf(ctx, in.Store, s.Session)
		if isGone := errors.Is(err, memory.ErrNotFound); err != nil && !isGone || err == nil && !slices.Contains(onlyRewound(record), id) {
			return err == nil, err
		}
	}
	return false, nil
}

// archiveTakenBack archives a memory of rewound turns of a session, unless somebody has decided about it since, or it was also stated
// elsewhere: then it was only not said again in the session. What it superseded becomes active again, unless another memory has
// superseded the archived one.
func (in *Intake) archiveTakenBack(ctx context.Context, id, session, by string) error {
	rows, err := in.Store.Rows(ctx, memory.WithIDs{id})
	if err != nil || len(rows) == 0 {
		return err
	}
	row := rows[0]
	successor := row.SupersededBy
	if row.SupersededBy = ""; row.WhyStands(true) != "" { // a superseded memory is taken back, too
		return nil
	}
	history, err := in.Store.History(ctx, id)
	if err != nil {
		return err
	}
	var last time.Time
	for _, seen := range history.Seen {
		if seen.At.After(last) {
			last = seen.At
		}
	}
	isDecided := func(c memory.ChangeRecord) bool {
		isOurs := c.By == "session" || c.By == "import" || c.Reason == memory.AskedAgain // follows from what was said: nobody decided it
		return (c.Job == memory.Amend || c.Job == memory.Undo) && !isOurs && c.At.After(last)
	}
	if slices.ContainsFunc(history.Changes, isDecided) {
		return nil
	}
	now := in.Now().UTC()
	if holds, err := in.holds(ctx, id, history.Seen); holds || err != nil {
		if unsaid := row.Memory.Unsaid(session); err == nil && len(unsaid) > 0 {
			_, err = in.amend(ctx, id, memory.Change{ID: memory.NewEventID(now), At: now, By: by, RemoveTags: unsaid, Reason: memory.TookBack})
		}
		return err
	}
	if row.Memory.IsFact() && successor == "" {
		err = in.reinstate(ctx, row.Memory, by)
	}
	if err == nil {
		_, err = in.amend(ctx, id, memory.Change{ID: memory.NewEventID(now), At: now, By: by, Status: memory.StatusArchived, Reason: memory.TookBack})
	}
	return err
}

// reinstate makes the memories that a fact superseded active again, except those that another fact was to supersede, too. It fails
// with memory.ErrConflict if one of them was changed meanwhile. The caller must hold in.writing.
func (in *Intake) reinstate(ctx context.Context, fact memory.Memory, by string) error {
	var old []memory.Row
	heirs := map[string]string{}
	err := memory.EachRecallable(ctx, in.Store, fact.Project, memory.PageRows, func(rows []memory.Row) error {
		for _, row := range rows {
			if row.SupersededBy == fact.ID {
				old = append(old, row)
			}
			if row.Memory.Status == memory.StatusActive && row.SupersededBy == "" && row.Memory.ID != fact.ID {
				for _, from := range row.DerivedFrom {
					heirs[from] = row.Memory.ID
				}
			}
		}
		return nil
	})
	for _, row := range old {
		after := row.State()
		after.SupersededBy = heirs[row.Memory.ID]
		if err == nil {
			err = in.decide(ctx, row, after, nil, in.Now().UTC(), false, by, "you took back the words of "+memory.ShortID(fact.ID)+", which had superseded it")
		}
		in.publish(ctx, Committed{Memories: []memory.Memory{row.Memory}})
	}
	return err
}
