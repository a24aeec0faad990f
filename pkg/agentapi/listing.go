package agentapi

import (
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// MethodList lists memories by their properties, without a question.
var MethodList = Method[ListParams, ListResult]{"list"}

// ListParams says which memories of a project and of the user to list; an empty field
// selects all.
type ListParams struct {
	Project string        `json:"project"`
	Session string        `json:"session"`         // the one that asks
	Kinds   []memory.Kind `json:"kinds,omitempty"` // the kinds that record activity only where they are named
	Tag     string        `json:"tag,omitempty"`
	File    string        `json:"file,omitempty"` // or a folder, relative to the project's root
	Since   time.Time     `json:"since,omitzero"` // last seen then or later
	Until   time.Time     `json:"until,omitzero"` // last seen before
	Status  memory.Status `json:"status,omitempty"`
	Scope   memory.Scope  `json:"scope,omitempty"`
	Type    memory.Type   `json:"type,omitempty"`
	// Order is one of the Order constants; the latest first if it is empty. Skip leaves
	// out as many of the first, 0 or more. Both are for rows that recall can find. Other
	// rows, such as the archived ones, come in pages, the one archived or seen last
	// first: After is the Next of the page before.
	Order string `json:"order,omitempty"`
	Skip  int    `json:"skip,omitempty"`
	After string `json:"after,omitempty"`
	// LastSession lists the memories of the last session that has ended, the oldest
	// first.
	LastSession bool `json:"last_session,omitempty"`
	Limit       int  `json:"limit"`
}

// ResolveProject implements ProjectNamer.
func (p *ListParams) ResolveProject(resolve func(string) string) { p.Project = resolve(p.Project) }

// The orders of a list.
const (
	OrderLatest     = "latest"     // last seen
	OrderOldest     = "oldest"     // last seen
	OrderImportance = "importance" // the highest first
	OrderTokens     = "tokens"     // the most first
)

// ListResult holds the memories, in the order asked for.
type ListResult struct {
	Memories []memory.Memory `json:"memories"`
	Left     int             `json:"left,omitempty"` // beyond the limit, of those that recall can find
	// Next is the After of the next page; empty: there is none. There may be a next page
	// after one that is not full: one call looks through 2,000 memories at the most.
	Next string `json:"next,omitempty"`
	// Summary and Digest are those of the last session, if that was asked for.
	Summary string        `json:"summary,omitempty"`
	Digest  memory.Digest `json:"digest,omitzero"`
}
