package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/sandbox"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/project"
)

func indexCommand() *cli.Command {
	return &cli.Command{
		Name:  "index",
		Usage: "measure how an agent that has just started loads the index of a project",
		Description: "Fills a store as bench hooks does, starts its agent again and asks it a question about the project. Tells the time until the\n" +
			"answer, what prompts meanwhile took, and what agent and engine kept in memory and had at the most.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "memories", Usage: "memories of the measured project", Value: 10_000},
			&cli.IntFlag{Name: "store", Usage: "memories of the whole store", Value: 10_000},
			&cli.BoolFlag{Name: "direct", Usage: "fill the store as bench hooks --direct does"},
			&cli.StringFlag{Name: "keep", Usage: "with --direct: keep the filled store in `DIR`, and start from it the next time"},
			&cli.BoolFlag{Name: "stated", Usage: "fill the store only with what a person asked to keep, so that recall may return all of it, not some 8 of 100"},
			&cli.IntFlag{Name: "runs", Usage: "starts of the agent", Value: 3},
			&cli.Uint64Flag{Name: "seed", Usage: "of the workload", Value: 1},
		},
		Action: func(c *cli.Context) error {
			o := pageOptions(c)
			o.stated = c.Bool("stated")
			if err := o.validate(); err != nil {
				return err
			}
			return measureIndex(c.Context, o, c.App.Writer, c.App.ErrWriter)
		},
	}
}

func measureIndex(ctx context.Context, o options, out, progress io.Writer) (err error) {
	checkout, err := findCheckout()
	if err != nil {
		return err
	}
	box, err := sandbox.Open(ctx, checkout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	programs, err := findPrograms(checkout, box)
	if err != nil {
		return err
	}
	m := measurement{box: box, home: box.Home("home"), options: o, programs: programs, progress: progress}
	defer func() { err = errors.Join(err, m.home.Stop(ctx)) }()
	if err := withoutMaintenance(m.home); err != nil {
		return err
	}
	filled, err := m.fill(ctx)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "%d memories, %d of the project\n", filled.Store, filled.Project)
	for range o.runs {
		if err := m.home.Stop(ctx); err != nil {
			return err
		}
		if err := m.startAgent(ctx); err != nil {
			return err
		}
		if err := m.loadIndex(ctx, out); err != nil {
			return err
		}
	}
	return nil
}

// promptPause is the time between two prompts.
const promptPause = 100 * time.Millisecond

// question is asked of the project: it has an answer.
const question = "what does a.txt have to look like"

// loadIndex asks an agent that has not read the project, and prompts until it has answered.
func (m *measurement) loadIndex(ctx context.Context, out io.Writer) error {
	agentBefore, engineBefore := m.home.Usage()
	call, err := m.firstCall(userPrompt)
	if err != nil {
		return err
	}
	type answer struct {
		took time.Duration
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		took, err := m.ask(ctx)
		answered <- answer{took, err}
	}()
	var prompts []time.Duration
	next := time.NewTicker(promptPause)
	defer next.Stop()
	for {
		select {
		case first := <-answered:
			if first.err != nil {
				return first.err
			}
			again, err := m.ask(ctx)
			if err != nil {
				return err
			}
			agent, engine := m.home.Usage()
			slices.Sort(prompts)
			prompts = append(prompts, 0)[:max(len(prompts), 1)] // a small project is loaded before the first of them
			_, err = fmt.Fprintf(out, "answer after %.2f s (CPU of the agent %.1f s, of the engine %.1f s), the next one after %.0f ms; "+
				"%d prompts meanwhile, half within %.0f ms, all within %.0f ms; agent %d MB, %d at most; engine %d MB, %d at most\n",
				first.took.Seconds(), (agent.CPU - agentBefore.CPU).Seconds(), (engine.CPU - engineBefore.CPU).Seconds(), 1000*again.Seconds(),
				len(prompts), 1000*prompts[len(prompts)/2].Seconds(), 1000*prompts[len(prompts)-1].Seconds(),
				agent.Resident>>20, agent.Peak>>20, engine.Resident>>20, engine.Peak>>20)
			return err
		case <-next.C:
			result, err := m.home.Run(ctx, call)
			if err := errors.Join(err, result.Err); err != nil {
				return err
			}
			prompts = append(prompts, result.Took)
		}
	}
}

// ask is the time until the agent has answered the question.
func (m *measurement) ask(ctx context.Context) (time.Duration, error) {
	where, err := project.Identify(m.box.Project)
	if err != nil {
		return 0, err
	}
	client, err := agentclient.Dial(ctx, paths.Layout{Home: m.home.Dir}.Socket())
	if err != nil {
		return 0, err
	}
	defer func() { _ = client.Close() }() // only read from
	began := time.Now()
	var answer agentapi.Answer
	err = client.Call(ctx, agentapi.MethodAnswer.Call(agentapi.AnswerParams{
		FindParams: agentapi.FindParams{Project: where.Key, Text: question, Limit: 5}, TokenBudget: 1000,
	}, &answer))
	if err == nil && len(answer.Memories) == 0 {
		err = fmt.Errorf("the agent knows nothing of %q", question)
	}
	return time.Since(began), err
}
