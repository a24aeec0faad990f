package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/recallset"
	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/sandbox"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

const (
	// everything is a budget in tokens that leaves out nothing; the client's limit
	// of characters still holds.
	everything = 100_000
	// mostTold is as many lines as the deepest figure looks at.
	mostTold = 10
	// patience is how long one answer may take, the first of a project's with its
	// load.
	patience = 10 * time.Second
)

// measureThroughAgent gives the memories to the product as if they had been noted,
// each set as a project, and asks as a prompt does. Where embeddings are on, it asks
// when all memories are embedded.
func measureThroughAgent(ctx context.Context, sets []recallset.Set, embeddings embeddingsOptions) (report recallset.Report, err error) {
	checkout, err := findCheckout()
	if err != nil {
		return report, err
	}
	box, err := sandbox.Open(ctx, checkout)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	home := box.Home("recall")
	defer func() { err = errors.Join(err, home.Stop(ctx)) }()
	if err := errors.Join(keepStill(ctx, home), embeddings.set(ctx, home)); err != nil {
		return report, err
	}
	if err := startAgent(ctx, box, home); err != nil {
		return report, err
	}
	embedded := 0
	var tally recallset.Tally
	for _, set := range sets {
		if err := rememberSet(ctx, home, set); err != nil {
			return report, err
		}
		socket := paths.Layout{Home: home.Dir}.Socket()
		if embeddings.url != "" {
			embedded += distinct(set)
			if err := waitForVectors(ctx, home, socket, set, embedded); err != nil {
				return report, err
			}
		}
		if err := askSet(ctx, socket, set, &tally); err != nil {
			return report, err
		}
	}
	return tally.Report(), nil
}

// keepStill turns maintenance off: it would archive the old memories of a set during
// the measurement.
func keepStill(ctx context.Context, home *sandbox.Home) error {
	if _, err := home.Memory(ctx, "config", "set", "maintenance.quiet", "1h"); err != nil {
		return fmt.Errorf("keep maintenance off: %w", err)
	}
	return nil
}

// startAgent starts a session, which starts the agent.
func startAgent(ctx context.Context, box *sandbox.Sandbox, home *sandbox.Home) error {
	input, err := json.Marshal(map[string]string{
		"session_id": "bench", "cwd": box.Project, "hook_event_name": "SessionStart", "source": "startup",
	})
	if err != nil {
		return err
	}
	stdin, err := box.WriteInput(input)
	if err != nil {
		return err
	}
	if _, err := home.Run(ctx, sandbox.Call{Command: filepath.Join(box.Plugin, "libexec", "session-start"), Stdin: stdin}); err != nil {
		return fmt.Errorf("start the agent: %w", err)
	}
	return home.Ready(ctx)
}

func projectOf(set recallset.Set) memory.Project {
	return memory.Project{Key: "set-" + set.Name, Name: set.Name, Root: "/" + set.Name}
}

// keptAs is the kind that somebody can ask a memory to be kept as: other kinds, such as
// an edit, come about only by a session's activity.
func keptAs(m recallset.Memory) memory.Kind {
	if kind := memory.Kind(m.Kind); kind.UserAuthored() {
		return kind
	}
	return memory.KindNote
}

// rememberSet writes the memories through the spool and waits for the agent.
func rememberSet(ctx context.Context, home *sandbox.Home, set recallset.Set) error {
	var events []memory.Event
	for i, m := range set.Memories {
		at := m.CreatedAt.Add(time.Duration(i) * time.Millisecond)
		events = append(events, memory.Event{
			ID: memory.NewEventID(at), At: at, Kind: memory.EventRemembered, Session: set.Name + "-" + m.Session,
			Project: projectOf(set), RememberedKind: keptAs(m), Text: m.Content, Files: m.Files,
		})
	}
	for chunk := range slices.Chunk(events, fillChunk) {
		if err := put(home.Spool(), chunk); err != nil {
			return err
		}
		if _, err := home.Memory(ctx, "agent", "ingest"); err != nil {
			return fmt.Errorf("write the memories of %s: %w", set.Name, err)
		}
	}
	return nil
}

// askSet asks each query in a session of its own, so that no memory was told before.
func askSet(ctx context.Context, socket string, set recallset.Set, tally *recallset.Tally) error {
	client, err := agentclient.Dial(ctx, socket)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }() // only read from
	told := map[string][]string{}         // by the id that a line shows
	for _, m := range set.Memories {
		for _, id := range []string{
			memory.NewID(memory.ScopeProject, projectOf(set).Key, m.Content), memory.NewID(memory.ScopeUser, "", m.Content),
		} {
			told[memory.ShortID(id)] = append(told[memory.ShortID(id)], m.ID)
		}
	}
	sessions := set.Sessions()
	for i, q := range append([]recallset.Query{{Text: "load"}}, set.Queries...) {
		start := time.Now()
		text, err := askPrompt(ctx, client, set, fmt.Sprint("ask-", set.Name, i), q.Text)
		if err != nil {
			return fmt.Errorf("ask %s of %s: %w", q.ID, set.Name, err)
		}
		if i == 0 {
			continue // only has the agent load the project
		}
		answer := recallset.Answer{Took: time.Since(start)}
		for line := range strings.Lines(text) {
			if id, _, opens := strings.Cut(strings.TrimPrefix(line, "- ["), " "); opens {
				answer.IDs = append(answer.IDs, told[id]...)
			}
		}
		tally.Add(sessions, q, answer)
	}
	return nil
}

func askPrompt(ctx context.Context, client *agentclient.Client, set recallset.Set, session, text string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var result agentapi.ContextResult
	err := client.Call(ctx, agentapi.MethodRecall.Call(agentapi.RecallParams{
		Purpose: agentapi.ForPrompt, Project: projectOf(set).Key, Session: session, Text: text,
		TokenBudget: everything, MaxLines: mostTold, WaitMS: int(patience.Milliseconds()),
	}, &result))
	return result.Text, err
}

func sortedKeys[V any](values map[string]V) []string { return slices.Sorted(maps.Keys(values)) }
