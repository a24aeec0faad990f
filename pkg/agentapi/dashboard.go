package agentapi

import "github.com/surrealdb-memory/surrealdb-memory/pkg/memory"

var (
	// MethodDashboard starts to listen, and returns the dashboard's address and a key
	// that lets one browser in. It is answered in every state of the store.
	MethodDashboard = Method[DashboardParams, DashboardResult]{"dashboard"}
	// MethodProjectNames lists the projects that were not merged into another, the one
	// seen last first. Unlike MethodProjects it counts no rows, so it is fast in any
	// store.
	MethodProjectNames = Method[None, []memory.Project]{"project_names"}
	// MethodSession returns all that is known of one session, by its id.
	MethodSession = Method[string, memory.SessionRecord]{"session"}
)

// DashboardParams say how the browser gets the key.
type DashboardParams struct {
	// File asks for a file that sends the key, for a browser of this user. Without it a
	// person types the key.
	File bool `json:"file,omitempty"`
}

// DashboardResult says where the dashboard is, and lets one browser in: whoever uses the
// key first may see and change all memories.
type DashboardResult struct {
	// URL is on 127.0.0.1; it holds no secret.
	URL string `json:"url"`
	// Key is the one that the page there asks for; empty if it stands in File.
	Key string `json:"key,omitempty"`
	// File is the path of a page that sends the key from the browser that opens it; only
	// this user can read it, and it is removed when the key was used.
	File string `json:"file,omitempty"`
}
