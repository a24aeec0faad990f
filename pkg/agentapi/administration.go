package agentapi

import "github.com/surrealdb-memory/surrealdb-memory/pkg/memory"

// Administration of the store. A parameter called project may be the key of a merged
// project, which is resolved; key, from and into are taken as they are.
var (
	// MethodSessions lists sessions, the newest first.
	MethodSessions = Method[SessionsParams, []memory.Session]{"sessions"}
	// MethodProjects lists projects and counts the rows of each. It waits at most two seconds
	// for the counts: in a large store some projects have the count of an earlier request, or
	// none.
	MethodProjects = Method[ProjectsParams, []memory.ProjectHolding]{"projects"}
	// MethodRenameProject gives a project another name.
	MethodRenameProject = Method[RenameParams, None]{"rename_project"}
	// MethodMergeProjects makes a project a part of another, for good, and returns the
	// number of moved rows.
	MethodMergeProjects = Method[MergeParams, memory.Holding]{"merge_projects"}
	// MethodPurge deletes for good, and returns the number of deleted rows.
	MethodPurge = Method[PurgeParams, PurgeResult]{"purge"}
	// MethodHistory returns the changes that jobs and people made to a memory.
	MethodHistory = Method[HistoryParams, HistoryResult]{"history"}
)

// ProjectsParams select the projects to list and to count.
type ProjectsParams struct {
	// Uncounted asks for the projects alone.
	Uncounted bool `json:"uncounted,omitempty"`
	// Only is the key of the one project to list. Its rows are counted however long that
	// takes.
	Only string `json:"only,omitempty"`
}

// SessionsParams asks for the sessions of a project, or of all if it is empty.
type SessionsParams struct {
	Project string `json:"project"`
	Limit   int    `json:"limit"`
	// ID asks only for sessions whose ids begin so; empty: for all.
	ID string `json:"id,omitempty"`
}

// RenameParams gives a project a name; an empty one takes it back.
type RenameParams struct {
	Key  string `json:"key"`
	Name string `json:"name"`
}

// MergeParams makes the project From a part of Into.
type MergeParams struct {
	From string `json:"from"`
	Into string `json:"into"`
}

// PurgeParams names the project, or everything.
type PurgeParams struct {
	Key string `json:"key,omitempty"`
	All bool   `json:"all,omitempty"`
}

// PurgeResult counts the deleted rows and events.
type PurgeResult struct {
	Holding memory.Holding `json:"holding"`
	Spooled int            `json:"spooled"` // events that waited or were put aside
}

// HistoryParams asks for a memory of a project or of the user.
type HistoryParams struct {
	Project string `json:"project"`
	ID      string `json:"id"`
}

// HistoryResult is a memory, as maintenance sees it, with its changes.
type HistoryResult struct {
	Row     memory.Row     `json:"row"`
	History memory.History `json:"history"`
}

// MethodRescan removes secrets from stored texts. It cannot be undone: no copy of a
// removed secret remains.
var MethodRescan = Method[RescanParams, RescanResult]{"rescan"}

// RescanParams says whether to change anything, or only to look.
type RescanParams struct {
	Apply bool `json:"apply"`
}

// RescanResult counts the secrets that were found; it holds none of them. Kinds are those
// of the store's texts, or of the journal's and the backups' where the store has none.
type RescanResult struct {
	Kinds   map[string]int    `json:"kinds"`
	Rows    map[string]int    `json:"rows"` // by table
	Journal RescannedJournal  `json:"journal"`
	Backups []RescannedBackup `json:"backups"`
	Logs    []RescannedLog    `json:"logs"`
	Marks   int               `json:"marks"`  // of the evaluation set
	Failed  []string          `json:"failed"` // backups and logs that cannot be read or written, and why
}

// RescannedJournal counts records that differ, the segments they are in, and the
// lines of these that cannot be read and went with them.
type RescannedJournal struct {
	Records  int `json:"records"`
	Segments int `json:"segments"`
	Lost     int `json:"lost"`
}

// RescannedLog is a log that holds secrets, or held them, in so many places.
type RescannedLog struct {
	File   string `json:"file"`
	Places int    `json:"places"`
}

// RescannedBackup is a backup that holds secrets, or held them.
type RescannedBackup struct {
	File string `json:"file"`
	Rows int    `json:"rows"`
}
