package ingest

import "github.com/surrealdb-memory/surrealdb-memory/pkg/text/quarantine"

// The most bytes kept of a text. Longer texts are cut with a mark.
const (
	maxContent  = 600
	maxDetail   = 4000
	maxImported = 2 * maxDetail // of the detail of an imported memory: archiving appends its reason
	maxActivity = 200           // the detail of an edit, a successful command and another tool's use: the file and the journal have the rest
)

// maxPrompt is how many bytes are kept of a prompt, and of the words of a session's event.
const maxPrompt = 8000

// isOrder reports whether a text reads like an instruction to an assistant.
func isOrder(text string) bool { return len(quarantine.Judge(text)) > 0 }
