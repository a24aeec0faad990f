package agentapi

import (
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// MethodExplain tells why a memory is recalled or is not.
var MethodExplain = Method[ExplainParams, Explanation]{"explain"}

// ExplainParams asks about one memory, and about one query if there is any.
type ExplainParams struct {
	Project string   `json:"project"`
	Root    string   `json:"root,omitempty"`    // of the project, where it is worked on
	Dir     string   `json:"dir,omitempty"`     // that the question is asked in; empty: the root
	Session string   `json:"session,omitempty"` // the one that asks
	ID      string   `json:"id"`                // or its beginning
	Text    string   `json:"text,omitempty"`
	Files   []string `json:"files,omitempty"` // relative to the project's root
}

// Explanation holds all that recall knows of a memory.
type Explanation struct {
	ID         string        `json:"id"`
	Kind       memory.Kind   `json:"kind"`
	Scope      memory.Scope  `json:"scope"`
	Type       memory.Type   `json:"type"`
	Status     memory.Status `json:"status"`
	Pinned     bool          `json:"pinned"`
	Importance float64       `json:"importance"` // 0 to 1
	// Strength is the importance as it has faded by now, 0 to 1, by the pruning rules.
	// Curve is the strength on each active day after the last use; below ArchiveBelow the
	// memory may be archived, unless it is Protected.
	Strength     float64   `json:"strength"`
	Curve        []float64 `json:"curve"`
	ArchiveBelow float64   `json:"archive_below"`
	Protected    bool      `json:"protected"`
	Uses         int       `json:"uses"`

	LastSeenAt time.Time `json:"last_seen_at"`
	Tokens     int       `json:"tokens"` // of the line it is injected as
	Encoding   string    `json:"encoding"`
	// SaidIn names the file that the client loads by itself and that says the same; then
	// the memory is not told. Empty if there is none.
	SaidIn string `json:"said_in,omitempty"`
	// Query is absent if nothing was asked.
	Query *QueryExplanation `json:"query,omitempty"`
}

// QueryExplanation is the fate of a memory under a query.
type QueryExplanation struct {
	Rank   int         `json:"rank"`             // from 1; 0 if it is no hit
	Reason string      `json:"reason,omitempty"` // why it is none
	Silent bool        `json:"silent"`           // the query got no answer at all
	Score  float64     `json:"score"`            // only compares memories under one query
	Parts  []ScorePart `json:"parts,omitempty"`
}

// ScorePart is one reason of a score. Parts named "x ..." multiply the sum of the
// others.
type ScorePart struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}
