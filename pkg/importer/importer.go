// Package importer turns memories of other programs into events: Claude Code's auto-memory, CLAUDE.md files,
// transcripts of past sessions, and exports of memories (memory export), which it also writes.
//
// It reads files and returns events without private parts and secrets, like the events of hooks. An event's ID is derived from what identifies it in
// the source, so importing again changes nothing. The package never writes to a source, and does not depend on how the daemon stores events.
package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
)

// Send stores events, as daemonapi.MethodImport does.
type Send func(ctx context.Context, events []memory.Event) (daemonapi.ImportResult, error)

// Writer sends events in batches and counts them.
type Writer struct {
	Send Send
	// IsOff reports whether memory is switched off for a project. If it is nil, memory is on for all.
	IsOff func(memory.Project) bool

	report   Report
	sessions map[string]bool
	pending  []memory.Event
	bytes    int
}

// Report counts the imported sessions and events.
type Report struct {
	Sessions int `json:"sessions"`
	Prompts  int `json:"prompts"`
	Added    int `json:"added"`  // memories that the store did not have
	Events   int `json:"events"` // events of sessions, and rows of an export
	// Kinds are the numbers, by kind, of the memories that the store did not have, including memories derived from whole sessions.
	Kinds   map[memory.Kind]int `json:"kinds,omitempty"`
	Off     int                 `json:"off"`     // events of projects that are off, not counted above
	Refused int                 `json:"refused"` // events that can never be stored
	// Reasons are the reasons of the first refused events.
	Reasons []string `json:"reasons,omitempty"`
}

const (
	// maxBatchBytes keeps a message well below the daemon's limit.
	maxBatchBytes = 2 << 20
	maxReasons    = 5
)

// WriteAll sends all events of a source.
func (w *Writer) WriteAll(ctx context.Context, source iter.Seq2[memory.Event, error]) error {
	for event, err := range source {
		if err == nil {
			err = w.Put(ctx, event)
		}
		if err != nil {
			return err
		}
	}
	return w.Flush(ctx)
}

// Put adds events, and sends the waiting events when there are enough.
func (w *Writer) Put(ctx context.Context, events ...memory.Event) error {
	for _, e := range events {
		if w.IsOff != nil && e.Project.Key != "" && w.IsOff(e.Project) {
			w.report.Off++
			continue
		}
		data, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("import event %s: encode: %w", e.ID, err)
		}
		w.pending = append(w.pending, e)
		w.bytes += len(data)
		if len(w.pending) >= daemonapi.MaxImport || w.bytes >= maxBatchBytes {
			if err := w.Flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// Flush sends the waiting events. When it returns, everything put before is stored.
func (w *Writer) Flush(ctx context.Context) error {
	if len(w.pending) == 0 {
		return nil
	}
	result, err := w.Send(ctx, w.pending)
	w.report.Added += result.Added
	for kind, n := range result.Kinds {
		if w.report.Kinds == nil {
			w.report.Kinds = map[memory.Kind]int{}
		}
		w.report.Kinds[kind] += n
	}
	w.report.Refused += len(result.Refused)
	isRefused := map[string]bool{} // by id
	for _, refusal := range result.Refused {
		isRefused[refusal.ID] = true
		if len(w.report.Reasons) < maxReasons {
			w.report.Reasons = append(w.report.Reasons, refusal.Reason)
		}
	}
	if err != nil {
		return fmt.Errorf("store %d imported events: %w", len(w.pending), err)
	}
	for _, e := range w.pending {
		if !isRefused[e.ID] {
			w.count(e)
		}
	}
	w.pending, w.bytes = w.pending[:0], 0
	return nil
}

func (w *Writer) count(e memory.Event) {
	if w.sessions == nil {
		w.sessions = map[string]bool{}
	}
	if e.TakenBack {
		return
	}
	w.sessions[e.Session] = true
	w.report.Events++
	if e.Kind == memory.EventPrompt || e.Import != nil && e.Import.Prompt != nil {
		w.report.Prompts++
	}
}

// Report returns the counts of the events that were stored so far.
func (w *Writer) Report() Report {
	r := w.report
	r.Sessions = len(w.sessions)
	return r
}

// clean returns a text without private parts and secrets.
func clean(text string) string { return strings.TrimSpace(redact.Clean(text)) }
