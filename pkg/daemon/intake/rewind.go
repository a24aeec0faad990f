package intake

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/filestate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// TakeBack takes back what was said in the turns that the user left by going back to an earlier prompt, in the sessions
// that have ended since the last call. The hooks captured these turns; only the client's transcript shows that the user
// left them. It logs what it cannot read.
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
	record, err := memory.RecordOf(ctx, in.Store, e.Session)
	if err != nil {
		return err
	}
	var marks []memory.SessionEvent
	var back []memory.Sighting
	for _, p := range record.Prompts {
		if !isTakenBack(p, found.said) {
			continue
		}
		isMarked := func(one memory.SessionEvent) bool { return one.Kind == memory.EventTakenBack && one.Detail == p.ID }
		if !slices.ContainsFunc(record.SessionEvents, isMarked) {
			marks = append(marks, memory.SessionEvent{ID: p.ID + "-back", Session: e.Session, Kind: memory.EventTakenBack, At: p.At, Text: tookBack, Detail: p.ID})
		}
		for _, seen := range record.Seen {
			if strings.HasPrefix(seen.ID, p.ID+"-") {
				back = append(back, memory.Sighting{ID: seen.ID, Memory: seen.Memory.ID})
			}
		}
	}
	if len(marks) > 0 {
		made, err := in.Store.Conclude(ctx, memory.Batch{SessionEvents: marks}, []string{e.Session}, nil, in.derive)
		if err != nil {
			return fmt.Errorf("mark %d prompts: %w", len(marks), err)
		}
		in.publish(ctx, Committed{Sessions: made.Sessions})
	}
	return in.takeBack(ctx, back, "session")
}

// promptsIn returns the prompts in the transcript of a session, as they are stored; none if there is no transcript, or the
// user took none of them back.
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

// isTakenBack reports whether the user took p back. said are the prompts of its transcript: the one with the same text
// that is nearest in time counts, if its time is the same.
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

// tookBack is the text of a mark, and the reason in the change with which takeBack archives a memory.
const tookBack = "you took the prompt back"

// takeBack archives the memories that were seen in prompts that the user took back, except those that were also stated
// elsewhere or that somebody has restored. Each change can be undone; its record names by as the author.
func (in *Intake) takeBack(ctx context.Context, back []memory.Sighting, by string) error {
	isBack, ids := map[string]bool{}, []string(nil)
	for _, s := range back {
		isBack[s.ID], ids = true, append(ids, s.Memory)
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := in.Store.Rows(ctx, memory.WithIDs(ids))
	for _, row := range rows {
		var history memory.History
		if history, err = in.Store.History(ctx, row.Memory.ID); err != nil {
			return err
		}
		isElsewhere := slices.ContainsFunc(history.Seen, func(s memory.Sighting) bool { return !isBack[s.ID] })
		wasArchived := slices.ContainsFunc(history.Changes, func(c memory.ChangeRecord) bool { return c.Reason == tookBack })
		if isElsewhere || wasArchived || row.WhyStands(true) != "" {
			continue
		}
		now := in.Now().UTC()
		c := memory.Change{ID: memory.NewEventID(now), At: now, By: by, Status: memory.StatusArchived, Reason: tookBack}
		if _, err = in.amend(ctx, row.Memory.ID, c); err != nil {
			return err
		}
	}
	return err
}
