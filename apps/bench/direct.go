package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/latency"
	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/workload"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/private"
)

const (
	// directChunk is how many events make one batch: with 1,000 it takes longer than the
	// store may, on a machine at a load of 10.
	directChunk = 250
	// copyChunk is how many rows of a copied project one statement writes.
	copyChunk = 1000
	// directWriters write copies at the same time.
	directWriters = 2
	// templateMemories is how many memories each project has beside the measured one, at most.
	templateMemories = 10_000
)

// fillDirectly fills the home's store without spool and agent. Nothing may run in the home.
// The measured project and one other are ingested; that other one is copied as often as the
// store needs it to be full. Sessions get no summary.
func (m *measurement) fillDirectly(ctx context.Context) (result latency.Fill, err error) {
	layout, where := paths.Layout{Home: m.home.Dir}, config.Default().Store
	if err := private.Make(layout.Home); err != nil {
		return result, err
	}
	bed := &testbed{namespace: where.Namespace, database: where.Database}
	defer func() { err = errors.Join(err, bed.close(ctx)) }()
	if bed.dir, err = os.MkdirTemp("", "memory-bench-"); err != nil {
		return result, err
	}
	if err := bed.start(ctx, layout.Data()); err != nil {
		return result, err
	}
	result.Direct = true
	rest := m.options.store - m.options.memories
	template := min(rest, templateMemories)
	events, err := m.past(workload.Spec{Store: m.options.memories + template, Others: 1})
	if err != nil {
		return result, err
	}
	if err := m.ingestDirectly(ctx, bed, events, &result); err != nil {
		return result, err
	}
	return result, m.copyDirectly(ctx, bed, rest-template, &result)
}

// ingestDirectly writes the rows that ingest makes of events.
func (m *measurement) ingestDirectly(ctx context.Context, bed *testbed, events iter.Seq[memory.Event], result *latency.Fill) error {
	began := time.Now()
	for chunk := range chunks(events, directChunk) {
		batch := ingest.Batch(chunk, bed.counter)
		for _, e := range chunk {
			if e.Kind == memory.EventSessionEnded { // else the agent would sum it up while it is measured
				batch.Summaries = append(batch.Summaries, memory.SessionSummary{Session: e.Session})
			}
		}
		if m.options.facts {
			asFacts(&batch)
		}
		if err := bed.store.Ingest(ctx, batch); err != nil {
			return fmt.Errorf("fill the store: %w", err)
		}
		result.Events += len(chunk)
	}
	result.IngestSeconds = time.Since(began).Seconds()
	m.say("ingested %d events, %.0f/s", result.Events, result.PerSecond())
	return nil
}

// asFacts makes facts of a model of the statements, each with cues of its own words, of
// several kinds and areas.
func asFacts(batch *memory.Batch) {
	batch.UserWritten = nil
	kinds := memory.StartKinds()
	for i := range batch.Memories {
		m := &batch.Memories[i]
		if !m.Kind.UserAuthored() || m.Project == "" {
			continue
		}
		m.Source, m.Title, m.Tags, m.Importance = memory.SourceAssistant, memory.TitleOf(m.Content), []string{memory.TagModel, memory.TagUsersWords}, memory.FactImportance(1+i%3)
		m.Kind, m.Area = kinds[i%len(kinds)], fmt.Sprintf("area %d", i%areasOfFacts)
		words := strings.Fields(m.Content)
		for from := 0; from+cueWords <= len(words) && len(m.Cues) < cuesOfFact; from += cueWords {
			m.Cues = append(m.Cues, strings.Join(words[from:from+cueWords], " "))
		}
		slices.Sort(m.Cues)
	}
}

// A fact has about so many cues, and each so many words; the facts have so many areas.
const (
	cuesOfFact   = 4
	cueWords     = 3
	areasOfFacts = 40
)

// copyDirectly copies the project that was ingested beside the measured one until there are
// as many memories more.
func (m *measurement) copyDirectly(ctx context.Context, bed *testbed, memories int, result *latency.Fill) error {
	if memories <= 0 {
		return nil
	}
	copier, err := newProjectCopier(ctx, bed.store, workload.Other(1).Key)
	if err != nil {
		return err
	}
	result.Copies = (memories + copier.memories() - 1) / copier.memories()
	began := time.Now()
	var next, done atomic.Int64
	errs := make([]error, directWriters)
	var writers sync.WaitGroup
	for w := range directWriters {
		writers.Go(func() {
			for i := int(next.Add(1)); i <= result.Copies && errs[w] == nil; i = int(next.Add(1)) {
				errs[w] = copier.write(ctx, bed.store, workload.Other(1+i), i, copyChunk)
				if n := int(done.Add(1)); n%10 == 0 {
					m.say("copied %d of %d projects, %.0f memories/s", n, result.Copies, float64(n*copier.memories())/time.Since(began).Seconds())
				}
			}
		})
	}
	writers.Wait()
	result.CopySeconds = time.Since(began).Seconds()
	return errors.Join(errs...)
}

// sizeOf is the size of all files below a folder, in bytes.
func sizeOf(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
