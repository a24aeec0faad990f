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

// TranscriptImport imports transcripts. It can be interrupted at any time; the next
// import goes on there.
type TranscriptImport struct {
	State  *State
	Writer *Writer
	// Known returns those of the sessions that the store has; nil disables the
	// query.
	Known func(ctx context.Context, ids []string) ([]memory.Session, error)
	// ProjectOf finds the project of a directory, and whether it is off.
	ProjectOf func(dir string) (where project.Project, isOff bool)
	// Again imports transcripts imported before, and sessions that hooks captured.
	Again bool
	// DryRun leaves the state as it is.
	DryRun bool
	// Advance is called with the number of bytes that were processed.
	Advance func(bytes int64)

	owners map[uint64]string // the sessions of the events, by a hash of the events' ids
	wanted map[string]bool
	stored map[string]memory.Session // of the sessions that were asked for, those that the store has
	asked  map[string]bool
	held   []memory.Event // that are to be sent
	marks  []mark         // where the transcripts are read to, in the order of the held events
	result SessionsReport
}

// mark is the position in a transcript that is imported once that many held events are stored.
type mark struct {
	held int
	file string
	done FileState
}

// SessionsReport counts the transcripts.
type SessionsReport struct {
	Files       int `json:"files"`        // transcripts that were read
	Unchanged   int `json:"unchanged"`    // had been imported before
	Captured    int `json:"captured"`     // sessions left out because hooks captured them
	Off         int `json:"off"`          // transcripts of projects that are off
	Nowhere     int `json:"nowhere"`      // transcripts without a directory
	Silent      int `json:"silent"`       // transcripts that were read and have no prompt
	Copied      int `json:"copied"`       // events that a session was begun with, and that are another's
	BrokenLines int `json:"broken_lines"` // that are no JSON, or not understood
	LongLines   int `json:"long_lines"`   // that are too long to be read
	// FirstBroken names the first line that was passed over.
	FirstBroken string `json:"first_broken,omitempty"`
	// Unread are the transcripts, and folders of such, that could not be read; FirstUnread names one, with the reason.
	Unread      int    `json:"unread"`
	FirstUnread string `json:"first_unread,omitempty"`
}

const (
	// heldAtOnce is the number of events that are read before they are sent: the positions in transcripts
	// are written once for all of them.
	heldAtOnce = 2000
	// askedAtOnce is about how many transcripts' sessions the daemon is asked for at once.
	askedAtOnce = 200
)

// Run imports the transcripts. The reported work was done even if it fails.
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

// Waiting visits the transcripts that Run reads, each with its project. It advances past the others and counts them.
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

// sessionsOf lists the sessions of the transcripts that have something new.
func (i *TranscriptImport) sessionsOf(transcripts []Transcript) []string {
	var ids []string
	for _, t := range transcripts {
		if t.Session != "" && !i.isUnchanged(t) {
			ids = append(ids, t.Session)
		}
	}
	return ids
}

// resumeAt is the offset of the first byte that was not imported yet.
func (i *TranscriptImport) resumeAt(t Transcript) int64 {
	done := i.State.Files[t.File]
	if isShorter := done.Offset > t.Size; i.Again || isShorter || done.Read != partRead(t.File, done.Offset) {
		return 0
	}
	return done.Offset
}

// comparedBytes are those at the beginning and at the end of what was read of a file that are compared.
const comparedBytes = 4 << 10

// partRead is a hash of the beginning and the end of the part of a file before an offset; empty if it cannot be read.
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

// isWaiting reports whether a transcript is to be imported, and counts the reason if it is not.
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
		i.mark(t, report.Offset)
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

// own leaves the events that no other session of this import had first: copies of a session's history have the same
// ids. Those of earlier imports are the store's to find.
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

// mark notes where the next import goes on once the held events are stored.
func (i *TranscriptImport) mark(t Transcript, offset int64) {
	done := FileState{Offset: offset, Read: partRead(t.File, offset)}
	if offset >= t.Size {
		done.Size = t.Size
	}
	i.marks = append(i.marks, mark{len(i.held), t.File, done})
}

// send stores the held events. Events that an interruption leaves are sent again by the next
// import, without harm.
func (i *TranscriptImport) send(ctx context.Context) (err error) {
	held, marks := i.held, i.marks
	i.held, i.marks = nil, nil
	if len(marks) == 0 && len(held) == 0 {
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
	for _, m := range marks {
		if m.held <= sent {
			i.State.Files[m.file] = m.done
		}
	}
	if i.DryRun {
		return err
	}
	return errors.Join(err, i.State.Save())
}

// claim records the sessions whose events are about to be sent, so that a session that an
// interrupted import stored in part does not count as captured by hooks.
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

// clockSkew is how much the times in a transcript and of the hooks may differ for the
// same event.
const clockSkew = 2 * time.Second

// isWanted leaves out the sessions that hooks captured: the ids and times of
// their events are other ones than those of a transcript. A session that was
// imported and then went on with hooks is left to them from there on.
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
