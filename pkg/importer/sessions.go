package importer

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
)

// TranscriptImport imports transcripts. It can be interrupted at any time; the
// next one goes on where it was.
type TranscriptImport struct {
	State  *State
	Writer *Writer
	// Known returns those of the sessions that the store has; nil if it is not to
	// be asked.
	Known func(ctx context.Context, ids []string) ([]memory.Session, error)
	// ProjectOf finds the project of a directory, and whether it is off.
	ProjectOf func(dir string) (where project.Project, isOff bool)
	// Again imports what was imported before, and what hooks captured.
	Again bool
	// DryRun leaves the state as it is.
	DryRun bool
	// Advance is called with the number of bytes that were processed.
	Advance func(bytes int64)

	wanted map[string]bool
	result SessionsReport
}

// SessionsReport says what has become of the transcripts.
type SessionsReport struct {
	Files       int `json:"files"`        // transcripts that were read
	Unchanged   int `json:"unchanged"`    // had been imported before
	Older       int `json:"older"`        // read again, because older rules had imported them
	Captured    int `json:"captured"`     // sessions left to what hooks captured of them
	Off         int `json:"off"`          // transcripts of projects that are off
	Nowhere     int `json:"nowhere"`      // transcripts that do not tell a directory
	BrokenLines int `json:"broken_lines"` // that are no JSON
	LongLines   int `json:"long_lines"`   // that are too long to be read
	// FirstBroken names the first line that was passed over.
	FirstBroken string `json:"first_broken,omitempty"`
}

// Run imports the transcripts. What is reported was done even if it fails.
func (i *TranscriptImport) Run(ctx context.Context, transcripts []Transcript) (SessionsReport, error) {
	i.wanted = map[string]bool{}
	for _, t := range transcripts {
		if err := i.file(ctx, t); err != nil {
			return i.result, err
		}
	}
	return i.result, i.flush(ctx)
}

func (i *TranscriptImport) file(ctx context.Context, t Transcript) error {
	done := i.State.Files[t.File]
	from := done.Offset
	older := from > 0 && done.Rules < rulesVersion
	if i.Again || from > t.Size || older { // a file that shrank is another one
		from = 0
	}
	if from > 0 && done.Size == t.Size {
		i.result.Unchanged++
		i.Advance(t.Size)
		return nil
	}
	if t.Dir == "" || t.Session == "" {
		i.result.Nowhere++
		i.Advance(t.Size)
		return nil
	}
	where, isOff := i.ProjectOf(t.Dir)
	if isOff {
		i.result.Off++
		i.Advance(t.Size)
		return nil
	}
	if wanted, err := i.isWanted(ctx, t.Session); err != nil || !wanted {
		i.Advance(t.Size)
		return err
	}
	i.result.Files++
	if older {
		i.result.Older++
	}
	return i.read(ctx, t, where, from)
}

func (i *TranscriptImport) read(ctx context.Context, t Transcript, where project.Project, from int64) error {
	at := int64(0)
	reader := Reader{Project: where, Wanted: i.isWanted}
	report, err := reader.Read(ctx, t, from, func(p Progress) error {
		if err := i.claim(p.Events); err != nil {
			return err
		}
		if err := i.Writer.Put(ctx, p.Events...); err != nil {
			return err
		}
		i.Advance(p.Offset - at)
		at = p.Offset
		if p.Offset > from {
			return i.checkpoint(ctx, t, p.Offset)
		}
		return nil
	})
	i.result.BrokenLines += report.Broken
	i.result.LongLines += report.TooLong
	if report.FirstBroken > 0 && i.result.FirstBroken == "" {
		i.result.FirstBroken = fmt.Sprintf("%s:%d", t.File, report.FirstBroken)
	}
	i.Advance(max(0, t.Size-at))
	return err
}

// claim notes the sessions whose events are about to be sent, so that a session that an
// interrupted import has stored in part is not taken for one that hooks captured.
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

// checkpoint is where the next import goes on after an interruption. What follows is
// sent again, without harm.
func (i *TranscriptImport) checkpoint(ctx context.Context, t Transcript, offset int64) error {
	i.State.Files[t.File] = FileState{Offset: offset, Size: t.Size, Rules: rulesVersion}
	if offset < t.Size {
		i.State.Files[t.File] = FileState{Offset: offset, Rules: rulesVersion}
	}
	return i.flush(ctx)
}

func (i *TranscriptImport) flush(ctx context.Context) error {
	if i.DryRun {
		return nil
	}
	if err := i.Writer.Flush(ctx); err != nil {
		return err
	}
	return i.State.Save()
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
	wanted := true
	if i.Known != nil && !i.Again {
		known, err := i.Known(ctx, []string{session})
		if err != nil {
			return false, err
		}
		imported, isOurs := i.State.Sessions[session]
		wanted = len(known) == 0 || isOurs && !known[0].LastEventAt.After(imported.Add(clockSkew))
	}
	if !wanted {
		i.result.Captured++
	}
	i.wanted[session] = wanted
	return wanted, nil
}

// DirOfSession is the directory in which the client started a session, if its
// transcript is still there.
func DirOfSession(folder, session string) string {
	if session == "" || filepath.Base(session) != session {
		return ""
	}
	files, err := filepath.Glob(filepath.Join(globEscape(folder), "*", globEscape(session)+".jsonl"))
	if err != nil || len(files) == 0 {
		return ""
	}
	t := Transcript{File: files[0]}
	if t.readHead() != nil {
		return ""
	}
	return t.Dir
}

// DirOfFolder is the directory that one of the client's project folders is for,
// as the transcripts in it tell; the name of the folder alone does not.
func DirOfFolder(folder string) string {
	files, err := filepath.Glob(filepath.Join(globEscape(folder), "*.jsonl"))
	if err != nil {
		return ""
	}
	other := ""
	for _, file := range files {
		t := Transcript{File: file}
		if t.readHead() != nil || t.Dir == "" {
			continue
		}
		if Slug(t.Dir) == filepath.Base(folder) {
			return t.Dir
		}
		other = t.Dir
	}
	return other
}

// Slug is the client's name for the folder of a directory.
func Slug(dir string) string {
	slug := []rune(dir)
	for i, r := range slug {
		isKept := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !isKept {
			slug[i] = '-'
		}
	}
	return string(slug)
}
