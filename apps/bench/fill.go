package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/latency"
	"github.com/surrealdb-memory/surrealdb-memory/apps/bench/workload"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

const (
	// fillChunk is the number of events that wait in the spool at once. Even on a busy machine they must be
	// ingested within the CLI's 30 s.
	fillChunk = 500
	// spoolWriters is the number of concurrent writers, like the hooks of several sessions.
	spoolWriters = 8
)

// fill starts the daemon and fills the store through the product's own write path: the spool and the running
// daemon.
func (b *bed) fill(ctx context.Context, spec workload.Spec) (result latency.Filling, err error) {
	if err := b.startDaemon(ctx); err != nil {
		return result, err
	}
	stated := map[string]bool{}
	for chunk := range chunks(workload.Events(spec), fillChunk) {
		for _, e := range chunk {
			for _, id := range workload.Stated(e) {
				stated[id] = true
			}
		}
		began := time.Now()
		if err := put(b.home.Spool(), chunk); err != nil {
			return result, err
		}
		spooled := time.Now()
		if _, err := b.home.Memory(ctx, "daemon", "ingest"); err != nil {
			return result, fmt.Errorf("fill the store: %w", err)
		}
		result.Events += len(chunk)
		result.SpoolSeconds += spooled.Sub(began).Seconds()
		result.IngestSeconds += time.Since(spooled).Seconds()
		if result.Events%(20*fillChunk) == 0 {
			b.say("filling the store: %d events, %.0f/s", result.Events, result.PerSecond())
		}
	}
	result.Project = spec.Memories
	return b.checkFill(ctx, len(stated), result)
}

// mergedShare is the maximum share of memories that maintenance may have merged meanwhile, because a few generated
// statements say the same.
const mergedShare = 0.01

// checkFill fails if the store has fewer memories than least. It may have more, such as fixes that the daemon
// derived.
func (b *bed) checkFill(ctx context.Context, least int, result latency.Filling) (latency.Filling, error) {
	status, err := b.home.WaitForCounts(ctx)
	if err != nil {
		return result, err
	}
	result.Store = status.Store.Memories
	size, err := sizeOf(paths.Layout{Home: b.home.Dir}.Data())
	if err != nil {
		return result, err
	}
	result.DiskMB = int(size >> 20)
	if result.Store < least-int(mergedShare*float64(least)) || status.Spool.Dead > 0 {
		return result, fmt.Errorf("the store has %d memories and the spool %d dead letters, want at least %d and none",
			result.Store, status.Spool.Dead, least)
	}
	return result, nil
}

func put(to *spool.Spool, events []memory.Event) error {
	errs := make([]error, spoolWriters)
	var writers sync.WaitGroup
	for w := range spoolWriters {
		writers.Go(func() {
			for i := w; i < len(events) && errs[w] == nil; i += spoolWriters {
				errs[w] = to.Put(events[i])
			}
		})
	}
	writers.Wait()
	return errors.Join(errs...)
}

// chunks yields the values in slices of at most size.
func chunks[T any](values iter.Seq[T], size int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		var chunk []T
		for v := range values {
			chunk = append(chunk, v)
			if len(chunk) == size {
				if !yield(chunk) {
					return
				}
				chunk = nil
			}
		}
		if len(chunk) > 0 {
			yield(chunk)
		}
	}
}

// sizeOf returns the size in bytes of all files below a folder.
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
