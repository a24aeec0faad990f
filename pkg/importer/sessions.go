package importer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
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

	owners    map[uint64]string // session of each event, by a hash of the event's ID
	wanted    map[string]bool
	stored    map[string]memory.Session // asked sessions that the store has
	asked     map[string]bool
	held      []memory.Event // events to be sent
	positions []position     // positions in the transcripts, in the order of the held events
	result    SessionsReport
}

// position is a place in a transcript that is reached when held events are stored.
type position struct {
	held int
	file string
	done FileState
}

// SessionsReport counts the transcripts.
type SessionsReport struct {
	Files       int `json:"files"`        // transcripts that were read
	Unchanged   int `json:"unchanged"`    // transcripts that had been imported before
	Captured    int `json:"captured"`     // sessions that were skipped because hooks captured them
	Off         int `json:"off"`          // transcripts of projects that are off
	Nowhere     int `json:"nowhere"`      // transcripts without a directory
	Silent      int `json:"silent"`       // transcripts that were read and have no prompt
	Copied      int `json:"copied"`       // events at the beginning of a session that were copied from another session
	BrokenLines int `json:"broken_lines"` // lines that are not JSON, or have an unknown form
	LongLines   int `json:"long_lines"`   // lines that are too long to be read
	// FirstBroken names the first line that was skipped.
	FirstBroken string `json:"first_broken,omitempty"`
	// Unread is the number of transcripts and folders that could not be read. FirstUnread names the first, with the reason.
	Unread      int    `json:"unread"`
	FirstUnread string `json:"first_unread,omitempty"`
}

const (
	// heldAtOnce is the number of events that are sent together, so that the positions in transcripts are saved once for all.
	heldAtOnce = 2000
	// askedAtOnce is roughly the number of transcripts whose sessions the daemon is asked about at once.
	askedAtOnce = 200
)

// Run imports the transcripts. Even if it fails, the work in its report was done.
func (i *TranscriptImport) Run(ctx context.Context, transcripts []Transcript) (SessionsReport, error) {
	i.owners = map[uint64]string{}
	err := i.Waiting(ctx, transcripts, func(t Transcript, where project.Project) error {
		i.result.Files++
		return i.read(ctx, t, where, i.resumeAt(t))
	})
	if err != nil {
		return i.result, err
	}
	return i.result, i.send(ctx)
}

// Waiting calls visit for each transcript that Run reads, with its project. It counts the other transcripts and advances past them.
func (i *TranscriptImport) Waiting(
	ctx context.Context, transcripts []Transcript, visit func(Transcript, project.Project) error,
) error {
	i.wanted, i.stored, i.asked = map[string]bool{}, map[string]memory.Session{}, map[string]bool{}
	for some := range slices.Chunk(transcripts, askedAtOnce) {
		if err := i.ask(ctx, i.sessionsOf(some)); err != nil {
			return err
		}
		for _, t := range some {
			where, isWaiting, err := i.isWaiting(ctx, t)
			if isWaiting {
				err = visit(t, where)
			} else {
				i.Advance(t.Size)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// sessionsOf returns the sessions of the transcripts that have something new.
func (i *TranscriptImport) sessionsOf(transcripts []Transcript) []string {
	var ids []string
	for _, t := range transcripts {
		if t.Session != "" && !i.isUnchanged(t) {
			ids = append(ids, t.Session)
		}
	}
	return ids
}

// resumeAt returns the offset of the first byte that was not imported yet.
func (i *TranscriptImport) resumeAt(t Transcript) int64 {
	done := i.State.Files[t.File]
	if isShorter := done.Offset > t.Size; i.Again || isShorter || done.Read != partRead(t.File, done.Offset) {
		return 0
	}
	return done.Offset
}

// comparedBytes is the number of bytes, at the beginning and at the end of the imported part of a file, by which a
// rewritten file is recognised.
const comparedBytes = 4 << 10

// partRead returns a hash of the beginning and the end of the part of a file before an offset, or "" if it cannot be read.
func partRead(file string, offset int64) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	size := min(offset, comparedBytes)
	for _, at := range []int64{0, offset - size} {
		if n, err := io.Copy(sum, io.NewSectionReader(f, at, size)); err != nil || n != size {
			return ""
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

func (i *TranscriptImport) isUnchanged(t Transcript) bool {
	return i.resumeAt(t) > 0 && i.State.Files[t.File].Size == t.Size
}

// isWaiting reports whether a transcript is to be imported. It counts the reason if it is not.
func (i *TranscriptImport) isWaiting(ctx context.Context, t Transcript) (where project.Project, isWaiting bool, err error) {
	if t.Unread != nil {
		i.countUnread(t, t.Unread)
		return where, false, nil
	}
	if i.isUnchanged(t) {
		i.result.Unchanged++
		return where, false, nil
	}
	if t.Dir == "" || t.Session == "" {
		i.result.Nowhere++
		return where, false, nil
	}
	where, isOff := i.ProjectOf(t.Dir)
	if isOff {
		i.result.Off++
		return where, false, nil
	}
	isWaiting, err = i.isWanted(ctx, t.Session)
	return where, isWaiting, err
}

func (i *TranscriptImport) read(ctx context.Context, t Transcript, where project.Project, from int64) error {
	reader := Reader{Project: where, ProjectOf: i.ProjectOf, Wanted: i.isWanted}
	events, report, err := reader.Read(ctx, t, from)
	if err != nil {
		return err
	}
	i.Advance(t.Size)
	i.held = append(i.held, i.own(events)...)
	if report.Offset > from {
		i.addPosition(t, report.Offset)
	}
	if report.Silent && from == 0 {
		i.result.Silent++
	}
	i.result.BrokenLines += report.Broken
	i.result.LongLines += report.TooLong
	if report.FirstBroken > 0 && i.result.FirstBroken == "" {
		i.result.FirstBroken = fmt.Sprintf("%s:%d", t.File, report.FirstBroken)
	}
	if len(i.held) < heldAtOnce {
		return nil
	}
	return i.send(ctx)
}

// own returns the events that this import has not seen in another session before: copies of a session's history have
// the same IDs. The store finds the copies of earlier imports.
func (i *TranscriptImport) own(events []memory.Event) []memory.Event {
	return slices.DeleteFunc(events, func(e memory.Event) bool {
		id := maphash.String(seed, e.ID)
		if _, known := i.owners[id]; !known {
			i.owners[id] = e.Session
		}
		isCopy := i.owners[id] != e.Session
		if isCopy {
			i.result.Copied++
		}
		return isCopy
	})
}

var seed = maphash.MakeSeed()

// countUnread counts a transcript that could not be read.
func (i *TranscriptImport) countUnread(t Transcript, why error) {
	i.result.Unread++
	if i.result.FirstUnread == "" {
		i.result.FirstUnread = fmt.Sprintf("%s: %v", t.File, errors.Join(why))
	}
}

// addPosition records where the next import continues, once the held events are stored.
func (i *TranscriptImport) addPosition(t Transcript, offset int64) {
	done := FileState{Offset: offset, Read: partRead(t.File, offset)}
	if offset >= t.Size {
		done.Size = t.Size
	}
	i.positions = append(i.positions, position{len(i.held), t.File, done})
}

// send stores the held events. Events that were left by an interruption are sent again by the next import, which is harmless.
func (i *TranscriptImport) send(ctx context.Context) (err error) {
	held, positions := i.held, i.positions
	i.held, i.positions = nil, nil
	if len(positions) == 0 && len(held) == 0 {
		return nil
	}
	if err := i.claim(held); err != nil {
		return err
	}
	sent := 0
	for part := range slices.Chunk(held, daemonapi.MaxImport) {
		if err = i.Writer.Put(ctx, part...); err == nil {
			err = i.Writer.Flush(ctx)
		}
		if err != nil {
			break
		}
		sent += len(part)
	}
	for _, m := range positions {
		if m.held <= sent {
			i.State.Files[m.file] = m.done
		}
	}
	if i.DryRun {
		return err
	}
	return errors.Join(err, i.State.Save())
}

// claim records the sessions whose events are sent next. Otherwise, after an interrupted import, a session that is
// stored in part would count as captured by hooks.
func (i *TranscriptImport) claim(events []memory.Event) error {
	isNew := false
	for _, e := range events {
		if e.At.After(i.State.Sessions[e.Session]) {
			i.State.Sessions[e.Session], isNew = e.At, true
		}
	}
	if !isNew || i.DryRun {
		return nil
	}
	return i.State.Save()
}

// ask asks the daemon which of the sessions the store has.
func (i *TranscriptImport) ask(ctx context.Context, sessions []string) error {
	sessions = slices.DeleteFunc(sessions, func(id string) bool { return i.asked[id] })
	if i.Known == nil || i.Again || len(sessions) == 0 {
		return nil
	}
	stored, err := i.Known(ctx, sessions)
	if err != nil {
		return err
	}
	for _, id := range sessions {
		i.asked[id] = true
	}
	for _, s := range stored {
		i.stored[s.ID] = s
	}
	return nil
}

// clockSkew is the maximum difference between the times of an event in a transcript and from hooks.
const clockSkew = 2 * time.Second

// isWanted reports whether a session is imported. It is not if hooks captured it, because their events have other IDs and
// times than the transcript's. If a session was imported and then continued with hooks, the rest is left to the hooks.
func (i *TranscriptImport) isWanted(ctx context.Context, session string) (bool, error) {
	if wanted, decided := i.wanted[session]; decided {
		return wanted, nil
	}
	if err := i.ask(ctx, []string{session}); err != nil {
		return false, err
	}
	stored, isStored := i.stored[session]
	imported, isOurs := i.State.Sessions[session]
	wanted := !isStored || isOurs && !stored.LastEventAt.After(imported.Add(clockSkew))
	if !wanted {
		i.result.Captured++
	}
	i.wanted[session] = wanted
	return wanted, nil
}
