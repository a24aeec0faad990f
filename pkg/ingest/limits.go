package ingest

import "github.com/surrealdb-memory/surrealdb-memory/pkg/text/quarantine"

// The maximum number of bytes kept of a text. A longer text is cut, and ends with "…".
const (
	maxContent  = 600
	maxDetail   = 4000
	maxImported = 2 * maxDetail // detail of an imported memory: archiving appends its reason
	maxActivity = 200           // detail of an activity: the file and the journal have the rest
)

// maxPrompt is the maximum number of bytes kept of a prompt, and of the words of a session event.
const maxPrompt = 8000

// isOrder reports whether a text reads like an instruction to an assistant.
func isOrder(text string) bool { return len(quarantine.Reasons(text)) > 0 }
