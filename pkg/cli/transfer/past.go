package transfer

import (
	"context"
	"os"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
)

// Past counts the sessions in the client's transcripts that were not imported, or not to
// their end, and are of no project that is off; since is when the oldest of them was
// written last. Without transcripts the error is memory.ErrNotFound.
func Past(e *command.Env) (sessions, projects int, since time.Time, err error) {
	transcripts, err := importer.Transcripts(transcriptsDir(e))
	if err != nil {
		return 0, 0, since, err
	}
	state, err := importer.LoadState(e.Paths.Imports())
	if err != nil {
		return 0, 0, since, err
	}
	projectOf, of, in := e.ProjectOfDir(), map[string]bool{}, map[string]bool{}
	for _, t := range transcripts {
		if t.Session == "" || t.Dir == "" || state.Files[t.File].Size == t.Size {
			continue
		}
		where, isOff := projectOf(t.Dir)
		if isOff {
			continue
		}
		of[t.Session], in[where.Key] = true, true
		if info, err := os.Stat(t.File); err == nil && (since.IsZero() || info.ModTime().Before(since)) {
			since = info.ModTime()
		}
	}
	return len(of), len(in), since, nil
}

// ReadPast imports the client's transcripts.
func ReadPast(ctx context.Context, e *command.Env) error {
	return importTranscripts(ctx, e, transcriptsOptions{})
}
