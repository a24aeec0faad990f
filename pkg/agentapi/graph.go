package agentapi

import "github.com/surrealdb-memory/surrealdb-memory/pkg/memory"

// MethodGraph tells how files, fixes and corrections of a project hang together.
var MethodGraph = Method[GraphParams, Graph]{"graph"}

// GraphParams names the project.
type GraphParams struct {
	Project string `json:"project"`
	Limit   int    `json:"limit"` // memories at the most, 1 to 100
}

// ResolveProject implements ProjectNamer.
func (p *GraphParams) ResolveProject(resolve func(string) string) { p.Project = resolve(p.Project) }

// Graph is the memories of a project with the most connections: to files and to replaced
// memories.
type Graph struct {
	Files    []GraphFile   `json:"files"`    // those that the memories name, the one named most first
	Memories []GraphMemory `json:"memories"` // the one with the most connections first
	Left     int           `json:"left"`     // connected memories that are not among them
}

// GraphFile is a file and how many of the project's memories name it.
type GraphFile struct {
	Path     string `json:"path"`
	Memories int    `json:"memories"`
}

// GraphMemory is a memory with those that it replaced.
type GraphMemory struct {
	Memory memory.Memory `json:"memory"`
	// Replaced were corrected by it or merged into it, the latest first, of those that
	// were put away lately.
	Replaced []memory.Memory `json:"replaced,omitempty"`
}
