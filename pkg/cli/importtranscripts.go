package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/purged"
)

// transcriptSource says which transcripts are imported; the zero value stands for Claude Code's own.
type transcriptSource struct {
	folder string // "": the folder in which the client keeps transcripts
	codex  bool   // Codex's, not Claude Code's
	again  bool   // also sessions that hooks have captured
	mine   bool   // the prompts of another folder are the user's own
}

func importTranscripts(ctx context.Context, e *environment, o transcriptSource) error {
	own := transcriptsDir(e) // the folder in which the client keeps its transcripts
	if o.codex {
		own = codexOf(e).Transcripts()
	}
	from := cmp.Or(o.folder, own)
	if project.Resolved(from) != project.Resolved(own) && !o.mine {
		return fmt.Errorf("%s is not the folder of your client's transcripts: add --mine if the prompts in it are your own: %w", from, memory.ErrInvalid)
	}
	if err := mayBeMine(e, from); err != nil { // a repository's tools may have set CLAUDE_CONFIG_DIR or CODEX_HOME
		return err
	}
	run, transcripts, err := importOf(ctx, e, from)
	if err != nil {
		return err
	}
	if run.Writer, err = importWriter(ctx, e); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(e.Err, "memory: reading %s; you can interrupt the command and run it again\n", memory.Counted(len(transcripts), "transcript"))
	run.Again = o.again
	result, err := run.Run(ctx, transcripts)
	if errors.Is(err, context.Canceled) {
		err = memory.Mark(errors.New("interrupted; the same command continues, and stores nothing twice"), err)
	}
	report := importReport{Report: run.Writer.Report(), Transcripts: &result, From: from}
	return errors.Join(printImported(ctx, e, report), err)
}

// importOf returns an import of the transcripts of a folder, and these transcripts. If a daemon runs, the import
// leaves out the sessions that hooks captured. It fails with memory.ErrNotFound if the folder does not exist.
func importOf(ctx context.Context, e *environment, folder string) (run importer.TranscriptImport, all []importer.Transcript, err error) {
	all, err = importer.Transcripts(folder)
	run.ProjectOf = e.ProjectOfDir(ctx)
	run.Known = func(ctx context.Context, ids []string) ([]memory.Session, error) {
		known, err := daemonapi.MethodKnownSessions.Ask(ctx, e.Daemon.Ask, ids)
		if errors.Is(err, daemonclient.ErrNoDaemon) {
			err = nil
		}
		return known, err
	}
	return run, all, err
}

// unreadSessions counts the sessions whose transcripts were not imported; purged sessions do not count. It fails with
// memory.ErrNotFound if the client has no folder of transcripts.
func unreadSessions(ctx context.Context, e *environment) (int, error) {
	run, transcripts, err := importOf(ctx, e, transcriptsDir(e))
	if err != nil {
		return 0, err
	}
	list, err := purged.Load(e.Paths.Purged())
	if err != nil {
		return 0, err
	}
	run.New = true
	unread := map[string]bool{}
	err = run.Waiting(ctx, transcripts, func(t importer.Transcript) error {
		if !list.HasSession(t.Session) {
			unread[t.Session] = true
		}
		return nil
	})
	return len(unread), err
}
