package importer

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
)

// TranscriptImport imports transcripts. It can be interrupted at any time; the next import continues there.
type TranscriptImport struct {
	State  *State
	Writer *Writer
	// Known returns the given sessions that the store has. If it is nil, the store is not asked.
	Known func(ctx context.Context, ids []string) ([]memory.Session, error)
	// ProjectOf returns the project of a directory, and whether it is off.
	ProjectOf func(dir string) (where project.Project, isOff bool)
	// Again imports also the transcripts that were imported before, and sessions that hooks captured.
	Again bool
	// DryRun leaves the state as it is.
	DryRun bool
	// Advance is called with the number of bytes that were processed.
	Advance func(bytes int64)

	owners map[string]string // session of each event, by the event's ID
	wanted map[string]bool
	read   []Transcript // transcripts whose events are not all stored yet
	unsent int          // number of events of these transcripts
	result SessionsReport
}

// SessionsReport counts the transcripts.
type SessionsReport struct {
	Files         int `json:"files"`        // transcripts that were read
	Unchanged     int `json:"unchanged"`    // transcripts that had been imported before
	Captured      int `json:"captured"`     // sessions that were skipped because hooks captured them
	Off           int `json:"off"`          // transcripts of projects that are off
	Nowhere       int `json:"nowhere"`      // transcripts without a directory
	WithoutPrompt int `json:"silent"`       // transcripts that were read and have no prompt
	Copied        int `json:"copied"`       // events at the beginning of a session that were copied from another session
	BrokenLines   int `json:"broken_lines"` // lines that are not JSON, or have an unknown form
	LongLines     int `json:"long_lines"`   // lines that are too long to be read
	// FirstBroken names the first line that was skipped.
	FirstBroken string `json:"first_broken,omitempty"`
	// Unread is the number of transcripts and folders that could not be read. FirstUnread names the first, with the reason.
	Unread      int    `json:"unread"`
	FirstUnread string `json:"first_unread,omitempty"`
}

const (
	// storedAtOnce is the number of events after which the transcripts that were read are recorded in the state.
	storedAtOnce = 2000
	// askedAtOnce is roughly the number of transcripts whose sessions the daemon is asked about at once.
	askedAtOnce = 200
)

// Run imports the transcripts. Even if it fails, the work in its report was done.
func (i *TranscriptImport) Run(ctx context.Context, transcripts []Transcript) (SessionsReport, error) {
	i.owners = map[string]string{}
	err := i.Waiting(ctx, transcripts, func(t Transcript, where project.Project) error {
		i.result.Files++
		return i.importOne(ctx, t, where)
	})
	if err != nil {
		return i.result, err
	}
	return i.result, i.record(ctx)
}

// Waiting calls visit for each transcript that Run reads, with its project. It counts the other transcripts and advances past them.
func (i *TranscriptImport) Waiting(
	ctx context.Context, transcripts []Transcript, visit func(Transcript, project.Project) error,
) error {
	i.wanted = map[string]bool{}
	for some := range slices.Chunk(transcripts, askedAtOnce) {
		var ids []string // of sessions with something new
		for _, t := range some {
			if t.Session != "" && !i.isUnchanged(t) {
				ids = append(ids, t.Session)
			}
		}
		if err := i.decide(ctx, ids...); err != nil {
			return err
		}
		for _, t := range some {
			where, isWaiting, err := i.isWaiting(ctx, t)
			if isWaiting {
				err = visit(t, where)
			} else {
				i.Advance(t.State.Size)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// isUnchanged reports whether a transcript is as it was when it was imported.
func (i *TranscriptImport) isUnchanged(t Transcript) bool {
	imported, isKnown := i.State.Files[t.File]
	return isKnown && !i.Again && imported == t.State
}

// isWaiting reports whether a transcript is to be imported. It counts the reason if it is not.
func (i *TranscriptImport) isWaiting(ctx context.Context, t Transcript) (where project.Project, isWaiting bool, err error) {
	switch {
	case t.Unread != nil:
		i.result.Unread++
		i.result.FirstUnread = cmp.Or(i.result.FirstUnread, fmt.Sprintf("%s: %v", t.File, t.Unread))
	case i.isUnchanged(t):
		i.result.Unchanged++
	case t.Dir == "" || t.Session == "":
		i.result.Nowhere++
	default:
		var isOff bool
		if where, isOff = i.ProjectOf(t.Dir); isOff {
			i.result.Off++
		} else {
			isWaiting, err = i.isWanted(ctx, t.Session)
		}
	}
	return where, isWaiting, err
}

func (i *TranscriptImport) importOne(ctx context.Context, t Transcript, where project.Project) error {
	reader := Reader{Project: where, ProjectOf: i.ProjectOf, Wanted: i.isWanted}
	events, report, err := reader.Read(ctx, t)
	if err != nil {
		return err
	}
	i.Advance(t.State.Size)
	if report.WithoutPrompt {
		i.result.WithoutPrompt++
	}
	i.result.BrokenLines += report.Broken
	i.result.LongLines += report.TooLong
	if report.FirstBroken > 0 && i.result.FirstBroken == "" {
		i.result.FirstBroken = fmt.Sprintf("%s:%d", t.File, report.FirstBroken)
	}
	events = i.own(events)
	i.read, i.unsent = append(i.read, t), i.unsent+len(events)
	if err := i.Writer.Put(ctx, events...); err != nil || i.unsent < storedAtOnce {
		return err
	}
	return i.record(ctx)
}

// own returns the events that this import has not seen in another session before: copies of a session's history have
// the same IDs. The store finds the copies of earlier imports.
func (i *TranscriptImport) own(events []memory.Event) []memory.Event {
	return slices.DeleteFunc(events, func(e memory.Event) bool {
		owner, isKnown := i.owners[e.ID]
		if !isKnown {
			i.owners[e.ID] = e.Session
			return false
		}
		if owner != e.Session {
			i.result.Copied++
		}
		return owner != e.Session
	})
}

// record stores the waiting events, and then records in the state the transcripts that they come from. After an
// interruption the next import reads those again that are not recorded, which stores nothing twice.
func (i *TranscriptImport) record(ctx context.Context) error {
	if err := i.Writer.Flush(ctx); err != nil || len(i.read) == 0 {
		return err
	}
	for _, t := range i.read {
		i.State.Files[t.File] = t.State
	}
	i.read, i.unsent = nil, 0
	if i.DryRun {
		return nil
	}
	return i.State.Save()
}

func (i *TranscriptImport) isWanted(ctx context.Context, session string) (bool, error) {
	err := i.decide(ctx, session)
	return i.wanted[session], err
}

// decide decides whether the sessions are imported. A session is not if hooks have captured it since it was imported
// last, because that is all of its new events.
func (i *TranscriptImport) decide(ctx context.Context, sessions ...string) error {
	sessions = slices.DeleteFunc(sessions, func(id string) bool { _, isDecided := i.wanted[id]; return isDecided })
	if len(sessions) == 0 {
		return nil
	}
	var stored []memory.Session
	if i.Known != nil && !i.Again {
		var err error
		if stored, err = i.Known(ctx, sessions); err != nil {
			return err
		}
	}
	for _, id := range sessions {
		i.wanted[id] = true
	}
	for _, s := range stored {
		if s.Source != transcriptSource && i.wanted[s.ID] {
			i.wanted[s.ID] = false
			i.result.Captured++
		}
	}
	return nil
}
