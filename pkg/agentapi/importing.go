package agentapi

import "github.com/surrealdb-memory/surrealdb-memory/pkg/memory"

// Import and export.
var (
	// MethodImport stores events that an importer made.
	MethodImport = Method[ImportParams, ImportResult]{"import"}
	// MethodKnownSessions returns those of the sessions with the given ids that
	// are in the store.
	MethodKnownSessions = Method[[]string, []memory.Session]{"known_sessions"}
	// MethodExport returns a page of memories, by a memory.ExportQuery.
	MethodExport = Method[memory.ExportQuery, memory.ExportPage]{"export"}
)

// MaxImport is the most events that one call should carry: more would delay the
// captured events of running sessions.
const MaxImport = 250

// ImportParams holds the events to store.
type ImportParams struct {
	Events []memory.Event `json:"events"`
}

// ImportResult counts the stored events and memories.
type ImportResult struct {
	Events int `json:"events"` // stored now, or before
	Added  int `json:"added"`  // memories that were not there
	// Kinds counts by kind the rows that the store has gained, those derived from whole
	// sessions included; the kinds are those that memory list knows.
	Kinds   map[memory.Kind]int `json:"kinds,omitempty"`
	Refused []Refusal           `json:"refused,omitempty"`
}

// Refusal is an event that can never be stored.
type Refusal struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}
