package daemonapi

import (
	"reflect"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The methods that administer the store.
var (
	// MethodSessions lists sessions, the newest first.
	MethodSessions = Method[SessionsParams, []memory.Session]{"sessions"}
	// MethodSession returns everything that is known of one session, by its id.
	MethodSession = Method[string, memory.SessionRecord]{"session"}
	// MethodProjects lists projects and counts the rows of each. It waits at most two seconds for
	// the counts: in a large store some projects have the count of an earlier request, or
	// no count.
	MethodProjects = Method[ProjectsParams, []memory.ProjectHolding]{"projects"}
	// MethodProjectNames lists the projects that were not merged into another, the one
	// seen last first. Unlike MethodProjects it counts no rows, so it is fast in any
	// store.
	MethodProjectNames = Method[None, []memory.Project]{"project_names"}
	// MethodPlace notes that a folder belongs to a project, and joins that project with the folder's former one. It returns a line
	// about a project that it may also be, while nothing is remembered of it; empty for none.
	MethodPlace = Method[PlaceParams, string]{"place"}
	// MethodMergeProjects makes a project a part of another, for good, and returns the
	// number of moved rows.
	MethodMergeProjects = Method[MergeParams, memory.Holding]{"merge_projects"}
	// MethodPurge deletes for good, and returns the number of deleted rows.
	MethodPurge = Method[PurgeParams, PurgeResult]{"purge"}
	// MethodRescan removes secrets, or what a person purges, from everything stored. It cannot be undone: no copy
	// remains.
	MethodRescan = Method[RescanParams, RescanResult]{"rescan"}
	// MethodIngest ingests everything that is spooled now, and answers when it is stored.
	MethodIngest = Method[None, IngestResult]{"ingest"}
	// MethodKept ingests the spooled events and returns the memory that an event of the kind
	// memory.EventRemembered has become.
	MethodKept = Method[memory.Event, KeptResult]{"kept"}
	// MethodAmend changes one memory.
	MethodAmend = Method[AmendParams, AmendResult]{"amend"}
	// MethodConsolidate runs all maintenance jobs, or only plans them.
	MethodConsolidate = Method[ConsolidateParams, []memory.Run]{"consolidate"}
	// MethodUndo reverts the changes of a run. MethodRun returns a run with its actions, by its id
	// or the beginning of the id.
	MethodUndo = Method[UndoParams, memory.Run]{"undo"}
	MethodRun  = Method[string, memory.Run]{"run"}
	// MethodRuns lists the given number of the newest maintenance runs.
	MethodRuns = Method[int, []memory.Run]{"runs"}
	// MethodBackup writes a backup of the store now, to an absolute path where no file is. If the path is empty, it goes to the
	// directory of the daily backups, which is rotated. It answers when the file is complete, which takes as long as reading the
	// whole store.
	MethodBackup = Method[string, BackupResult]{"backup"}
	// MethodImport stores events that an importer made.
	MethodImport = Method[ImportParams, ImportResult]{"import"}
	// MethodKnownSessions returns the sessions with the given ids, as far as they are in the
	// store.
	MethodKnownSessions = Method[[]string, []memory.Session]{"known_sessions"}
	// MethodExport returns a page of memories, by a memory.ExportQuery.
	MethodExport = Method[memory.ExportQuery, memory.ExportPage]{"export"}
)

// ProjectsParams select the projects to list and to count.
type ProjectsParams struct {
	// Uncounted asks only for the projects, without counts.
	Uncounted bool `json:"uncounted,omitempty"`
	// Only is the key of the only project to list. Its rows are counted however long that
	// takes.
	Only string `json:"only,omitempty"`
}

// SessionsParams asks for the sessions of a project; an empty project means all.
type SessionsParams struct {
	Project string `json:"project"`
	Limit   int    `json:"limit"`
	// ID restricts the answer to sessions whose ids begin with it; empty: all.
	ID string `json:"id,omitempty"`
	// Words asks for the sessions that are nearest to these words, the nearest first; empty: for the newest.
	Words string `json:"words,omitempty"`
}

// MergeParams makes the project From a part of Into.
type MergeParams struct {
	From string `json:"from"`
	Into string `json:"into"`
}

// PurgeParams names the project to purge, or everything.
type PurgeParams struct {
	Key string `json:"key,omitempty"`
	All bool   `json:"all,omitempty"`
}

// PurgeResult counts the deleted rows and events.
type PurgeResult struct {
	Holding memory.Holding `json:"holding"`
	Spooled int            `json:"spooled"` // events that waited or were put aside
}

// RescanParams says what a rescan removes: secrets, or else what the other fields name. Without Apply it only looks.
type RescanParams struct {
	Apply    bool     `json:"apply"`
	Words    []string `json:"words,omitempty"`
	Memories []string `json:"memories,omitempty"` // ids; their texts go everywhere
	Session  string   `json:"session,omitempty"`  // with the memories that only it has shown
}

// IsPurge reports whether something other than secrets is to be removed.
func (p RescanParams) IsPurge() bool { return len(p.Words)+len(p.Memories) > 0 || p.Session != "" }

// RescanResult counts what was found. It holds no text of it except Named. Kinds counts secrets by kind in the store's
// texts, or in the journal's and the backups' if the store has none.
type RescanResult struct {
	Kinds   map[string]int    `json:"kinds"`
	Rows    map[string]int    `json:"rows"` // by table
	Journal RescannedJournal  `json:"journal"`
	Backups []RescannedBackup `json:"backups"`
	Logs    []RescannedLog    `json:"logs"`
	Files   []string          `json:"files"`   // other files of the home
	Spooled int               `json:"spooled"` // dead letters
	// Named holds the texts of the memories that the caller named, while they exist.
	Named  []string `json:"named,omitempty"`
	Failed []string `json:"failed"` // files that cannot be read or written, and why
}

// RescannedJournal counts records that differ, the segments that contain them, and the lines of
// these segments that cannot be read and went with them.
type RescannedJournal struct {
	Records  int `json:"records"`
	Segments int `json:"segments"`
	Lost     int `json:"lost"`
}

// RescannedLog is a log that holds, or held, something to remove, with the number of such lines.
type RescannedLog struct {
	File   string `json:"file"`
	Places int    `json:"places"`
}

// RescannedBackup is a backup that has, or had, rows with something to remove.
type RescannedBackup struct {
	File string `json:"file"`
	Rows int    `json:"rows"`
}

// AmendParams changes a memory of a project or of the user.
type AmendParams struct {
	Project string        `json:"project"`
	ID      string        `json:"id"`
	Change  memory.Change `json:"change"`
}

// AmendResult holds the memory as it was and as it is now.
type AmendResult struct {
	Before memory.Memory `json:"before"`
	After  memory.Memory `json:"after"`
}

// Changed reports whether the change made a difference.
func (r AmendResult) Changed() bool { return !reflect.DeepEqual(r.Before, r.After) }

// ConsolidateParams names the trigger and the job.
type ConsolidateParams struct {
	Trigger string `json:"trigger"`
	Job     string `json:"job,omitempty"`   // one of package consolidate's; empty means all
	Force   bool   `json:"force,omitempty"` // without the limit on the rows that one run may archive
	All     bool   `json:"all,omitempty"`   // look at every memory, and not only at the changed ones
}

// UndoParams names the run to undo, and says who asks.
type UndoParams struct {
	Run     string `json:"run"`
	Trigger string `json:"trigger"`
}

// IngestResult counts the events of one ingest.
type IngestResult struct {
	Events int `json:"events"`
	Dead   int `json:"dead"`
}

// BackupResult describes the written file.
type BackupResult struct {
	File    string   `json:"file"`
	Bytes   int64    `json:"bytes"`
	Rows    int      `json:"rows"`
	Deleted []string `json:"deleted,omitempty"` // older backups that the rotation deleted
}

// MaxImport is how many events one call should carry at most: more would delay the captured
// events of running sessions.
const MaxImport = 250

// ImportParams holds the events to store.
type ImportParams struct {
	Events []memory.Event `json:"events"`
}

// ImportResult counts the stored events and memories.
type ImportResult struct {
	Events int `json:"events"` // stored now or before
	Added  int `json:"added"`  // memories that were not there
	// Kinds counts by kind the rows that the store has gained, including those derived from whole
	// sessions; the kinds are those that memory list shows.
	Kinds   map[memory.Kind]int `json:"kinds,omitempty"`
	Refused []Refusal           `json:"refused,omitempty"`
}

// Refusal is an event that can never be stored, with the reason.
type Refusal struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// PlaceParams describe a folder that is the root of a project.
type PlaceParams struct {
	Key  string `json:"key"` // as the folder has it
	Root string `json:"root"`
}

// KeptResult holds the memory that an event has become.
type KeptResult struct {
	Memory memory.Memory `json:"memory"`
	// Replaced is the id of the fact that it has replaced. Stands is the reason why the fact that
	// the event names was not replaced. Both are empty if the event names none.
	Replaced string `json:"replaced,omitempty"`
	Stands   string `json:"stands,omitempty"`
	// Nearest is the standing memory most like it, if that was not replaced: it may be obsolete. Its id is empty if no memory
	// is near.
	Nearest memory.Memory `json:"nearest,omitzero"`
}
