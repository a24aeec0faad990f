package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/mailbox"
)

func statusCommand(e *environment) *cli.Command {
	return command("status", "show whether the daemon, the database engine and the store work, and how many events wait on disk", "", "memory status", with(e, showStatus))
}

func daemonCommand(e *environment) *cli.Command {
	return &cli.Command{Name: "daemon", Usage: "start, stop or look at the background process, and run maintenance", Subcommands: []*cli.Command{
		command("start", "start the daemon, and wait until its store is ready", "", "memory daemon start",
			with(e, startDaemon)),
		command("stop", "end the daemon and its engine; a session, or a command that needs them, starts them again", "", "memory daemon stop",
			with(e, stopDaemon)),
		command("logs", "show the end of a log: daemon (default), engine or hooks", "[LOG]", "memory daemon logs engine", with(e, showLogs)),
		command("ingest", "store all events that wait on disk, also those that the store refused before, and wait for the end", "", "memory daemon ingest", with(e, ingestSpool)),
		consolidateCommand(e), runsCommand(e),
	}}
}

func showStatus(c *cli.Context, e *environment) error {
	ctx := c.Context
	var answer daemonapi.StatusResult
	err := e.Daemon.AskWithin(ctx, statusTime, daemonapi.MethodStatus.Call(daemonapi.None{}, &answer))
	pid := daemonclient.PID(e.Paths)
	switch {
	case errors.Is(err, memory.ErrUnavailable) && pid > 0 && !e.Daemon.Resident.Answers(ctx, aliveTime):
		answer = daemonapi.StatusResult{
			State: "hanging", PID: pid,
			Reason: fmt.Sprintf("process %d does not answer; the next session replaces it, or memory daemon stop ends it", pid),
		}
	case errors.Is(err, daemonclient.ErrNoDaemon):
		answer = daemonapi.StatusResult{State: "stopped", Reason: "a session, or a command that needs it, starts it"}
	case err != nil:
		return err
	}
	if err != nil {
		counts, err := spool.New(e.Paths.Spool()).Counts()
		if err != nil {
			return err
		}
		answer.Spool = daemonapi.SpoolStatus(counts)
	}
	page := struct {
		daemonapi.StatusResult
		Sync *mailbox.Outcome `json:"sync,omitempty"`
	}{StatusResult: answer}
	if last, isSetUp := mailbox.LastOutcome(e.Paths.Sync()); isSetUp {
		page.Sync = &last
	}
	return e.Print(page, func(w io.Writer) {
		statusPage(e, w, answer)
		if page.Sync != nil {
			_, _ = fmt.Fprintf(w, "sync\t%s\n", syncState(e, *page.Sync))
		}
		if where, err := e.Project(); err == nil && e.silence(where) != "" {
			_, _ = fmt.Fprintf(w, "here\t%s\n", e.silence(where))
		}
	})
}

func statusPage(e *environment, w io.Writer, status daemonapi.StatusResult) {
	if t := status.Trouble; t != nil {
		_, _ = fmt.Fprintf(w, "daemon\t%s\n", status.State)
		_, _ = fmt.Fprintf(w, "trouble\t%s\n", e.underHome(t.String()))
		if t.Remedy() == "" && status.State == stateInstalling {
			_, _ = fmt.Fprintln(w, "\twait a minute or two; if it takes longer, check that the npm registry can be reached")
		}
	} else {
		_, _ = fmt.Fprintf(w, "daemon\t%s\n", strings.TrimSuffix(status.State+": "+e.underHome(status.Reason), ": "))
	}
	engine := cmp.Or(terminal.Printable(status.Engine.Name), "not running")
	if n := status.Engine.Restarts; n > 0 {
		engine += fmt.Sprintf(", started again %s, last because %s", memory.Counted(n, "time"), terminal.Printable(status.Engine.Ended))
	}
	_, _ = fmt.Fprintf(w, "engine\t%s\n", engine)
	_, _ = fmt.Fprintf(w, "events\t%s on disk, %d refused by the store\n", memory.Counted(status.Spool.New+status.Spool.Claimed, "waiting event"), status.Spool.Dead)
	if s := status.Store; s != nil {
		_, _ = fmt.Fprintf(w, "store\t%s, %s, %s, %s\n", memory.Counted(s.Memories, "memory"), memory.Counted(s.Sessions, "session"), memory.Counted(s.Prompts, "prompt"), memory.Counted(s.Projects, "project"))
	}
	if status.Notice != "" {
		_, _ = fmt.Fprintf(w, "notice\t%s\n", e.underHome(status.Notice))
	}
	if status.Distill != nil {
		_, _ = fmt.Fprintf(w, "distill\t%s\n", distillationState(*status.Distill))
	}
	_, _ = fmt.Fprintf(w, "home\t%s\n", terminal.Printable(paths.Tilde(e.Paths.Home, e.Getenv("HOME"))))
}

// ingestSpool asks the daemon to store the waiting events, and the dead letters that can be stored by now.
func ingestSpool(c *cli.Context, e *environment) error {
	for _, dir := range e.Paths.Spools() {
		if _, err := spool.New(dir).Revive(); err != nil && !errors.Is(err, spool.ErrRefused) { // doctor names a spool that is not ours
			return err
		}
	}
	return show(c.Context, e, daemonapi.MethodIngest, daemonapi.None{}, func(w io.Writer, done daemonapi.IngestResult) {
		if done == (daemonapi.IngestResult{}) {
			_, _ = fmt.Fprintln(w, "no event was waiting: all are stored")
			return
		}
		_, _ = fmt.Fprintf(w, "%s stored, %d refused and put aside\n", memory.Counted(done.Events, "event"), done.Dead)
	})
}

func startDaemon(c *cli.Context, e *environment) error {
	status, err := e.Daemon.StartReady(c.Context)
	if err != nil {
		return err
	}
	return e.Print(status, func(w io.Writer) { statusPage(e, w, status) })
}

func stopDaemon(c *cli.Context, e *environment) error {
	stopped, err := e.Daemon.Stop(c.Context)
	if err != nil {
		return err
	}
	return e.Print(map[string]bool{"stopped": stopped}, func(w io.Writer) {
		_, _ = fmt.Fprintln(w, map[bool]string{true: "the daemon has ended", false: "no daemon is running"}[stopped])
	})
}

const shownLines = 50

func showLogs(c *cli.Context, e *environment) error {
	name := cmp.Or(c.Args().First(), "daemon")
	file := map[string]string{"daemon": e.Paths.DaemonLog(), "engine": e.Paths.EngineLog(), "hooks": e.Paths.HookLog()}[name]
	if file == "" {
		return usagef("there is no log %q; the logs are daemon, engine and hooks", name)
	}
	content, err := os.ReadFile(file)                                      // whole, because logs are rotated when they grow large
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(content) == 0 { // a purge empties logs
		return e.Print([]string{}, func(w io.Writer) {
			_, _ = fmt.Fprintf(w, "%s is empty\n", terminal.Printable(file))
		})
	}
	if err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	lines := strings.FieldsFunc(string(content), func(r rune) bool { return r == '\n' })
	lines = lines[max(0, len(lines)-shownLines):]
	return e.Print(lines, func(w io.Writer) {
		for _, line := range lines {
			_, _ = fmt.Fprintln(w, terminal.Printable(line))
		}
	})
}
