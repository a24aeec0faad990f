package consolidate

import (
	"context"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Store is the store that maintenance reads and writes. Package storetest describes each
// method.
type Store interface {
	Reader
	Writer
}

// Reader has the questions that a dry run asks the store, too.
type Reader interface {
	RowReader
	EvidenceReader
	SelectionReader
	StateReader
}

// RowReader reads the rows that policies decide on.
type RowReader interface {
	Rows(ctx context.Context, ids []string) ([]memory.Row, error)
	Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error)
	Scan(ctx context.Context, q memory.ScanQuery) (memory.ScanPage, error)
	Due(ctx context.Context, project string, reading float64, limit int) ([]memory.Row, error)
	InSight(ctx context.Context, p memory.BudgetScope) ([]memory.Row, error)
	Uncounted(ctx context.Context, encoding string, limit int) ([]memory.Memory, error)
}

// EvidenceReader reads evidence: when projects were active, and the activities in them.
type EvidenceReader interface {
	ActiveDays(ctx context.Context) (map[string][]string, error)
	ChangedProjects(ctx context.Context, after memory.ChangeCursor) (map[string]memory.ProjectChanges, memory.ChangeCursor, error)
	Activities(ctx context.Context, project string, sessions int) ([]memory.Activity, error)
	Projects(ctx context.Context) ([]memory.ProjectHolding, error)
}

// SelectionReader finds without reading rows which of them are to be looked at: near-duplicates,
// projects with faded rows, budgets that are exceeded.
type SelectionReader interface {
	Bands(ctx context.Context, keys []string) (map[string][]string, error)
	DueProjects(ctx context.Context, readings map[string]float64) ([]string, error)
	BudgetTokens(ctx context.Context, project string) (map[memory.BudgetScope]int, error)
	BudgetTotals(ctx context.Context, project string, since time.Time) ([]memory.BudgetTotal, error)
}

// StateReader reads the runs, where each job stands, and the sessions that never ended.
type StateReader interface {
	ChangeCursor(ctx context.Context) (memory.ChangeCursor, error)
	Run(ctx context.Context, id string) (memory.Run, error)
	Job(ctx context.Context, job string) (memory.JobState, error)
	Interrupted(ctx context.Context) ([]memory.Run, error)
	Silent(ctx context.Context, since time.Time, limit int) ([]memory.Session, error)
	SessionRecord(ctx context.Context, session string) (memory.SessionRecord, error)
}

// Writer has the writes, which a dry run replaces.
type Writer interface {
	Candidates(ctx context.Context, keys map[string][]string) ([]string, error)
	Commit(ctx context.Context, c memory.Commit) (missed []string, err error)
	Reschedule(ctx context.Context, due map[string]float64) error
	Summarise(ctx context.Context, session string, s memory.Summary) error
	Ingest(ctx context.Context, b memory.Batch) error
	// A lease keeps other agents from running a job at the same time.
	Acquire(ctx context.Context, name, holder string, d time.Duration) (memory.Lease, error)
	Renew(ctx context.Context, l memory.Lease, d time.Duration) error
	Release(ctx context.Context, l memory.Lease) error
}

// Files compares files below a root with their fingerprints; nothing where the root is
// not there.
type Files interface {
	Since(ctx context.Context, root string, prints map[string]string) memory.FileChange
}
