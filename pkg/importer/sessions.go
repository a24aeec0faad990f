package importer

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// TranscriptImport imports transcripts. It can be interrupted at any time: the next import reads all of them again, and the IDs of the
// events, which come from the content, keep it from storing anything twice.
type TranscriptImport struct {
	Writer *Writer
	// Known returns those of the given sessions that the store has. If it is nil, the store is not asked.
	Known     func(ctx context.Context, ids []string) ([]memory.Session, error)
	ProjectOf ProjectOf
	// Again imports also the sessions that hooks captured.
	Again bool
	// New leaves out the sessions that an earlier import has stored, which may have grown since.
	New bool

	owners map[string]string // session of each event, by the event's ID
	wanted map[string]bool
	result SessionsReport
}

// SessionsReport counts the transcripts.
type SessionsReport struct {
	Files         int `json:"files"`        // transcripts that were read
	Captured      int `json:"captured"`     // sessions that were skipped because hooks captured them
	Off           int `json:"off"`          // transcripts of projects that are off
	Nowhere       int `json:"nowhere"`      // transcripts without a directory or a session
	WithoutPrompt int `json:"silent"`       // transcripts that were read and have no prompt
	Copied        int `json:"copied"`       // events at the beginning of a session that were copied from another session
	BrokenLines   int `json:"broken_lines"` // lines that are not JSON, have an unknown form, or are too long to be read
	// FirstBroken names the first line that was skipped.
	FirstBroken string `json:"first_broken,omitempty"`
	// Unread is the number of transcripts and folders that could not be read. FirstUnread names the first, with the reason.
	Unread      int    `json:"unread"`
	FirstUnread string `json:"first_unread,omitempty"`
}

// askedAtOnce is the number of transcripts whose sessions the daemon is asked about at once.
const askedAtOnce = 200

// Run imports the transcripts. Even if it fails, the work in its report was done.
func (i *TranscriptImport) Run(ctx context.Context, transcripts []Transcript) (SessionsReport, error) {
	i.owners = map[string]string{}
	err := i.Waiting(ctx, transcripts, func(t Transcript) error {
		i.result.Files++
		return i.importOne(ctx, t)
	})
	if err != nil {
		return i.result, err
	}
	return i.result, i.Writer.Flush(ctx)
}

// Waiting calls visit for each transcript that Run reads, and counts the other transcripts.
func (i *TranscriptImport) Waiting(ctx context.Context, transcripts []Transcript, visit func(Transcript) error) error {
	i.wanted = map[string]bool{}
	for some := range slices.Chunk(transcripts, askedAtOnce) {
		ids := memory.EachIf(some, func(t Transcript) (string, bool) { return t.Session, t.Session != "" })
		if err := i.decide(ctx, ids...); err != nil {
			return err
		}
		for _, t := range some {
			isWaiting, err := i.isWaiting(ctx, t)
			if isWaiting {
				err = visit(t)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// isWaiting reports whether a transcript is to be imported. It counts the reason if it is not.
func (i *TranscriptImport) isWaiting(ctx context.Context, t Transcript) (isWaiting bool, err error) {
	switch {
	case t.Unread != nil:
		i.result.Unread++
		i.result.FirstUnread = cmp.Or(i.result.FirstUnread, fmt.Sprintf("%s: %v", t.File, t.Unread))
	case t.Dir == "" || t.Session == "":
		i.result.Nowhere++
	default:
		if _, isOff := i.ProjectOf(t.Dir); isOff {
			i.result.Off++
		} else {
			isWaiting, err = i.isWanted(ctx, t.Session)
			if name := t.named(); !isWaiting && err == nil && name != "" { // a fork whose copied lines keep their session
				isWaiting, err = i.isWanted(ctx, name)
			}
		}
	}
	return isWaiting, err
}

func (i *TranscriptImport) importOne(ctx context.Context, t Transcript) error {
	events, report, err := t.Events(ctx, i.ProjectOf)
	if err == nil {
		events, err = i.own(ctx, events)
	}
	if err != nil {
		return err
	}
	if report.WithoutPrompt {
		i.result.WithoutPrompt++
	}
	i.result.BrokenLines += report.Broken
	if report.FirstBroken > 0 && i.result.FirstBroken == "" {
		i.result.FirstBroken = fmt.Sprintf("%s:%d", t.File, report.FirstBroken)
	}
	return i.Writer.Put(ctx, events...)
}

// own returns the events of the sessions that are imported, without events that this import has seen in another session:
// the copies of a session's history have the same IDs. The store finds copies from earlier imports.
func (i *TranscriptImport) own(ctx context.Context, events []memory.Event) (own []memory.Event, err error) {
	for _, e := range events {
		isWanted, err := i.isWanted(ctx, e.Session)
		if err != nil {
			return nil, err
		}
		if !isWanted {
			continue
		}
		owner, isKnown := i.owners[e.ID]
		if !isKnown {
			i.owners[e.ID] = e.Session
		}
		if isKnown && owner != e.Session {
			i.result.Copied++
		} else {
			own = append(own, e)
		}
	}
	return own, nil
}

func (i *TranscriptImport) isWanted(ctx context.Context, session string) (bool, error) {
	err := i.decide(ctx, session)
	return i.wanted[session], err
}

// decide decides whether the sessions are imported. It excludes a session that hooks have captured, even after an
// import, because hooks captured all of its new events. With New, no stored session is imported.
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
		if isCaptured := s.Source != transcriptSource; isCaptured && i.wanted[s.ID] {
			i.wanted[s.ID] = false
			i.result.Captured++
		}
		i.wanted[s.ID] = i.wanted[s.ID] && !i.New
	}
	return nil
}
