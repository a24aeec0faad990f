package intake

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/filestate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/knowledge"
)

// TakeBack reads the transcripts of the sessions that have ended since its last call, or in which a turn has ended that may have asked to
// keep something in all projects. It stores what the user typed while refusing or approving calls, which no hook gets. It takes back what
// was said in rewound turns, which the hooks captured before the user left these turns by going back to an earlier prompt (/rewind). It lets
// hold in all projects what the user typed for all. It logs what it cannot read.
func (in *Intake) TakeBack(ctx context.Context) {
	in.takingBack.Lock() // a second call returns when the first has read what had ended before
	defer in.takingBack.Unlock()
	in.writing.Lock()
	ended := in.ended
	in.ended = nil
	in.writing.Unlock()
	for _, e := range ended {
		err := in.takeBackIn(ctx, e)
		if errors.Is(err, memory.ErrUnavailable) { // the next call tries again
			in.writing.Lock()
			in.ended = append(in.ended, e)
			in.writing.Unlock()
		}
		if err != nil && ctx.Err() == nil {
			in.Log.Warn("a transcript was not read to its end", "of", e.Session, "file", e.Transcript, "error", err)
		}
	}
}

// readTime limits the reading of a transcript on a file system that hangs. A file of 90 MB took a second.
const readTime = 10 * time.Second

// takeBackIn does the work of TakeBack for one session, whose end is the event e.
func (in *Intake) takeBackIn(ctx context.Context, e memory.Event) error {
	type words struct {
		said, dialogs, typed []memory.Event
		err                  error
	}
	found, answers := filestate.TryRead(ctx, &in.reads, filepath.Dir(e.Transcript), readTime, func() (w words) {
		w.said, w.dialogs, w.typed, w.err = in.wordsIn(ctx, e)
		return w
	})
	if !answers {
		return fmt.Errorf("its file system did not answer within %s", readTime)
	}
	if found.err != nil {
		return found.err
	}
	in.writing.Lock()
	defer in.writing.Unlock()
	record, err := memory.RecordOf(ctx, in.Store, e.Session)
	if err != nil && !errors.Is(err, memory.ErrNotFound) {
		return err
	}
	if dialogs := in.Aliases.withoutOff(whileCaptured(found.dialogs, found.said, record.Prompts)); len(dialogs) > 0 {
		if _, err := in.importBatch(ctx, dialogs, &daemonapi.ImportResult{}); err != nil {
			return err
		}
	}
	if err := in.widen(ctx, in.Aliases.withoutOff(found.typed), record.Seen); err != nil {
		return err
	}
	if len(found.said) == 0 {
		return nil
	}
	return in.takeBack(ctx, e.Session, func(p memory.Prompt) bool { return isTakenBack(p, found.said) }, "session")
}

// widen makes hold in all projects what typed prompts ask to keep in all, and the facts of the session that quote a prompt which says so, unless somebody has
// decided since where it holds.
func (in *Intake) widen(ctx context.Context, typed []memory.Event, seen []memory.Seen) error {
	said := map[string]time.Time{}
	for _, m := range in.batchOf(in.receivedAll(typed)).Memories {
		if m.Scope == memory.ScopeUser {
			said[m.ID] = m.LastSeenAt
		}
	}
	for _, one := range seen {
		quote, _, _ := strings.Cut(one.Memory.Detail, "\n")
		quote = strings.Trim(quote, `"`)
		if at := slices.IndexFunc(typed, func(e memory.Event) bool { return knowledge.States(e.Prompt, quote) }); at >= 0 && one.Memory.Source == memory.SourceAssistant && knowledge.SaysEverywhere(quote) {
			said[one.Memory.ID] = typed[at].At
		}
	}
	ids := slices.Collect(maps.Keys(said))
	if len(ids) == 0 {
		return nil
	}
	rows, err := in.Store.Rows(ctx, memory.WithIDs(ids))
	if err != nil {
		return err
	}
	decisions, err := in.Store.Decisions(ctx, ids)
	if err != nil {
		return err
	}
	last, now := memory.LastDecisions(decisions), in.Now().UTC()
	for _, row := range rows {
		if id := row.Memory.ID; row.Memory.Scope == memory.ScopeProject && !last[id]["scope"].After(said[id]) {
			c := memory.Change{ID: memory.NewEventID(now), At: now, By: "session", Scope: memory.ScopeUser, Reason: "you typed it for all your projects"}
			if _, err := in.amend(ctx, id, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// wordsIn reads the transcript of the session of e. It returns the session's prompts, with their texts as the store has them, what a person typed while
// refusing or approving calls, and the prompts that a person typed and did not take back, as events. If nothing was rewound or typed so, the caller needs no said, and gets none.
func (in *Intake) wordsIn(ctx context.Context, e memory.Event) (said, dialogs, typed []memory.Event, err error) {
	t := importer.Transcript{File: e.Transcript}
	if err := t.ReadHead(); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil, nil
	} else if err != nil {
		return nil, nil, nil, err
	}
	all, report, err := t.Events(ctx, importer.In(e.Project, e.Dir))
	if err != nil {
		return nil, nil, nil, err
	}
	isOthers := func(one memory.Event) bool { return one.Session != e.Session }
	if all = slices.DeleteFunc(all, isOthers); e.ByUser {
		dialogs = in.receivedAll(slices.DeleteFunc(report.Dialogs, isOthers))
	}
	all = slices.DeleteFunc(all, func(one memory.Event) bool { return one.Kind != memory.EventPrompt })
	for _, one := range all {
		if one.Prompt = importer.Unmarked(one.Prompt); !one.TakenBack && !one.Unsure {
			typed = append(typed, one)
		}
	}
	if len(dialogs) == 0 && !slices.ContainsFunc(all, func(one memory.Event) bool { return one.TakenBack }) {
		return nil, nil, typed, nil
	}
	kept := map[string]string{} // texts of prompts by their events' ids
	for _, p := range in.batchOf(in.receivedAll(all)).Prompts {
		kept[p.ID] = memory.OneLine(p.Text)
	}
	for i := range all {
		all[i].Prompt = kept[all[i].ID]
	}
	return all, dialogs, typed, nil
}

// whileCaptured returns the dialogs that happened while hooks captured the session: the prompts in the transcript (said) that are next to a dialog,
// before and after it, are in the store. A prompt that is not was typed while memory was off, and so may be the words of the dialog.
func whileCaptured(dialogs, said []memory.Event, stored []memory.Prompt) []memory.Event {
	isDialog := func(one memory.Event) bool {
		return slices.ContainsFunc(dialogs, func(d memory.Event) bool { return d.ID == one.ID })
	}
	isMissing := func(one memory.Event) bool { // no command is: hooks see some of them in another form, or not at all
		return one.Prompt != "" && one.Prompt[0] != '/' && !slices.ContainsFunc(stored, func(p memory.Prompt) bool { return isPrompt(one, p) })
	}
	return slices.DeleteFunc(slices.Clone(dialogs), func(d memory.Event) bool {
		var before, after memory.Event
		for _, one := range said {
			switch {
			case isDialog(one):
			case !one.At.After(d.At):
				before = one
			case after.ID == "":
				after = one
			}
		}
		return isMissing(before) || isMissing(after)
	})
}

// isPrompt reports whether a prompt in a transcript is a stored one: it has the same text, and was typed within sameTime.
func isPrompt(one memory.Event, p memory.Prompt) bool {
	return one.Prompt == memory.OneLine(p.Text) && one.At.Sub(p.At).Abs() < sameTime
}

// isTakenBack looks for the equal prompt in the transcript that is nearest in time, within sameTime, and reports whether it was rewound.
func isTakenBack(p memory.Prompt, said []memory.Event) bool {
	var nearest memory.Event
	for _, one := range said {
		if isPrompt(one, p) && (nearest.ID == "" || one.At.Sub(p.At).Abs() < nearest.At.Sub(p.At).Abs()) {
			nearest = one
		}
	}
	return nearest.TakenBack
}
