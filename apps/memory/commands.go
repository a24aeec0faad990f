package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gofrs/flock"
	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/consolidate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// callTime bounds one question to the agent.
const callTime = 30 * time.Second

func (p *program) commands() []*cli.Command {
	asJSON := &cli.BoolFlag{Name: "json", Usage: "print JSON"}
	dir := &cli.StringFlag{Name: "project", Usage: "`DIR` of the project", DefaultText: "this directory"}
	limit := &cli.IntFlag{Name: "limit", Usage: "at most `N` rows", Value: 20}
	kind := &cli.StringFlag{Name: "kind", Usage: "`KIND`: note, todo, convention, decision, preference", Value: string(memory.KindNote)}
	job := &cli.StringFlag{Name: "job", Usage: "`JOB`: " + strings.Join(consolidate.Jobs(), ", "), Value: consolidate.Recount}
	return []*cli.Command{
		{Name: "remember", Usage: "keep something", ArgsUsage: "TEXT", Flags: []cli.Flag{kind, dir, asJSON}, Action: p.remember},
		{Name: "search", Usage: "find memories by words", ArgsUsage: "WORDS", Flags: []cli.Flag{dir, limit, asJSON}, Action: p.search},
		{Name: "list", Usage: "list the memories of a project", Flags: []cli.Flag{dir, limit, asJSON}, Action: p.list},
		{Name: "context", Usage: "show what the next session would be given", Flags: []cli.Flag{dir, asJSON}, Action: p.context},
		{Name: "consolidate", Usage: "run a maintenance job now", Flags: []cli.Flag{job, asJSON}, Action: p.consolidate},
		{Name: "runs", Usage: "list maintenance runs", Flags: []cli.Flag{limit, asJSON}, Action: p.runs},
		{Name: "status", Usage: "show how the agent, engine, spool and store are", Flags: []cli.Flag{asJSON}, Action: p.status},
		{Name: "agent", Usage: "steer the resident agent", Subcommands: []*cli.Command{
			{Name: "stop", Usage: "end the agent and its engine; the next hook starts it again", Action: p.stop},
			{Name: "ingest", Usage: "empty the spool into the store and wait for it", Flags: []cli.Flag{asJSON}, Action: p.ingest},
		}},
	}
}

// remember goes the way of every capture, through the spool: it works without
// an agent or a store.
func (p *program) remember(c *cli.Context) error {
	text, _ := redact.Text(strings.Join(c.Args().Slice(), " "))
	if strings.TrimSpace(text) == "" {
		return usageError{errors.New("remember what? give a text that is not private")}
	}
	kind := memory.Kind(c.String("kind"))
	switch kind {
	case memory.KindNote, memory.KindTodo, memory.KindConvention, memory.KindDecision, memory.KindPreference:
	default:
		return usageError{fmt.Errorf("there is no kind %q to remember; see memory remember --help", kind)}
	}
	where, err := p.project(c)
	if err != nil {
		return err
	}
	now := p.now()
	session := p.getenv("MEMORY_SESSION_ID")
	if session == "" {
		session = "cli-" + now.UTC().Format(time.DateOnly)
	}
	event := memory.Event{
		ID: memory.NewEventID(now), At: now.UTC(), Kind: memory.EventRemembered, Session: session,
		Project: memory.Project{Key: where.Key, Name: where.Name, Root: where.Root}, Dir: where.Dir,
		RememberedKind: kind, Text: text,
	}
	if err := spool.New(p.paths.Spool()).Put(event); err != nil {
		return err
	}
	if client, err := agentapi.Dial(c.Context, p.paths.Socket()); err == nil {
		_ = client.Notify(c.Context, agentapi.MethodSpooled, nil) // it looks there by itself, too
		_ = client.Close()
	}
	return p.print(c, event, func(w io.Writer) { _, _ = fmt.Fprintf(w, "remembered as a %s of %s\n", kind, where.Name) })
}

func (p *program) search(c *cli.Context) error {
	text := strings.Join(c.Args().Slice(), " ")
	if strings.TrimSpace(text) == "" {
		return usageError{errors.New("search for what? give some words")}
	}
	where, err := p.project(c)
	if err != nil {
		return err
	}
	hits := []memory.Hit{}
	query := memory.SearchQuery{Project: where.Key, Text: text, Limit: c.Int("limit")}
	if err := p.call(c.Context, agentapi.MethodSearch, query, &hits); err != nil {
		return err
	}
	return p.print(c, hits, func(w io.Writer) {
		for _, h := range hits {
			p.memoryLine(w, h.Memory)
		}
	})
}

func (p *program) list(c *cli.Context) error {
	where, err := p.project(c)
	if err != nil {
		return err
	}
	memories := []memory.Memory{}
	filter := memory.Filter{Project: where.Key, Statuses: []memory.Status{memory.StatusActive}, Limit: c.Int("limit")}
	if err := p.call(c.Context, agentapi.MethodMemories, filter, &memories); err != nil {
		return err
	}
	return p.print(c, memories, func(w io.Writer) {
		for _, m := range memories {
			p.memoryLine(w, m)
		}
	})
}

func (p *program) memoryLine(w io.Writer, m memory.Memory) {
	_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", m.ID[:min(8, len(m.ID))], m.LastSeenAt.Local().Format(time.DateTime), m.Kind, printable(m.Content))
}

// printable keeps a stored text from steering the terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return ' '
		}
		return r
	}, text)
}

func (p *program) context(c *cli.Context) error {
	where, err := p.project(c)
	if err != nil {
		return err
	}
	budget := p.config.Hooks.SessionStart.TokenBudget
	params := agentapi.SessionContextParams{Project: where.Key, TokenBudget: budget, WaitMS: int(callTime.Milliseconds())}
	var result agentapi.ContextResult
	if err := p.call(c.Context, agentapi.MethodSessionContext, params, &result); err != nil {
		return err
	}
	return p.print(c, result, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "%s%d of %d tokens (%s), %d items\n", result.Text, result.Tokens, budget, result.Encoding, result.Items)
	})
}

func (p *program) consolidate(c *cli.Context) error {
	var run memory.Run
	if err := p.call(c.Context, agentapi.MethodMaintain, agentapi.MaintainParams{Job: c.String("job"), Trigger: "manual"}, &run); err != nil {
		return err
	}
	return p.print(c, run, func(w io.Writer) { p.runLine(w, run) })
}

func (p *program) runs(c *cli.Context) error {
	runs := []memory.Run{}
	if err := p.call(c.Context, agentapi.MethodRuns, c.Int("limit"), &runs); err != nil {
		return err
	}
	return p.print(c, runs, func(w io.Writer) {
		for _, r := range runs {
			p.runLine(w, r)
		}
	})
}

func (p *program) runLine(w io.Writer, r memory.Run) {
	_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%d examined\t%d changed\t%s\n",
		r.StartedAt.Local().Format(time.DateTime), r.Job, r.Trigger, r.Examined, r.Changed, printable(r.Error))
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
	return p.print(c, status, func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "agent\t%s\t%s\n", status.State, printable(status.Reason))
		_, _ = fmt.Fprintf(w, "engine\t%s\t%s\n", status.Engine.Kind, status.Engine.Version)
		_, _ = fmt.Fprintf(w, "spool\t%d waiting\t%d dead letters\n", status.Spool.New+status.Spool.Claimed, status.Spool.Dead)
		if s := status.Store; s != nil {
			_, _ = fmt.Fprintf(w, "store\t%d memories\t%d sessions, %d prompts, %d projects\n", s.Memories, s.Sessions, s.Prompts, s.Projects)
		}
	})
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

// stop ends the agent and waits until it is gone: its lock is free then.
func (p *program) stop(c *cli.Context) error {
	client, err := agentapi.Dial(c.Context, p.paths.Socket())
	if errors.Is(err, agentapi.ErrNoAgent) {
		return p.print(c, nil, func(w io.Writer) { _, _ = fmt.Fprintln(w, "no agent is running") })
	}
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeout(c.Context, callTime)
	defer cancel()
	if err := client.Notify(ctx, agentapi.MethodStop, nil); err != nil {
		return err
	}
	lock := flock.New(p.paths.Lock())
	if _, err := lock.TryRLockContext(ctx, 10*time.Millisecond); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the agent has not ended within %s; its pid is in %s: %w", callTime, p.paths.PIDFile(), err)
	}
	_ = lock.Unlock()
	return p.print(c, nil, func(w io.Writer) { _, _ = fmt.Fprintln(w, "the agent has ended") })
}

// call asks the agent one question.
func (p *program) call(ctx context.Context, method string, params, result any) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	client, err := agentapi.Dial(ctx, p.paths.Socket())
	if err != nil {
		return fmt.Errorf("%w; the next session or hook starts it", err)
	}
	defer func() { _ = client.Close() }()
	return client.Call(ctx, method, params, result)
}

func (p *program) project(c *cli.Context) (project.Project, error) {
	dir := c.String("project")
	if dir == "" {
		dir = p.getenv("MEMORY_PROJECT_DIR")
	}
	if dir == "" {
		dir = "."
	}
	where, err := project.Identify(dir)
	if where.Key == "" {
		return where, fmt.Errorf("find the project of %s: %w", dir, err)
	}
	return where, nil
}

// print writes a value as JSON, or as text in columns.
func (p *program) print(c *cli.Context, value any, text func(io.Writer)) error {
	if c.Bool("json") {
		encoder := json.NewEncoder(p.out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(value)
	}
	columns := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	text(columns)
	return columns.Flush()
}
