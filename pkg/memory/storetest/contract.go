package storetest

import (
	"context"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Store is the contract: everything that a store does for all who use one. Each user
// declares the few methods that it calls, beside itself; this is where they are
// described, and where the suite's demands on an implementation stand.
type Store interface {
	// Methods for hooks and callers.

	// Ingest writes a batch in one transaction. Writing it again, or its parts in another
	// order, leaves the same rows: a session and a memory have the newest event's values,
	// sightings and prompts count once by their id. A summary is set as by Summarise; the
	// summary of a missing session is left out.
	Ingest(ctx context.Context, b memory.Batch) error

	// Memory returns one memory, or memory.ErrNotFound.
	Memory(ctx context.Context, id string) (memory.Memory, error)
	// Memories lists the matches of a filter, the most important and then the newest
	// first.
	Memories(ctx context.Context, f memory.Filter) ([]memory.Memory, error)
	// CountMemories counts the matches of a filter, whatever its limit.
	CountMemories(ctx context.Context, f memory.Filter) (int, error)

	// Recallable has visit see the rows that recall may return (memory.Memory.Recallable), of
	// a project and of the user, in pages of at most size rows, and returns its first error.
	// A row that changes meanwhile is seen as it was before or after, or twice.
	Recallable(ctx context.Context, project string, size int, visit func([]memory.Row) error) error
	// Injected returns the ids of the memories injected into a session after a time, but
	// not into a subagent of it.
	Injected(ctx context.Context, session string, after time.Time) ([]string, error)

	// ToldIn returns the injections into a session and its subagents from a time on and
	// before another, the first first.
	ToldIn(ctx context.Context, session string, from, until time.Time) ([]memory.Injection, error)

	// Session returns one session, or memory.ErrNotFound.
	Session(ctx context.Context, id string) (memory.Session, error)
	// SessionsByID returns those of the sessions that are there, in any order and
	// without their prompt counts.
	SessionsByID(ctx context.Context, ids []string) ([]memory.Session, error)
	// SessionRecord returns the events of a session in their order, those of the same
	// time by their ids.
	SessionRecord(ctx context.Context, session string) (memory.SessionRecord, error)
	// SessionRecords is SessionRecord for those of the sessions that are there, in the
	// order of the ids.
	SessionRecords(ctx context.Context, ids []string) ([]memory.SessionRecord, error)
	// Summarise sets the summary of a session that is over, and its state: from
	// summarising to completed. memory.ErrNotFound if there is none.
	Summarise(ctx context.Context, session string, s memory.Summary) error
	// Silent lists the sessions that are not over and had no event since a time.
	Silent(ctx context.Context, since time.Time, limit int) ([]memory.Session, error)

	// StartContext returns the memories that a starting session of a project may be told,
	// without superseded ones.
	StartContext(ctx context.Context, q memory.StartQuery) (memory.StartContext, error)

	// Uncounted returns up to limit memories whose tokens were not counted by
	// the named encoding.
	Uncounted(ctx context.Context, encoding string, limit int) ([]memory.Memory, error)
	// Runs lists the newest maintenance runs first, without their actions.
	Runs(ctx context.Context, limit int) ([]memory.Run, error)

	// Amend changes one memory and records the change as a run of its own, in one
	// transaction. It returns the memory before and after: where the change made another
	// memory of it, an edge leads from the new to the old one, which is archived. An
	// empty change is not recorded. memory.ErrNotFound, or memory.ErrInvalid if the
	// memory cannot be changed like that.
	Amend(ctx context.Context, id string, c memory.Change) (before, after memory.Memory, err error)
	// ExpandID returns the one id that begins with the given digits, at least six.
	// memory.ErrNotFound if there is none, memory.ErrInvalid if there are several.
	ExpandID(ctx context.Context, beginning string) (string, error)
	// Page lists memories of one project and one status in the order of PageOrder. Its
	// cost does not grow with the number of rows.
	Page(ctx context.Context, q memory.PageQuery) ([]memory.Paged, error)
	// Judged returns all memories with the tag confirmed or put_away, of all projects,
	// whatever their status, in any order; not forgotten ones.
	Judged(ctx context.Context) ([]memory.Memory, error)
	// Around returns the active memories of a project next to a time, the oldest first:
	// those last seen until then, and later ones.
	Around(ctx context.Context, q memory.AroundQuery) ([]memory.Memory, error)

	// Stats counts the rows of the store.
	Stats(ctx context.Context) (memory.Stats, error)

	// Methods for maintenance.

	// ActiveDays returns the days on which something happened, by project, sorted.
	ActiveDays(ctx context.Context) (map[string][]string, error)
	// Changed returns the rows that changed after a cursor, page by page.
	Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error)
	// Scan returns all rows, page by page.
	Scan(ctx context.Context, q memory.ScanQuery) (memory.ScanPage, error)
	// ChangeCursor returns a cursor that every change to come lies behind.
	ChangeCursor(ctx context.Context) (memory.ChangeCursor, error)
	// ChangedProjects returns the projects ("" for the user) with rows that changed
	// after a cursor, and the cursor to go on from.
	ChangedProjects(ctx context.Context, after memory.ChangeCursor) (map[string]memory.ProjectChanges, memory.ChangeCursor, error)
	// Rows returns those of the rows that are there, in any order.
	Rows(ctx context.Context, ids []string) ([]memory.Row, error)
	// DueProjects returns those of the projects ("" for the user) in which an active
	// or archived row is to be looked at by the reading of the project's clock.
	DueProjects(ctx context.Context, readings map[string]float64) ([]string, error)
	// Due returns up to limit active or archived rows of a project (of the user for
	// "") whose strength is to be looked at by a reading of the project's clock, the
	// longest due first.
	Due(ctx context.Context, project string, reading float64, limit int) ([]memory.Row, error)
	// Reschedule says by which readings rows are due next. It is no change of a row.
	Reschedule(ctx context.Context, due map[string]float64) error
	// Candidates notes the keys of memories, and returns the ids of all memories
	// that share one of them with another.
	Candidates(ctx context.Context, keys map[string][]string) ([]string, error)
	// Bands returns the ids of the memories that Candidates has noted under keys, by
	// key; keys that nobody noted are left out.
	Bands(ctx context.Context, keys []string) (map[string][]string, error)
	// BudgetTokens returns the tokens in sight in the budget scopes of a project (of the
	// user for ""): the cheapest part of BudgetTotals.
	BudgetTokens(ctx context.Context, project string) (map[memory.BudgetScope]int, error)
	// BudgetTotals sums up the budget scopes of a project (of the user for ""), and the rows
	// retired there since a time.
	BudgetTotals(ctx context.Context, project string, since time.Time) ([]memory.BudgetTotal, error)
	// InSight returns the active rows of a budget scope; their texts may be left out.
	InSight(ctx context.Context, p memory.BudgetScope) ([]memory.Row, error)
	// Activities returns the activities of the newest sessions of a project, up to so
	// many sessions: commands, failures and edits, in the order of time.
	Activities(ctx context.Context, project string, sessions int) ([]memory.Activity, error)

	// Commit records a step of a maintenance run with its actions, and makes them,
	// in one transaction. A second commit of the same run updates its counts. It
	// returns the ids of the memories whose rows have changed since the actions
	// were planned: these were left alone and their actions are not recorded.
	// memory.ErrLeaseLost if the lease is no longer held.
	Commit(ctx context.Context, c memory.Commit) (missed []string, err error)
	// Run returns a run with its actions in their order, or memory.ErrNotFound. The id may
	// be the beginning of one.
	Run(ctx context.Context, id string) (memory.Run, error)
	// Job returns where a job stands; the zero marks if it never ran.
	Job(ctx context.Context, job string) (memory.JobState, error)
	// Interrupted returns the runs that have not ended, without their actions.
	Interrupted(ctx context.Context) ([]memory.Run, error)

	// Acquire takes a lease for a time by the store's clock, or prolongs it for its
	// holder. memory.ErrHeld if another has it.
	Acquire(ctx context.Context, name, holder string, d time.Duration) (memory.Lease, error)
	// Renew prolongs a lease. memory.ErrLeaseLost if it is no longer held.
	Renew(ctx context.Context, l memory.Lease, d time.Duration) error
	// Release gives a lease up; one that was lost is left alone.
	Release(ctx context.Context, l memory.Lease) error

	// Methods for distillation by a model.

	// Enqueue puts sessions into the queue. One that is being distilled stays as it is,
	// and so does one that waits, unless it has not failed and is to be tried earlier.
	Enqueue(ctx context.Context, all []memory.Distillation) error
	// Distillations returns rows of the queue, those whose next try is first.
	Distillations(ctx context.Context, q memory.DistillationQuery) ([]memory.Distillation, error)
	// SaveDistillation replaces a row of the queue. memory.ErrLeaseLost if the lease is
	// no longer held.
	SaveDistillation(ctx context.Context, d memory.Distillation, lease memory.Lease) error
	// SaveSpend records the cost of a call, or replaces the record of the same id.
	SaveSpend(ctx context.Context, s memory.Spend) error
	// Spent sums up the costs since the day of a time, by day and job in their order.
	Spent(ctx context.Context, q memory.SpendQuery) ([]memory.SpendTotal, error)

	// Methods for administration by people.

	// Sessions lists the sessions of a project, or of all projects if the key is
	// empty, with their prompt counts, the newest first.
	Sessions(ctx context.Context, project string, limit int) ([]memory.Session, error)
	// Projects lists every project, the last seen first; it does not count their rows.
	Projects(ctx context.Context) ([]memory.ProjectHolding, error)
	// Holding counts the rows of a project, except for files: none, if it was merged into
	// another or is not known.
	Holding(ctx context.Context, project string) (memory.Holding, error)
	// RenameProject sets the name of a project that people see; an empty name removes
	// it. memory.ErrNotFound if there is no such project.
	RenameProject(ctx context.Context, key, name string) error
	// MergeProjects moves everything of one project to another, in one transaction. Ids stay.
	// From then on Aliases has the first key, and the keys of projects merged into it, for the
	// second. Doing it again moves the rows that have come since. memory.ErrNotFound if one of
	// them is not there, memory.ErrInvalid if the second is part of the first.
	MergeProjects(ctx context.Context, from, into string) (memory.Holding, error)
	// Aliases maps the keys of merged projects to the key that is meant.
	Aliases(ctx context.Context) (map[string]string, error)
	// Person is the one as whom the store is used, as the store knows it now.
	Person(ctx context.Context) (memory.Person, error)
	// Team is the rights of people, as far as the person sees them.
	Team(ctx context.Context) (memory.Team, error)
	// ChangeTeam changes somebody's rights, once and for all clients. memory.ErrInvalid if the person may not do that.
	ChangeTeam(ctx context.Context, c memory.TeamChange) error
	// PurgeProject deletes for good all rows of a project and of those merged into it,
	// the record of changes included. Memories promoted to the user stay. It may be done
	// again where it was interrupted. memory.ErrNotFound if there is no such project.
	PurgeProject(ctx context.Context, key string) (memory.Holding, error)
	// PurgeAll deletes every row for good; the schema stays.
	PurgeAll(ctx context.Context) (memory.Holding, error)
	// History returns a memory's history, in order; nothing if it is not there.
	History(ctx context.Context, id string) (memory.History, error)

	// Methods for backups and restores.

	// CopyOut hands everything to the sink, as it was at one instant: later writes are
	// not in it. First the contents, then every row, table by table, in an order that
	// depends on the rows only. An error of the sink ends it. Left out are leases, the
	// history of migrations (Contents has its versions) and all that the store computes
	// from other rows.
	CopyOut(ctx context.Context, sink memory.CopySink) error
	// CopyIn inserts rows of CopyOut into their table. Rows that are there stay, so it
	// may be repeated. memory.ErrNotFound if there is no such table.
	CopyIn(ctx context.Context, table string, rows [][]byte) error
	// Tables lists the tables of CopyOut, by name.
	Tables(ctx context.Context) ([]memory.Table, error)

	// BeginRestore removes the schema and writes a mark with the source's name, so that
	// an interrupted restore is not mistaken for a store. memory.ErrNotEmpty if
	// somebody's sessions or memories are there; the rows of an interrupted restore are
	// deleted.
	BeginRestore(ctx context.Context, source string) error
	// EndRestore removes the mark.
	EndRestore(ctx context.Context) error
	// UnfinishedRestore returns the source of a restore that has begun and not
	// ended, or "".
	UnfinishedRestore(ctx context.Context) (source string, err error)

	// Methods for exports.

	// Export returns a page of rows of one section, in the order of their ids. A page
	// may hold none and not be the last. Memories that were forgotten have no text
	// any more and are left out. memory.ErrInvalid if there is no such section.
	Export(ctx context.Context, q memory.ExportQuery) (memory.ExportPage, error)
}
