package agentapi

import "github.com/surrealdb-memory/surrealdb-memory/pkg/memory"

var (
	// MethodDashboard returns an address of the dashboard that can be opened once, and
	// starts to listen for it. It is answered in every state of the store.
	MethodDashboard = Method[None, DashboardResult]{"dashboard"}
	// MethodProjectNames lists the projects that are no part of another, the one seen last
	// first. Unlike MethodProjects it counts nothing, so it is fast whatever they hold.
	MethodProjectNames = Method[None, []memory.Project]{"project_names"}
	// MethodSession returns all that is known of one session, by its id.
	MethodSession = Method[string, memory.SessionRecord]{"session"}
)

// DashboardResult says where the dashboard is.
type DashboardResult struct {
	// URL is on 127.0.0.1. It holds a secret: whoever opens it first may see and change
	// all memories.
	URL string `json:"url"`
}
