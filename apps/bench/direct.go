package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/latency"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/ingest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/private"
)

// directChunk is how many events make one batch.
const directChunk = 1000

// fillDirectly writes events into the home's store without spool and agent, which is
// faster. Nothing may run in the home. Sessions get no summary.
func (m *measurement) fillDirectly(ctx context.Context, events iter.Seq[memory.Event]) (result latency.Fill, err error) {
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
	began := time.Now()
	for chunk := range chunks(events, directChunk) {
		batch := ingest.Batch(chunk, bed.counter)
		for _, e := range chunk {
			if e.Kind == memory.EventSessionEnded { // else the agent would sum it up while it is measured
				batch.Summaries = append(batch.Summaries, memory.SessionSummary{Session: e.Session})
			}
		}
		if err := bed.store.Ingest(ctx, batch); err != nil {
			return result, fmt.Errorf("fill the store: %w", err)
		}
		result.Events += len(chunk)
		result.IngestSeconds = time.Since(began).Seconds()
		if result.Events%(20*directChunk) == 0 {
			m.say("filling the store: %d events, %.0f/s", result.Events, result.PerSecond())
		}
	}
	return result, nil
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
