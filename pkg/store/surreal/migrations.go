package surreal

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
	"github.com/surrealdb-memory/surrealdb-memory/schema"
)

const (
	// leaseTime is the time after which others take over from a migrator that was killed.
	leaseTime = 15 * time.Second
	// applyTimeout limits the time of one migration. A migration may safely go on after its lease is lost, because the
	// IDs in the history prevent that a version is applied twice.
	applyTimeout = 10 * time.Minute
	firstPoll    = 25 * time.Millisecond
	longestPoll  = time.Second
)

// MigrationStore implements migrate.Store for the database of a Conn. It serves one Up at a time.
type MigrationStore struct {
	conn  *wire.Conn
	lease time.Duration
	held  context.Context // ends when the lease is lost; nil without Lock
}

var _ migrate.Store = (*MigrationStore)(nil)

// NewMigrationStore returns the migration store of conn's database. Lock defines the tables that it needs.
func NewMigrationStore(conn *wire.Conn) *MigrationStore {
	return &MigrationStore{conn: conn, lease: leaseTime}
}

func (s *MigrationStore) History(ctx context.Context) ([]migrate.Applied, error) {
	rows, err := s.conn.ExecIdempotent(ctx, "SELECT * FROM migration_history ORDER BY version", nil)
	var failed *wire.StatementError
	if errors.As(err, &failed) && failed.Message == "The table 'migration_history' does not exist" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return historyCodec.decode(rows, 0)
}

// A migration file runs between applyHead and applyTail. applyHead has headStatements statements and no newline, so that the
// engine's line numbers are those of the file.
const (
	applyHead      = "BEGIN; LET $migration_begun = time::now(); "
	headStatements = 2
	applyTail      = `
;CREATE type::record('migration_history', $migration_line.version) SET
	version = $migration_line.version, name = $migration_line.name, sha256 = $migration_line.sha256,
	binary_version = $migration_line.binary_version, applied_at = $migration_line.applied_at,
	duration_ms = duration::millis(time::now() - $migration_begun);
COMMIT;`
)

// outgrown is the message about a migration whose transaction outgrew the engine's write buffers.
const outgrown = "the engine did not commit the migration, because more was written in the meantime than its write buffers hold; nothing has changed. " +
	"The daemon gives its own engine large buffers; start another server with a larger SURREAL_ROCKSDB_WRITE_BUFFER_SIZE"

// Apply implements migrate.Store. It writes the migration and its row of the history in one transaction.
func (s *MigrationStore) Apply(ctx context.Context, m migrate.Migration, line migrate.Applied) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.held == nil || s.held.Err() != nil {
		return fmt.Errorf("another process has taken over the migration: wait for it, then run the command again: %w", memory.ErrLeaseLost)
	}
	_, err := s.conn.Run(ctx, wire.Request{
		SQL:  applyHead + m.SQL + applyTail,
		Vars: map[string]any{"migration_line": historyCodec.row(line)}, Timeout: applyTimeout,
	})
	var failed *wire.StatementError
	switch {
	case wire.IsWriteBufferFull(err):
		return errors.New(m.File + ": " + outgrown)
	case errors.As(err, &failed) && failed.Index >= headStatements:
		return fmt.Errorf("%s: statement %d: %s", m.File, failed.Index-headStatements+1, failed.Message)
	case failed != nil: // the engine's message has the line
		return fmt.Errorf("%s: %s", m.File, failed.Message)
	}
	return err
}

const migrationLease = "migrate"

// Lock implements migrate.Store with the row lease:migrate, which it extends until ctx ends or unlock is called. Only the
// server's clock decides when the lease has expired.
func (s *MigrationStore) Lock(ctx context.Context) (unlock func() error, err error) {
	if _, err := s.conn.ExecIdempotent(ctx, schema.Bootstrap(), nil); err != nil {
		return nil, fmt.Errorf("define the migration tables: %w", err)
	}
	store := NewStore(s.conn)
	lease := memory.Lease{Name: migrationLease, Holder: rand.Text()}
	for pause := firstPoll; lease.Token == 0; pause = min(2*pause, longestPoll) {
		taken, err := store.Lease(ctx, lease, s.lease)
		switch {
		case errors.Is(err, memory.ErrHeld):
			s.conn.Log().Info("another process is migrating, waiting for it")
		case err != nil:
			return nil, err
		default:
			lease = taken
			continue
		}
		if !memory.Sleep(ctx, pause) {
			return nil, fmt.Errorf("another process is migrating the database and has not finished in time: try again when it has: %w", ctx.Err())
		}
	}
	held, release := memory.HoldLease(ctx, store, lease, s.lease)
	s.held = held
	return func() error {
		s.held = nil
		return release()
	}, nil
}
