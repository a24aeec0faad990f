// Package service has the commands about the agent and its engine, and doctor.
package service

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
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/caller"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/command"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/rows"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// Status makes memory status.
func Status(e *command.Env) *cli.Command {
	return &cli.Command{
		Name: "status", Usage: "show the state of agent, engine, spool and store",
		Flags:       append(followFlags(), command.JSONFlag()),
		Description: command.Described("With --follow each event is a line, with --json each an object.", "memory status", "memory status --json", "memory status --follow"),
		Action: command.Action(e, followOptionsOf, func(ctx context.Context, e *command.Env, o followOptions) error {
			if o.isOn {
				return follow(ctx, e, o)
			}
			return status(ctx, e, o.Shared)
		}),
	}
}

// Agent makes memory agent.
func Agent(e *command.Env) *cli.Command {
	lines := &cli.IntFlag{Name: "lines", Usage: "the last `N` lines", Value: 50}
	log := &cli.StringFlag{Name: "of", Usage: "`WHOSE`: agent, engine or hooks", Value: "agent"}
	sub := func(name, usage, example string, action cli.ActionFunc, flags ...cli.Flag) *cli.Command {
		return &cli.Command{Name: name, Usage: usage, Description: command.Described("", example), Flags: append(flags, command.JSONFlag()), Action: action, BashComplete: e.Complete(nil, logValues)}
	}
	return &cli.Command{Name: "agent", Usage: "control the resident agent", Subcommands: []*cli.Command{
		sub("start", "start the agent, as a hook would, and wait until it answers", "memory agent start", command.Action(e, command.OnlyShared, start)),
		sub("stop", "end the agent and its engine; the next hook or command starts it again", "memory agent stop", command.Action(e, command.OnlyShared, stop)),
		sub("status", "show its state", "memory agent status", command.Action(e, command.OnlyShared, status)),
		sub("logs", "show the end of a log", "memory agent logs --of engine --lines 20", command.Action(e, logsOptionsOf, logs), lines, log),
		sub("ingest", "store the events in the spool, and wait for that", "memory agent ingest", command.Action(e, command.OnlyShared, ingest)),
	}}
}

func status(ctx context.Context, e *command.Env, o command.Shared) error {
	var answer agentapi.StatusResult
	err := e.Agent.AskWithin(ctx, caller.StatusTime, agentapi.MethodStatus.Call(agentapi.None{}, &answer))
	pid := agentclient.PID(e.Paths)
	switch {
	case errors.Is(err, memory.ErrUnavailable) && pid > 0 && !e.Agent.Resident().Answers(ctx, caller.AliveTime):
		answer = agentapi.StatusResult{
			State: "hanging", PID: pid, Reason: fmt.Sprintf("process %d does not answer; the next session replaces it, and so does memory agent stop", pid),
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
	return e.Print(ctx, o.JSON, answer, func(w io.Writer) { statusPage(e, w, answer) })
}

func statusPage(e *command.Env, w io.Writer, status agentapi.StatusResult) {
	if t := status.Trouble; t != nil {
		_, _ = fmt.Fprintf(w, "agent\t%s\n", status.State)
		_, _ = fmt.Fprintf(w, "trouble\t%s\n", terminal.Printable(t.String()))
		if t.Remedy() == "" && status.State == caller.StateInstalling {
			_, _ = fmt.Fprintln(w, "\twait a minute or two; if it takes longer, see that npm reaches its registry (npm ping)")
		}
	} else {
		_, _ = fmt.Fprintf(w, "agent\t%s\n", joinedWith(": ", status.State, terminal.Printable(status.Reason)))
	}
	_, _ = fmt.Fprintf(w, "engine\t%s\n", joinedWith("", terminal.Printable(status.Engine.Name), restarts(status.Engine)))
	_, _ = fmt.Fprintf(w, "spool\t%s, %s\n", terminal.Counted(status.Spool.New+status.Spool.Claimed, "event")+" waiting", terminal.Counted(status.Spool.Dead, "dead letter"))
	if status.Burst != nil {
		_, _ = fmt.Fprintf(w, "burst\t%s\n", terminal.Printable(status.Burst.String()))
	}
	if s := status.Store; s != nil {
		_, _ = fmt.Fprintf(w, "store\t%s, %s, %s, %s\n", terminal.Counted(s.Memories, "memory"), terminal.Counted(s.Sessions, "session"), terminal.Counted(s.Prompts, "prompt"), terminal.Counted(s.Projects, "project"))
	}
	if status.Distill != nil {
		_, _ = fmt.Fprintf(w, "distill\t%s\n", rows.Distillation(*status.Distill))
	}
	_, _ = fmt.Fprintf(w, "home\t%s\n", terminal.Printable(e.Paths.Home))
}

// restarts says how often the engine was started again, and why the last time; empty if it was not.
func restarts(e agentapi.EngineStatus) string {
	if e.Restarts == 0 {
		return ""
	}
	return fmt.Sprintf(", started again %s, last because %s", terminal.Counted(e.Restarts, "time"), terminal.Printable(e.Ended))
}

// joinedWith joins those of the words that are not empty.
func joinedWith(between string, words ...string) string {
	words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
	if len(words) == 0 {
		return "not running"
	}
	return strings.Join(words, between)
}

func ingest(ctx context.Context, e *command.Env, o command.Shared) error {
	var result agentapi.IngestResult
	if err := e.Agent.Call(ctx, agentapi.MethodIngest.Call(agentapi.None{}, &result)); err != nil {
		return err
	}
	return e.Print(ctx, o.JSON, result, func(w io.Writer) {
		if result == (agentapi.IngestResult{}) {
			_, _ = fmt.Fprintln(w, "no event was waiting: all are stored")
			return
		}
		_, _ = fmt.Fprintf(w, "%s ingested, %s put aside\n", terminal.Counted(result.Events, "event"), terminal.Counted(result.Dead, "dead letter"))
	})
}

// start starts the agent and waits until it has tried to get its store.
func start(ctx context.Context, e *command.Env, o command.Shared) error {
	status, err := e.Agent.Start(ctx)
	if err != nil {
		return err
	}
	return e.Print(ctx, o.JSON, status, func(w io.Writer) { statusPage(e, w, status) })
}

// stop ends the agent and waits until its process has ended.
func stop(ctx context.Context, e *command.Env, o command.Shared) error {
	stopped, err := e.Agent.Stop(ctx)
	if err != nil {
		return err
	}
	return e.Print(ctx, o.JSON, map[string]bool{"stopped": stopped}, func(w io.Writer) {
		_, _ = fmt.Fprintln(w, map[bool]string{true: "the agent has ended", false: "no agent is running"}[stopped])
	})
}

// logsOptions name the log to show, and how much of it.
type logsOptions struct {
	command.Shared
	lines int    // at least 1
	of    string // agent, engine or hooks
}

func logsOptionsOf(c *cli.Context) (logsOptions, error) {
	o := logsOptions{command.SharedOf(c), c.Int("lines"), c.String("of")}
	if o.lines < 1 {
		return o, command.Usagef("lines %d: give 1 or more", o.lines)
	}
	if !slices.Contains(logNames, o.of) {
		return o, command.Usagef("there is no log of %q; there are agent, engine and hooks", o.of)
	}
	return o, nil
}

// logNames name whose log there is.
var logNames = []string{"agent", "engine", "hooks"}

// logValues complete --of.
var logValues = map[string]command.Values{"of": command.OneOf(logNames...)}

func logs(ctx context.Context, e *command.Env, o logsOptions) error {
	file := map[string]string{"agent": e.Paths.AgentLog(), "engine": e.Paths.EngineLog(), "hooks": e.Paths.HookLog()}[o.of]
	lines, err := lastLines(file, o.lines)
	if errors.Is(err, fs.ErrNotExist) {
		return e.Print(ctx, o.JSON, []string{}, func(w io.Writer) { _, _ = fmt.Fprintf(w, "nothing was logged yet in %s\n", terminal.Printable(file)) })
	}
	if err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	return e.Print(ctx, o.JSON, lines, func(w io.Writer) {
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
