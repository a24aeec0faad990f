package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"
	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
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
	pollPause = 10 * time.Millisecond
)

func (p *program) statusCommand() *cli.Command {
	return &cli.Command{
		Name: "status", Usage: "show how the agent, engine, spool and store are", Flags: []cli.Flag{jsonFlag()}, Action: p.status,
	}
}

func (p *program) agentCommand() *cli.Command {
	lines := &cli.IntFlag{Name: "lines", Usage: "the last `N` lines", Value: 50}
	log := &cli.StringFlag{Name: "of", Usage: "`WHOSE`: agent, engine or hooks", Value: "agent"}
	return &cli.Command{Name: "agent", Usage: "steer the resident agent", Subcommands: []*cli.Command{
		{Name: "start", Usage: "start the agent, as a hook would, and wait until it answers", Flags: []cli.Flag{jsonFlag()}, Action: p.start},
		{Name: "stop", Usage: "end the agent and its engine; the next hook starts it again", Flags: []cli.Flag{jsonFlag()}, Action: p.stop},
		{Name: "status", Usage: "show how it is", Flags: []cli.Flag{jsonFlag()}, Action: p.status},
		{Name: "logs", Usage: "show what was logged last", Flags: []cli.Flag{lines, log, jsonFlag()}, Action: p.logs},
		{Name: "ingest", Usage: "empty the spool into the store and wait for it", Flags: []cli.Flag{jsonFlag()}, Action: p.ingest},
	}}
}

func (p *program) status(c *cli.Context) error {
	var status agentapi.StatusResult
	err := p.call(c.Context, agentapi.MethodStatus, nil, &status)
	if errors.Is(err, agentapi.ErrNoAgent) {
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
	_, _ = fmt.Fprintf(w, "agent\t%s\t%s\n", status.State, printable(status.Reason))
	_, _ = fmt.Fprintf(w, "engine\t%s\t%s\n", printable(status.Engine.Kind), printable(status.Engine.Version))
	_, _ = fmt.Fprintf(w, "spool\t%d waiting\t%d dead letters\n", status.Spool.New+status.Spool.Claimed, status.Spool.Dead)
	if s := status.Store; s != nil {
		_, _ = fmt.Fprintf(w, "store\t%d memories\t%d sessions, %d prompts, %d projects\n", s.Memories, s.Sessions, s.Prompts, s.Projects)
	}
	_, _ = fmt.Fprintf(w, "home\t%s\t\n", printable(p.paths.Home))
}

func (p *program) ingest(c *cli.Context) error {
	var result agentapi.IngestResult
	if err := p.call(c.Context, agentapi.MethodIngest, nil, &result); err != nil {
		return err
	}
	return p.print(c, result, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "%d events ingested\t%d put aside as dead letters\n", result.Events, result.Dead)
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

func (p *program) startAgent(ctx context.Context) (agentapi.StatusResult, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	agent := resident.Agent{Paths: p.paths, Executable: p.executable, Now: time.Now} // the clock of the file system's marks
	ticker := time.NewTicker(pollPause)
	defer ticker.Stop()
	for {
		var status agentapi.StatusResult
		err := p.call(ctx, agentapi.MethodStatus, nil, &status)
		if err == nil && status.State != "starting" {
			return status, nil
		}
		if errors.Is(err, agentapi.ErrNoAgent) {
			if err := agent.Start(); err != nil { // at most one process in three seconds
				return status, err
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

// call asks the agent one question.
func (p *program) call(ctx context.Context, method string, params, result any) error {
	return p.callWithin(ctx, callTime, method, params, result)
}

func (p *program) callWithin(ctx context.Context, limit time.Duration, method string, params, result any) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	client, err := agentapi.Dial(ctx, p.paths.Socket())
	if errors.Is(err, agentapi.ErrNoAgent) {
		return fmt.Errorf("%w; memory agent start starts it, and so does the next session", agentapi.ErrNoAgent)
	}
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	return client.Call(ctx, method, params, result)
}
