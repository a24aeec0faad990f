package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/resident"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

const (
	// callTime bounds one question to the agent.
	callTime = 30 * time.Second
	// longTime is the same for what touches every row of a project.
	longTime = 10 * time.Minute
	// startTime bounds the wait for an agent that was just started. It is up much
	// sooner, unless it has an engine to install.
	startTime = time.Minute
	// socketTime is when an agent that was started would have answered. It listens
	// before it does anything that takes long.
	socketTime = 10 * time.Second
	// patience is how long nothing may happen without a word.
	patience  = 500 * time.Millisecond
	pollPause = 10 * time.Millisecond
	// statusTime is what a status may take; the agent gives its store a second of it.
	statusTime = 1400 * time.Millisecond
	// aliveTime is what a living agent may take to say that it lives.
	aliveTime = 300 * time.Millisecond
)

// stateStarting is how the agent calls itself until it has its store.
const stateStarting = "starting"

func (p *program) statusCommand() *cli.Command {
	return &cli.Command{
		Name: "status", Usage: "show how the agent, engine, spool and store are",
		Description: described("", "memory status", "memory status --json"), Flags: []cli.Flag{jsonFlag()}, Action: p.status,
	}
}

func (p *program) agentCommand() *cli.Command {
	lines := &cli.IntFlag{Name: "lines", Usage: "the last `N` lines", Value: 50}
	log := &cli.StringFlag{Name: "of", Usage: "`WHOSE`: agent, engine or hooks", Value: "agent"}
	sub := func(name, usage, example string, action cli.ActionFunc, flags ...cli.Flag) *cli.Command {
		return &cli.Command{Name: name, Usage: usage, Description: described("", example), Flags: append(flags, jsonFlag()), Action: action}
	}
	return &cli.Command{Name: "agent", Usage: "steer the resident agent", Subcommands: []*cli.Command{
		sub("start", "start the agent, as a hook would, and wait until it answers", "memory agent start", p.start),
		sub("stop", "end the agent and its engine; the next hook or command starts it again", "memory agent stop", p.stop),
		sub("status", "show how it is", "memory agent status", p.status),
		sub("logs", "show what was logged last", "memory agent logs --of engine --lines 20", p.logs, lines, log),
		sub("ingest", "empty the spool into the store and wait for it", "memory agent ingest", p.ingest),
	}}
}

func (p *program) status(c *cli.Context) error {
	var status agentapi.StatusResult
	err := p.askWithin(c.Context, statusTime, agentapi.MethodStatus, nil, &status)
	if pid := resident.PID(p.paths); errors.Is(err, memory.ErrUnavailable) && !p.resident().Answers(c.Context, aliveTime) && pid > 0 {
		counts, countErr := spool.New(p.paths.Spool()).Counts()
		if countErr != nil {
			return countErr
		}
		status = agentapi.StatusResult{
			State: "hanging", PID: pid, Spool: agentapi.SpoolStatus(counts),
			Reason: fmt.Sprintf("process %d does not answer; the next session replaces it, and so does memory agent stop", pid),
		}
	} else if errors.Is(err, agentapi.ErrNoAgent) {
		counts, countErr := spool.New(p.paths.Spool()).Counts()
		if countErr != nil {
			return countErr
		}
		status = agentapi.StatusResult{State: "stopped", Spool: agentapi.SpoolStatus(counts)}
	} else if err != nil {
		return err
	}
	return p.print(c, status, func(w io.Writer) { p.statusPage(w, status) })
}

func (p *program) statusPage(w io.Writer, status agentapi.StatusResult) {
	_, _ = fmt.Fprintf(w, "agent\t%s\n", joinedWith(": ", status.State, printable(status.Reason)))
	if t := status.Trouble; t != nil {
		_, _ = fmt.Fprintf(w, "trouble\t%s\n", printable(troubleLine(*t)))
	}
	_, _ = fmt.Fprintf(w, "engine\t%s\n", joinedWith("", printable(status.Engine.Name)))
	_, _ = fmt.Fprintf(w, "spool\t%s, %s\n", counted(status.Spool.New+status.Spool.Claimed, "event")+" waiting", counted(status.Spool.Dead, "dead letter"))
	if s := status.Store; s != nil {
		_, _ = fmt.Fprintf(w, "store\t%s, %s, %s, %s\n", counted(s.Memories, "memory"), counted(s.Sessions, "session"), counted(s.Prompts, "prompt"), counted(s.Projects, "project"))
	}
	_, _ = fmt.Fprintf(w, "home\t%s\n", printable(p.paths.Home))
}

// troubleLine says what is off, and what helps.
func troubleLine(t agentapi.Trouble) string {
	help := t.Help
	if t.Command != "" {
		help = strings.TrimSpace(help + " memory " + t.Command)
	}
	if help == "" {
		return t.What
	}
	return t.What + ": " + help
}

// joinedWith joins those of the words that are not empty.
func joinedWith(between string, words ...string) string {
	words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, between)
}

func (p *program) ingest(c *cli.Context) error {
	var result agentapi.IngestResult
	if err := p.call(c.Context, agentapi.MethodIngest, nil, &result); err != nil {
		return err
	}
	return p.print(c, result, func(w io.Writer) {
		if result == (agentapi.IngestResult{}) {
			_, _ = fmt.Fprintln(w, "no event was waiting: all are stored")
			return
		}
		_, _ = fmt.Fprintf(w, "%s ingested, %s put aside\n", counted(result.Events, "event"), counted(result.Dead, "dead letter"))
	})
}

// start starts the agent and waits until it has tried to get its store.
func (p *program) start(c *cli.Context) error {
	status, err := p.startAgent(c.Context)
	if err != nil {
		return err
	}
	return p.print(c, status, func(w io.Writer) { p.statusPage(w, status) })
}

// startAgent starts the agent if it is not there, and waits until it has tried to
// get its store.
func (p *program) startAgent(ctx context.Context) (agentapi.StatusResult, error) {
	defer p.explainWait(ctx)()
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	agent := p.resident()
	ticker := time.NewTicker(pollPause)
	defer ticker.Stop()
	begun := time.Now()
	for {
		var status agentapi.StatusResult
		err := p.ask(ctx, agentapi.MethodStatus, nil, &status)
		if err == nil && status.State != stateStarting {
			return status, nil
		}
		if errors.Is(err, agentapi.ErrNoAgent) {
			if time.Since(begun) > socketTime {
				return status, fmt.Errorf("%w, and one that was started has ended; memory agent logs says why, memory doctor what to do", agentapi.ErrNoAgent)
			}
			if err := agent.Start(); err != nil { // at most one process in three seconds
				return status, fmt.Errorf("%w, and it cannot be started: %w", agentapi.ErrNoAgent, err)
			}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return status, fmt.Errorf("the agent is not ready after %s; memory agent logs says why: %w", startTime, errors.Join(ctx.Err(), err))
		}
	}
}

// stop ends the agent and waits until it is gone.
func (p *program) stop(c *cli.Context) error {
	stopped, err := p.stopAgent(c.Context)
	if err != nil {
		return err
	}
	return p.print(c, map[string]bool{"stopped": stopped}, func(w io.Writer) {
		if stopped {
			_, _ = fmt.Fprintln(w, "the agent has ended")
		} else {
			_, _ = fmt.Fprintln(w, "no agent is running")
		}
	})
}

// stopAgent tells whether there was one. Its lock is free when it has ended.
func (p *program) stopAgent(ctx context.Context) (bool, error) {
	client, err := agentapi.Dial(ctx, p.paths.Socket())
	if errors.Is(err, agentapi.ErrNoAgent) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = client.Close() }()
	if !p.resident().Answers(ctx, aliveTime) { // it hangs: what it had claimed is taken in by the next
		ctx, cancel := context.WithTimeout(ctx, aliveTime)
		defer cancel()
		return true, resident.End(ctx, p.paths, resident.PID(p.paths))
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	if err := client.Notify(ctx, agentapi.MethodStop, nil); err != nil {
		return false, err
	}
	lock := flock.New(p.paths.Lock())
	if _, err := lock.TryRLockContext(ctx, pollPause); err != nil && !errors.Is(err, os.ErrNotExist) {
		return false, fmt.Errorf("the agent has not ended within %s; its pid is in %s: %w", callTime, p.paths.PIDFile(), err)
	}
	return true, lock.Unlock()
}

// resident is the agent as this program reaches it. Its clock is that of the file
// system's marks.
func (p *program) resident() resident.Agent {
	return resident.Agent{Paths: p.paths, Executable: p.executable, Now: time.Now}
}

// logs shows the end of a log.
func (p *program) logs(c *cli.Context) error {
	if c.Int("lines") < 1 {
		return usagef("lines %d: give 1 or more", c.Int("lines"))
	}
	file, known := map[string]string{"agent": p.paths.AgentLog(), "engine": p.paths.EngineLog(), "hooks": p.paths.HookLog()}[c.String("of")]
	if !known {
		return usagef("there is no log of %q; there are agent, engine and hooks", c.String("of"))
	}
	lines, err := lastLines(file, c.Int("lines"))
	if errors.Is(err, fs.ErrNotExist) {
		return p.print(c, []string{}, func(w io.Writer) { _, _ = fmt.Fprintf(w, "nothing was logged yet in %s\n", printable(file)) })
	}
	if err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	return p.print(c, lines, func(w io.Writer) {
		for _, line := range lines {
			_, _ = fmt.Fprintln(w, printable(line))
		}
	})
}

// mostOfLine bounds what is held of one line of a log.
const mostOfLine = 1 << 20

func lastLines(file string, n int) ([]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	lines := []string{}
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, mostOfLine)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
		if len(lines) > 2*n {
			lines = append(lines[:0], lines[len(lines)-n:]...)
		}
	}
	return lines[max(0, len(lines)-n):], scanner.Err()
}

// call asks the agent one question, and starts it if it is not there.
func (p *program) call(ctx context.Context, method string, params, result any) error {
	return p.callWithin(ctx, callTime, method, params, result)
}

func (p *program) callWithin(ctx context.Context, limit time.Duration, method string, params, result any) error {
	defer p.explainWait(ctx)()
	err := p.askWithin(ctx, limit, method, params, result)
	if !errors.Is(err, agentapi.ErrNoAgent) {
		return err
	}
	if _, err := p.startAgent(ctx); err != nil {
		return err
	}
	return p.askWithin(ctx, limit, method, params, result)
}

// ask asks the agent that is there; without one it answers agentapi.ErrNoAgent.
func (p *program) ask(ctx context.Context, method string, params, result any) error {
	return p.askWithin(ctx, callTime, method, params, result)
}

func (p *program) askWithin(ctx context.Context, limit time.Duration, method string, params, result any) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	client, err := agentapi.Dial(ctx, p.paths.Socket())
	if errors.Is(err, agentapi.ErrNoAgent) {
		return agentapi.ErrNoAgent
	}
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	if err := client.Notify(ctx, agentapi.MethodCaller, p.resident().Caller()); err != nil {
		return err
	}
	return client.Call(ctx, method, params, result)
}

// explainWait says on standard error, once and after half a second, that the
// agent is starting, if that is why nothing happens. It ends when the function
// that it returns is called.
func (p *program) explainWait(ctx context.Context) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-ctx.Done():
			return
		case <-time.After(patience):
		}
		var status agentapi.StatusResult
		err := p.ask(ctx, agentapi.MethodStatus, nil, &status)
		if ctx.Err() != nil || err != nil && !errors.Is(err, agentapi.ErrNoAgent) || err == nil && status.State != stateStarting {
			return
		}
		p.waits.Do(func() {
			_, _ = fmt.Fprintln(p.err, "memory: the agent is starting; the first start also installs the database engine")
		})
	}()
	return func() {
		cancel()
		<-ended
	}
}
