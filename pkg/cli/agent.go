package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// statusCommand makes memory status.
func statusCommand(e *environment) *cli.Command {
	return &cli.Command{
		Name: "status", Usage: "show the state of agent, engine, spool and store",
		Flags:       []cli.Flag{jsonFlag()},
		Description: described("", "memory status", "memory status --json"),
		Action:      action(e, onlyShared, showStatus),
	}
}

// agentCommand makes memory agent.
func agentCommand(e *environment) *cli.Command {
	lines := &cli.IntFlag{Name: "lines", Usage: "the last `N` lines", Value: 50}
	log := &cli.StringFlag{Name: "of", Usage: "`WHOSE`: agent, engine or hooks", Value: "agent"}
	sub := func(name, usage, example string, action cli.ActionFunc, flags ...cli.Flag) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, Description: described("", example),
			Flags: append(flags, jsonFlag()), Action: action,
		}
	}
	return &cli.Command{Name: "agent", Usage: "control the resident agent", Subcommands: []*cli.Command{
		sub("start", "start the agent, as a hook would, and wait until it answers", "memory agent start",
			action(e, onlyShared, startAgent)),
		sub("stop", "end the agent and its engine; the next hook or command starts it again", "memory agent stop",
			action(e, onlyShared, stopAgent)),
		sub("status", "show its state", "memory agent status", action(e, onlyShared, showStatus)),
		sub("logs", "show the end of a log", "memory agent logs --of engine --lines 20",
			action(e, logsOptionsOf, showLogs), lines, log),
		sub("ingest", "store the events in the spool, and wait for that", "memory agent ingest",
			action(e, onlyShared, ingestSpool)),
	}}
}

func showStatus(ctx context.Context, e *environment, o sharedOptions) error {
	var answer agentapi.StatusResult
	err := e.Agent.AskWithin(ctx, statusTime, agentapi.MethodStatus.Call(agentapi.None{}, &answer))
	pid := agentclient.PID(e.Paths)
	switch {
	case errors.Is(err, memory.ErrUnavailable) && pid > 0 && !e.Agent.Resident().Answers(ctx, aliveTime):
		answer = agentapi.StatusResult{
			State: "hanging", PID: pid,
			Reason: fmt.Sprintf("process %d does not answer; the next session replaces it, and so does memory agent stop", pid),
		}
	case errors.Is(err, agentclient.ErrNoAgent):
		answer = agentapi.StatusResult{State: "stopped", Reason: "the next session or command starts it"}
	case err != nil:
		return err
	}
	if err != nil {
		counts, err := spool.New(e.Paths.Spool()).Counts()
		if err != nil {
			return err
		}
		answer.Spool = agentapi.SpoolStatus(counts)
	}
	return e.Print(o.JSON, answer, func(w io.Writer) { statusPage(e, w, answer) })
}

func statusPage(e *environment, w io.Writer, status agentapi.StatusResult) {
	if t := status.Trouble; t != nil {
		_, _ = fmt.Fprintf(w, "agent\t%s\n", status.State)
		_, _ = fmt.Fprintf(w, "trouble\t%s\n", e.short(t.String()))
		if t.Remedy() == "" && status.State == stateInstalling {
			_, _ = fmt.Fprintln(w, "\twait a minute or two; if it takes longer, check that the npm registry can be reached")
		}
	} else {
		_, _ = fmt.Fprintf(w, "agent\t%s\n", joinedWith(": ", status.State, e.short(status.Reason)))
	}
	_, _ = fmt.Fprintf(w, "engine\t%s\n", joinedWith("", terminal.Printable(status.Engine.Name),
		engineRestarts(status.Engine)))
	_, _ = fmt.Fprintf(w, "spool\t%s, %s\n", terminal.Counted(status.Spool.New+status.Spool.Claimed, "event")+
		" waiting", terminal.Counted(status.Spool.Dead, "dead letter"))
	if status.Burst != nil {
		_, _ = fmt.Fprintf(w, "burst\t%s\n", terminal.Printable(status.Burst.String()))
	}
	if s := status.Store; s != nil {
		_, _ = fmt.Fprintf(w, "store\t%s, %s, %s, %s\n", terminal.Counted(s.Memories, "memory"),
			terminal.Counted(s.Sessions, "session"), terminal.Counted(s.Prompts, "prompt"), terminal.Counted(s.Projects, "project"))
	}
	if status.Distill != nil {
		_, _ = fmt.Fprintf(w, "distill\t%s\n", distillationState(*status.Distill))
	}
	_, _ = fmt.Fprintf(w, "home\t%s\n", terminal.Printable(paths.Tilde(e.Paths.Home, e.Getenv("HOME"))))
}

// engineRestarts describes how often the engine was restarted, and why the last time; empty if it was not.
func engineRestarts(e agentapi.EngineStatus) string {
	if e.Restarts == 0 {
		return ""
	}
	return fmt.Sprintf(", started again %s, last because %s", terminal.Counted(e.Restarts, "time"),
		terminal.Printable(e.Ended))
}

// joinedWith joins those of the words that are not empty.
func joinedWith(between string, words ...string) string {
	words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
	if len(words) == 0 {
		return "not running"
	}
	return strings.Join(words, between)
}

func ingestSpool(ctx context.Context, e *environment, o sharedOptions) error {
	var result agentapi.IngestResult
	if err := e.Agent.Call(ctx, agentapi.MethodIngest.Call(agentapi.None{}, &result)); err != nil {
		return err
	}
	return e.Print(o.JSON, result, func(w io.Writer) {
		if result == (agentapi.IngestResult{}) {
			_, _ = fmt.Fprintln(w, "no event was waiting: all are stored")
			return
		}
		_, _ = fmt.Fprintf(w, "%s ingested, %s put aside\n", terminal.Counted(result.Events, "event"),
			terminal.Counted(result.Dead, "dead letter"))
	})
}

// startAgent starts the agent and waits until it has tried to get its store.
func startAgent(ctx context.Context, e *environment, o sharedOptions) error {
	status, err := e.Agent.Start(ctx)
	if err != nil {
		return err
	}
	return e.Print(o.JSON, status, func(w io.Writer) { statusPage(e, w, status) })
}

// stopAgent ends the agent and waits until its process has ended.
func stopAgent(ctx context.Context, e *environment, o sharedOptions) error {
	stopped, err := e.Agent.Stop(ctx)
	if err != nil {
		return err
	}
	return e.Print(o.JSON, map[string]bool{"stopped": stopped}, func(w io.Writer) {
		_, _ = fmt.Fprintln(w, map[bool]string{true: "the agent has ended", false: "no agent is running"}[stopped])
	})
}

// logsOptions name the log to show, and how much of it.
type logsOptions struct {
	sharedOptions
	lines int    // at least 1
	of    string // agent, engine or hooks
}

func logsOptionsOf(c *cli.Context) (logsOptions, error) {
	o := logsOptions{sharedOptionsOf(c), c.Int("lines"), c.String("of")}
	if o.lines < 1 {
		return o, usagef("lines %d: give 1 or more", o.lines)
	}
	if !slices.Contains(logNames, o.of) {
		return o, usagef("there is no log of %q; there are agent, engine and hooks", o.of)
	}
	return o, nil
}

// logNames name whose log there is.
var logNames = []string{"agent", "engine", "hooks"}

func showLogs(ctx context.Context, e *environment, o logsOptions) error {
	file := map[string]string{"agent": e.Paths.AgentLog(), "engine": e.Paths.EngineLog(), "hooks": e.Paths.HookLog()}[o.of]
	lines, err := lastLines(file, o.lines)
	if errors.Is(err, fs.ErrNotExist) {
		return e.Print(o.JSON, []string{}, func(w io.Writer) {
			_,
				_ = fmt.Fprintf(w, "nothing was logged yet in %s\n", terminal.Printable(file))
		})
	}
	if err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	return e.Print(o.JSON, lines, func(w io.Writer) {
		for _, line := range lines {
			_, _ = fmt.Fprintln(w, terminal.Printable(line))
		}
	})
}

// lastLines reads the end of a log, which is rotated when it grows large.
func lastLines(file string, n int) ([]string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(content), "\n")
	if last := len(lines) - 1; lines[last] == "" { // behind the last line break
		lines = lines[:last]
	}
	return lines[max(0, len(lines)-n):], nil
}
