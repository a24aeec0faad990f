package surreal

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/surrealdb/surrealdb.go/pkg/models"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
	"github.com/surrealdb-memory/surrealdb-memory/schema"
)

const (
	// leaseTime is the time after which others take over from a migrator that was killed. The lease is renewed three
	// times as often.
	leaseTime = 15 * time.Second
	// applyTimeout limits the time of one migration. A migration may safely go on after its lease is lost, because the
	// IDs in the history prevent that a version is applied twice.
	applyTimeout = 10 * time.Minute
	firstPoll    = 25 * time.Millisecond
	longestPoll  = time.Second
)

// ErrLeaseLost is returned if another migrator took over because the lease was not renewed in time. Nothing more was applied.
var ErrLeaseLost = errors.New("another process has taken over the migration: wait for it, then run the command again")

// MigrationStore implements migrate.Store for the database of a Conn. It serves one Up at a time.
type MigrationStore struct {
	conn  *wire.Conn
	lease time.Duration

	mu   sync.Mutex
	held *heldLease
}

var _ migrate.Store = (*MigrationStore)(nil)

// NewMigrationStore returns the migration store of conn's database. Lock defines the tables that it needs.
func NewMigrationStore(conn *wire.Conn) *MigrationStore {
	return &MigrationStore{conn: conn, lease: leaseTime}
}

// History implements migrate.Store.
func (s *MigrationStore) History(ctx context.Context) ([]migrate.Applied, error) {
	rows, err := s.conn.ExecIdempotent(ctx, "SELECT * FROM migration_history ORDER BY version", nil)
	var failed *wire.StatementError
	if errors.As(err, &failed) && failed.Message == "The table 'migration_history' does not exist" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var lines []historyLine
	if err := rows.Decode(0, &lines); err != nil {
		return nil, err
	}
	history := make([]migrate.Applied, len(lines))
	for i, line := range lines {
		history[i] = line.applied()
	}
	return history, nil
}

// historyLine is a row of migration_history.
type historyLine struct {
	Version       int                   `json:"version"`
	Name          string                `json:"name"`
	SHA256        string                `json:"sha256"`
	BinaryVersion string                `json:"binary_version"`
	DurationMS    int64                 `json:"duration_ms"`
	AppliedAt     models.CustomDateTime `json:"applied_at"`
}

func (l historyLine) applied() migrate.Applied {
	return migrate.Applied{
		Version: l.Version, Name: l.Name, SHA256: l.SHA256, BinaryVersion: l.BinaryVersion,
		DurationMS: l.DurationMS, AppliedAt: l.AppliedAt.Time,
	}
}

// A migration file is inserted between applyHead and applyTail, so it begins after headLines lines and headStatements
// statements; see locate.
const (
	applyHead = "BEGIN; LET $migration_begun = time::now();\n"
	applyTail = `
;CREATE ONLY type::record('migration_history', $migration_line.version) SET
	version = $migration_line.version, name = $migration_line.name, sha256 = $migration_line.sha256,
	binary_version = $migration_line.binary_version, applied_at = $migration_line.applied_at,
	duration_ms = duration::millis(time::now() - $migration_begun);
COMMIT;`
	headLines, headStatements = 1, 2
)

// outgrown is the message about a migration whose transaction outgrew the engine's write buffers.
const outgrown = "the engine did not commit it, because more was written meanwhile than its write buffers hold; nothing has changed. " +
	"The daemon and memory-migrate give their own engine large buffers: run memory daemon stop, then memory-migrate up. " +
	"Start another server with a larger SURREAL_ROCKSDB_WRITE_BUFFER_SIZE first"

// Apply implements migrate.Store. It writes the migration and its row of the history in one transaction.
func (s *MigrationStore) Apply(ctx context.Context, m migrate.Migration, line migrate.Applied) (migrate.Applied, error) {
	s.mu.Lock()
	held := s.held
	s.mu.Unlock()
	if held == nil {
		return migrate.Applied{}, errors.New("apply a migration without the lock")
	}
	if held.lost.Err() != nil {
		return migrate.Applied{}, ErrLeaseLost
	}
	rows, err := s.conn.Run(ctx, wire.Request{
		SQL: applyHead + m.SQL + applyTail,
		Vars: map[string]any{"migration_line": map[string]any{
			"version": line.Version, "name": line.Name, "sha256": line.SHA256,
			"binary_version": line.BinaryVersion, "applied_at": models.CustomDateTime{Time: line.AppliedAt},
		}},
		Timeout: applyTimeout,
		Long:    true,
	})
	if wire.IsOutgrown(err) {
		return migrate.Applied{}, &migrate.ApplyError{File: m.File, Message: outgrown}
	}
	var failed *wire.StatementError
	if errors.As(err, &failed) {
		return migrate.Applied{}, locate(m, failed)
	}
	if err != nil {
		return migrate.Applied{}, err
	}
	var recorded historyLine
	if err := rows.Decode(len(rows)-2, &recorded); err != nil {
		return migrate.Applied{}, err
	}
	return recorded.applied(), nil
}

var parsePosition = regexp.MustCompile(`\n --> \[(\d+):(\d+)\]`)

// locate returns the engine's error with its position in the migration file.
func locate(m migrate.Migration, failed *wire.StatementError) error {
	located := &migrate.ApplyError{File: m.File, Message: strings.TrimSpace(failed.Message)}
	if position := parsePosition.FindStringSubmatchIndex(failed.Message); position != nil && failed.Index < 0 {
		line, _ := strconv.Atoi(failed.Message[position[2]:position[3]])
		located.Line = min(line-headLines, 1+strings.Count(m.SQL, "\n"))
		located.Column, _ = strconv.Atoi(failed.Message[position[4]:position[5]])
		located.Message = failed.Message[:position[0]]
	}
	if i := failed.Index - headStatements; i >= 0 && i < len(m.Statements) {
		located.Line = m.Statements[i].Line
	}
	return located
}

// heldLease is a lease between Lock and unlock.
type heldLease struct {
	holder string // unique to one Lock
	token  int
	lost   context.Context // ends when the lease is lost
	stop   context.CancelFunc

	endRenewing context.CancelFunc
	done        chan struct{} // closed when renewing has ended
}

const migrationLease = "migrate"

// Lock implements migrate.Store with the row lease:migrate. It takes over an expired lease and renews its own until it
// is unlocked. Only the server's clock decides.
func (s *MigrationStore) Lock(ctx context.Context) (func(context.Context) error, error) {
	if _, err := s.conn.ExecIdempotent(ctx, schema.Bootstrap(), nil); err != nil {
		return nil, fmt.Errorf("define the migration tables: %w", err)
	}
	held := &heldLease{holder: rand.Text(), done: make(chan struct{})}
	if err := s.win(ctx, held); err != nil {
		// The lease may be ours nevertheless, and others would have to wait until it expires.
		releasing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = s.release(releasing, held) // if this fails, the lease expires
		return nil, err
	}
	held.lost, held.stop = context.WithCancel(context.Background())
	renewing, endRenewing := context.WithCancel(context.Background())
	held.endRenewing = endRenewing
	s.mu.Lock()
	s.held = held
	s.mu.Unlock()
	go s.renew(renewing, held)
	return func(ctx context.Context) error {
		held.endRenewing()
		<-held.done
		defer held.stop()
		s.mu.Lock()
		s.held = nil
		s.mu.Unlock()
		return s.release(ctx, held)
	}, nil
}

// win returns when the lease was ours at two reads that are SettleTime apart.
func (s *MigrationStore) win(ctx context.Context, held *heldLease) error {
	for pause := firstPoll; ; {
		row, err := s.acquire(ctx, held.holder)
		wait := wire.SettleTime
		switch {
		case err != nil:
			return err
		case row.Holder == held.holder && row.Token == held.token:
			return nil
		case row.Holder == held.holder:
			held.token = row.Token
		default:
			s.conn.Log().Info("another process is migrating, waiting for it")
			wait, pause = pause, min(2*pause, longestPoll)
		}
		if !wire.Pause(ctx, wait) {
			return fmt.Errorf("another process is migrating the database and has not finished in time: try again when it has: %w", ctx.Err())
		}
	}
}

func (s *MigrationStore) acquire(ctx context.Context, holder string) (wire.LeaseRow, error) {
	return wire.AcquireLease(ctx, s.conn, migrationLease, holder, s.lease)
}

// renew extends the lease until ctx ends or another process has the lease. If the server does not answer, it tries
// again at the next interval: only the server can decide that the lease is lost.
func (s *MigrationStore) renew(ctx context.Context, held *heldLease) {
	defer close(held.done)
	for wire.Pause(ctx, s.lease/3) {
		mine, err := wire.RenewLease(ctx, s.conn, migrationLease, held.holder, s.lease)
		if err != nil {
			s.conn.Log().Warn("the migration lease was not renewed", "error", err)
			continue
		}
		if !mine {
			held.stop()
			return
		}
	}
}

func (s *MigrationStore) release(ctx context.Context, held *heldLease) error {
	if _, err := wire.RenewLease(ctx, s.conn, migrationLease, held.holder, 0); err != nil {
		return fmt.Errorf("release the migration lease (it expires in %s): %w", s.lease, err)
	}
	return nil
}
