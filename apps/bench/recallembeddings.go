package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/recallset"
	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/sandbox"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/embed"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/recall"
)

// embeddingsOptions is the endpoint to measure with; none where the URL is empty.
type embeddingsOptions struct {
	url, model string
	dimension  int
	similarity float64
}

// embeddingsReport holds the figures with an endpoint's vectors.
type embeddingsReport struct {
	Model        string               `json:"model"`
	Dimension    int                  `json:"dimension"`
	Similarity   float64              `json:"similarity"`
	All          recallset.Report     `json:"all"`
	ThroughAgent *recallset.Report    `json:"through_agent,omitempty"`
	Times        recallset.EmbedTimes `json:"times"`
}

func measureEmbeddings(ctx context.Context, sets []recallset.Set, o recallOptions) (*embeddingsReport, error) {
	e := o.embeddings
	report := &embeddingsReport{Model: e.model, Dimension: e.dimension, Similarity: e.similarity}
	client, err := embed.New(e.url, e.model, e.dimension, "")
	if err != nil {
		return nil, err
	}
	embeddings := make([]*recallset.Embeddings, len(sets))
	for i, set := range sets {
		if embeddings[i], err = set.Embed(ctx, client, e.similarity, &report.Times); err != nil {
			return nil, err
		}
	}
	report.Times.Summarise(config.Default().Embeddings.Wait)
	report.All = recallset.MeasureWithEmbeddings(sets, embeddings, recall.DefaultWeights())
	if o.throughAgent {
		whole, err := measureThroughAgent(ctx, sets, e)
		if err != nil {
			return nil, err
		}
		report.ThroughAgent = &whole
	}
	return report, nil
}

func (r *embeddingsReport) writeTimes(out io.Writer) {
	t := r.Times
	round := func(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }
	_, _ = fmt.Fprintf(out, "%s: %d memories embedded in %v; a query's vector p50 %v, p90 %v, p99 %v, worst %v; %d of %d within %v\n",
		r.Model, t.Memories, round(t.Batches), round(t.P50), round(t.P90), round(t.P99), round(t.Worst), t.InTime, t.Queries, t.Wait)
}

// set writes the settings into a home whose agent does not run yet. A query waits for its
// vector for as long as may be set: its hits are measured, and not its speed.
func (e embeddingsOptions) set(ctx context.Context, home *sandbox.Home) error {
	if e.url == "" {
		return nil
	}
	for _, s := range [][2]string{
		{"embeddings.url", e.url},
		{"embeddings.model", e.model},
		{"embeddings.dimension", strconv.Itoa(e.dimension)},
		{"embeddings.similarity", strconv.FormatFloat(e.similarity, 'g', -1, 64)},
		{"embeddings.wait", patience.String()},
	} {
		if _, err := home.Memory(ctx, "config", "set", s[0], s[1]); err != nil {
			return fmt.Errorf("switch embeddings on: %w", err)
		}
	}
	return nil
}

// distinct counts the memories of a set that the store tells apart.
func distinct(set recallset.Set) int {
	contents := map[string]bool{}
	for _, m := range set.Memories {
		contents[m.Content] = true
	}
	return len(contents)
}

// waitForVectors has the agent load the set's project, and waits until it holds as many
// vectors as there are memories.
func waitForVectors(ctx context.Context, home *sandbox.Home, socket string, set recallset.Set, all int) error {
	const (
		// longest bounds the time of all vectors of a set: half a second each, on a slow
		// machine without a graphics card.
		longest = 30 * time.Minute
		pause   = 200 * time.Millisecond
	)
	client, err := agentclient.Dial(ctx, socket)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }() // only read from
	if _, err := askPrompt(ctx, client, set, "load-"+set.Name, "load"); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	for {
		status, err := home.Status(ctx)
		if err != nil {
			return err
		}
		if status.Vectors >= all {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the vectors of %s: the agent holds %d of %d: %w", set.Name, status.Vectors, all, ctx.Err())
		case <-time.After(pause):
		}
	}
}
