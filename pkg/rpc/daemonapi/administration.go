package daemonapi

import (
	"encoding/json"
	"reflect"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// The methods that administer the store.
var (
	// MethodSessions lists sessions, the newest first. A session without a summary has its first prompt.
	MethodSessions = Method[SessionsParams, []memory.Session]{"sessions"}
	// MethodSession returns the record of one session, by its id.
	MethodSession = Method[string, memory.SessionRecord]{"session"}
	// MethodProjects lists projects with the counts of their rows, the most recently seen project first. It waits at
	// most two seconds for the counts: if the store is slow, some projects have none.
	MethodProjects = Method[ProjectsParams, []memory.ProjectHolding]{"projects"}
	// MethodKeys returns all keys of the project that has the given key, also the keys of the projects that were merged into it.
	MethodKeys = Method[string, []string]{"keys"}
	// MethodPlace records that a folder belongs to a project, and merges the folder's former project into it. While
	// the project has no memories, the result's Doubt may name another project to which the folder may belong.
	MethodPlace = Method[PlaceParams, PlaceResult]{"place"}
	// MethodMergeProjects makes a project part of another, irreversibly, and returns the number of moved rows.
	MethodMergeProjects = Method[MergeParams, memory.Holding]{"merge_projects"}
	// MethodPurgeProject deletes a project, or all of them, irreversibly, and returns the numbers of their rows.
	MethodPurgeProject = Method[PurgeParams, PurgeResult]{"purge"}
	// MethodScrub removes secrets, or what a person purges, from everything stored. It is irreversible: no copy remains.
	MethodScrub = Method[ScrubParams, ScrubResult]{"rescan"} // the name of older builds
	// MethodIngest ingests all spooled events, and answers when they are stored.
	MethodIngest = Method[None, IngestResult]{"ingest"}
	// MethodRemember stores the spooled events and the given event, which has the kind memory.EventRemembered, and returns the
	// memory made of the given event.
	MethodRemember = Method[memory.Event, RememberResult]{"kept"} // the name of older builds
	// MethodAmend changes one memory.
	MethodAmend = Method[AmendParams, AmendResult]{"amend"}
	// MethodConsolidate runs one maintenance job, or all jobs.
	MethodConsolidate = Method[ConsolidateParams, []memory.Run]{"consolidate"}
	// MethodUndo reverts the changes of a run. MethodRun returns a run with its actions. Both take the run's id or its beginning.
	MethodUndo = Method[UndoParams, memory.Run]{"undo"}
	MethodRun  = Method[string, memory.Run]{"run"}
	// MethodRuns lists the given number of the newest maintenance runs.
	MethodRuns = Method[int, []memory.Run]{"runs"}
	// MethodBackup writes a backup of the store to an absolute path at which no file exists. For an empty path it writes a daily
	// backup, and rotates the daily backups. It answers when the file is complete, after reading the whole store.
	MethodBackup = Method[string, BackupResult]{"backup"}
	// MethodImport stores the events of an importer.
	MethodImport = Method[ImportParams, ImportResult]{"import"}
	// MethodKnownSessions returns the given sessions that are in the store.
	MethodKnownSessions = Method[[]string, []memory.Session]{"known_sessions"}
	// MethodExport returns a page of rows, by a memory.ExportQuery.
	MethodExport = Method[memory.ExportQuery, memory.ExportPage]{"export"}
)

// ProjectsParams select the projects to list and to count.
type ProjectsParams struct {
	// Uncounted leaves out the counts.
	Uncounted bool `json:"uncounted,omitempty"`
	// Only is the key of the only project to list. The answer waits until its rows are counted.
	Only string `json:"only,omitempty"`
}

// SessionsParams selects sessions of a project; an empty project means all.
type SessionsParams struct {
	Project string `json:"project"`
	Limit   int    `json:"limit"`
	// ID selects sessions whose ids begin with it; empty for all.
	ID string `json:"id,omitempty"`
	// Words selects the sessions nearest to these words, the nearest first; empty for the newest sessions.
	Words string `json:"words,omitempty"`
	// File selects the sessions that changed this file, the newest first; empty for all.
	File string `json:"file,omitempty"`
}

// MergeParams names the project From that becomes part of Into.
type MergeParams struct {
	From string `json:"from"`
	Into string `json:"into"`
}

// PurgeParams names the project to purge, or all.
type PurgeParams struct {
	Key string `json:"key,omitempty"`
	All bool   `json:"all,omitempty"`
}

// PurgeResult counts the deleted rows and events.
type PurgeResult struct {
	Holding memory.Holding `json:"holding"`
	Spooled int            `json:"spooled"` // number of waiting events and dead letters
}

// ScrubParams selects what a scrub removes: secrets, or what the fields other than Apply name. Without Apply nothing is removed.
type ScrubParams struct {
	Apply    bool     `json:"apply"`
	Words    []string `json:"words,omitempty"`
	Memories []string `json:"memories,omitempty"` // ids of memories whose texts are removed everywhere
	Session  string   `json:"session,omitempty"`  // id of a session that is removed, with the memories that only it has shown
	// Elsewhere lists what was purged on the user's other machines, as package purged keeps it.
	Elsewhere []json.RawMessage `json:"elsewhere,omitempty"`
}

// IsPurge reports whether the scrub removes something other than secrets.
func (p ScrubParams) IsPurge() bool {
	return len(p.Words)+len(p.Memories)+len(p.Elsewhere) > 0 || p.Session != ""
}

// ScrubResult counts what a scrub found, without its text. Kinds counts secrets by kind: in the store, or, if the
// store has none, in the journal and the backups.
type ScrubResult struct {
	Kinds map[string]int `json:"kinds"`
	memory.Swept
	Journal ScrubbedJournal  `json:"journal"`
	Backups []ScrubbedBackup `json:"backups"`
	Logs    int              `json:"logs"`    // all are emptied
	Spooled int              `json:"spooled"` // number of dead letters
	// Named holds the texts of the memories named in the parameters, as far as they exist.
	Named  []string `json:"named,omitempty"`
	Failed []string `json:"failed"` // files that cannot be read or written, with reasons
}

// ScrubbedJournal counts the journal's records with something to remove, and the unreadable lines in the same segments,
// which are lost.
type ScrubbedJournal struct {
	Records int `json:"records"`
	Lost    int `json:"lost"`
}

// ScrubbedBackup is a backup with something to remove, and the number of such rows.
type ScrubbedBackup struct {
	File string `json:"file"`
	Rows int    `json:"rows"`
}

// AmendParams is a change to a memory of a project or of the user.
type AmendParams struct {
	Project string        `json:"project"`
	ID      string        `json:"id"`
	Change  memory.Change `json:"change"`
}

// AmendResult holds a memory before and after a change.
type AmendResult struct {
	Before memory.Memory `json:"before"`
	After  memory.Memory `json:"after"`
}

// Changed reports whether the memory differs after the change.
func (r AmendResult) Changed() bool { return !reflect.DeepEqual(r.Before, r.After) }

// ConsolidateParams names the trigger and the job.
type ConsolidateParams struct {
	Trigger string `json:"trigger"`
	Job     string `json:"job,omitempty"` // a name of schedule.JobNames; empty for all jobs
	All     bool   `json:"all,omitempty"` // read every memory, not only changed ones
}

// UndoParams names the run to undo, and who asks.
type UndoParams struct {
	Run     string `json:"run"`
	Trigger string `json:"trigger"`
}

// IngestResult counts the events of one ingest.
type IngestResult struct {
	Events int `json:"events"`
	Dead   int `json:"dead"`
}

// BackupResult describes a written backup.
type BackupResult struct {
	File    string   `json:"file"`
	Bytes   int64    `json:"bytes"`
	Rows    int      `json:"rows"`
	Deleted []string `json:"deleted,omitempty"` // older backups that were deleted
}

// MaxImport is the maximum number of events that one call should carry. More would delay the captured events of running sessions.
const MaxImport = 250

// ImportParams holds the events to store.
type ImportParams struct {
	Events []memory.Event `json:"events"`
}

// ImportResult counts the stored events and memories.
type ImportResult struct {
	Events int `json:"events"` // events that are stored, now or before
	Added  int `json:"added"`  // memories that are new
	// Kinds counts the new memories by kind, including those derived from whole sessions.
	Kinds   map[memory.Kind]int `json:"kinds,omitempty"`
	Refused []Refusal           `json:"refused,omitempty"`
}

// Refusal is an event that can never be stored, with the reason.
type Refusal struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// PlaceParams describes a folder that is the root of a project.
type PlaceParams struct {
	Key  string `json:"key"` // key of the project, computed from the folder
	Root string `json:"root"`
	// Always makes MethodPlace set Doubt even if the project has memories.
	Always bool `json:"always,omitempty"`
}

// PlaceResult says what a folder is.
type PlaceResult struct {
	Key   string `json:"key"`             // key of the folder's project; for a folder that is gone, the key that was seen last
	Doubt string `json:"doubt,omitempty"` // names another project that this one may be
}

// RememberResult holds the memory made of an event.
type RememberResult struct {
	Memory memory.Memory `json:"memory"`
	// Replaced is the id of the fact that the memory replaced. Stands is the reason why the fact named by the event
	// was not replaced. Both are empty if the event names none.
	Replaced string `json:"replaced,omitempty"`
	Stands   string `json:"stands,omitempty"`
	// Nearest is the active memory most like the new memory. The new memory may make it obsolete. Its id is empty if
	// it was replaced, or if no memory is near.
	Nearest memory.Memory `json:"nearest,omitzero"`
}
