package agentapi

import "github.com/surrealdb-memory/surrealdb-memory/pkg/memory"

// MethodShared reads the facts that people share through the repository of a project, takes
// in the changes, and lists the facts that wait for the user's yes.
var MethodShared = Method[SharedParams, SharedResult]{"shared"}

// SharedParams names the project and a checkout of it.
type SharedParams struct {
	Project string `json:"project"`
	Root    string `json:"root"`
}

// ResolveProject implements ProjectNamer.
func (p *SharedParams) ResolveProject(resolve func(string) string) { p.Project = resolve(p.Project) }

// SharedResult is the state of a project's shared facts.
type SharedResult struct {
	Proposed  []memory.Memory `json:"proposed"` // wait for the user's yes, the newest first
	Refused   []RefusedFile   `json:"refused"`  // held back
	New       int             `json:"new"`      // taken in by this reading
	Withdrawn int             `json:"withdrawn"`
}

// RefusedFile is a file of a shared fact that was held back.
type RefusedFile struct {
	File   string `json:"file"`   // relative to the project's root
	Reason string `json:"reason"` // repeats nothing of the file's text
}
