package storetest

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 123456789, time.UTC)

func minute(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }

// note makes a memory that is complete in all fields.
func note(project, content string, seen time.Time) memory.Memory {
	return memory.Memory{
		ID: memory.NewID(memory.ScopeProject, project, content), Project: project, Scope: memory.ScopeProject,
		Type: memory.TypeSemantic, Kind: memory.KindNote, Status: memory.StatusActive, Content: content,
		Detail: "detail at " + seen.Format(time.TimeOnly), Tags: []string{"a", "b"}, Importance: 0.5, Pinned: true,
		Cues: []string{"bind the port", "listen.go"}, Everywhere: true,
		Files: []string{"a.go"}, Command: "go test", Signature: "undefined", Session: "s1", Source: memory.SourceAssistant,
		CreatedAt: seen, LastSeenAt: seen,
	}
}

func session(id, project string) memory.Session {
	return memory.Session{
		ID: id, Project: project, Dir: "/" + project, Client: "codex", Source: "startup", SourceAt: minute(0), State: memory.SessionActive,
		StateAt: minute(0), StartedAt: minute(0), LastEventAt: minute(0),
	}
}

// FullBatch returns a batch with at least one row of each kind.
func FullBatch() memory.Batch {
	m := note("p", "the port is 6543", minute(1))
	return memory.Batch{
		Projects:      []memory.Project{{Key: "p", Name: "p", Root: "/p", SeenAt: minute(0)}},
		Sessions:      []memory.Session{session("s1", "p")},
		Prompts:       []memory.Prompt{{ID: "e1", Session: "s1", Project: "p", Text: "remember the port", At: minute(1)}},
		Memories:      []memory.Memory{m},
		Sightings:     []memory.Sighting{{ID: "e1", Memory: m.ID, Session: "s1", At: minute(1)}},
		SessionEvents: []memory.SessionEvent{{ID: "e2", Session: "s1", Kind: memory.EventTurnEnded, Text: "done", At: minute(2)}},
		Injections:    []memory.Injection{{ID: "i1", Memory: m.ID, Session: "s1", Subagent: "a1", Hook: "prompt", At: minute(2)}},
	}
}

// Fill ingests many memories: one write of all of them would take the engine far longer.
func Fill(ctx context.Context, store interface {
	Ingest(ctx context.Context, b memory.Batch) error
}, memories []memory.Memory,
) error {
	for part := range slices.Chunk(memories, 100) {
		if err := store.Ingest(ctx, memory.Batch{Memories: part}); err != nil {
			return err
		}
	}
	return nil
}

// RowOf returns a row of a type with some text, related to the rows of FullBatch; nil for the types that FullBatch
// has. With another text it returns the same row with changes.
func RowOf(of *memory.RowType, text string) any {
	m := FullBatch().Memories[0].ID
	switch of.Zero().(type) {
	case memory.ProjectRow, memory.Session, memory.Row:
		return nil
	case memory.Use:
		return memory.Use{Memory: m, Session: "s1", At: minute(len(text))}
	case memory.Distillation:
		return memory.Distillation{Session: "s1", State: memory.DistillationWaiting, Reason: text, NextTry: minute(1), QueuedAt: minute(1)}
	}
	return filled(of, text)
}

// WholeMemory returns a memory without empty stored fields. A new field needs no change here.
func WholeMemory() memory.Memory {
	m := note("p", "whole", minute(1))
	v := reflect.ValueOf(&m).Elem()
	for _, column := range memory.ColumnsOf(v.Type()) {
		if field := v.FieldByIndex(column.Field); field.IsZero() {
			setField(field, "text")
		}
	}
	return m
}

// filled returns a row without empty columns. Its text columns, except keys, have the given text.
func filled(of *memory.RowType, text string) any {
	row := reflect.ValueOf(of.Zero())
	into := reflect.New(row.Type()).Elem()
	for _, column := range of.Columns {
		field := into.FieldByIndex(column.Field)
		switch {
		case column.Of == "memory":
			field.SetString(FullBatch().Memories[0].ID)
		case column.Of == "session":
			field.SetString("s1")
		case column.Name == "project":
			field.SetString("p")
		case field.Kind() == reflect.String && slices.Contains([]string{"id", "day", "path"}, column.Name):
			field.SetString("key")
		default:
			setField(field, text)
		}
	}
	return into.Interface()
}

// setField sets a field to a value derived from a text.
func setField(field reflect.Value, text string) {
	switch {
	case field.Type() == reflect.TypeFor[time.Time]():
		field.Set(reflect.ValueOf(minute(len(text))))
	case field.Kind() == reflect.String:
		field.SetString(text)
	case field.CanInt():
		field.SetInt(int64(len(text)))
	case field.CanFloat():
		field.SetFloat(float64(len(text)) + 0.5)
	case field.Kind() == reflect.Bool:
		field.SetBool(true)
	case field.Type() == reflect.TypeFor[[]string]():
		field.Set(reflect.ValueOf([]string{text}))
	}
}
