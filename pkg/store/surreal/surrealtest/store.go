// Package surrealtest gives tests of other packages a store with the current schema on a shared real engine. Programs
// must not import it.
package surrealtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/migrations"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/book"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
	"github.com/surrealdb-memory/surrealdb-memory/schema"
)

// Store is a store on the real engine for tests inside a testing/synctest bubble. Each call runs outside of the bubble,
// whose time stands still meanwhile. Leases end by the caller's clock, because the engine would use its own.
type Store struct {
	*book.Book
	inner *surreal.Store
	mu    sync.Mutex
	held  map[string]held
}

type held struct {
	memory.Lease
	until time.Time
}

// TB has the methods that testing.TB and rapid.TB have in common.
type TB interface {
	Helper()
	Cleanup(func())
	Skip(args ...any)
	Fatal(args ...any)
}

// Empty returns an empty store. Its database is reused by another test after this one ends.
func Empty(t TB) *Store {
	t.Helper()
	s, done, err := New()
	enginetest.Check(t, err)
	t.Cleanup(done)
	return s
}

// New does what Empty does, for callers without a test. The caller calls done.
func New() (s *Store, done func(), err error) {
	var d database
	enginetest.Outside(func() { d, err = take() })
	if err != nil {
		return nil, nil, err
	}
	s = &Store{inner: surreal.NewStore(d.conn), held: map[string]held{}}
	s.Book = book.New(s)
	return s, func() { give(d) }, nil
}

// Open returns the store of an empty database as callers of the engine use it, and its address.
func Open(t TB) (*surreal.Store, wire.Options) {
	t.Helper()
	d, err := take()
	enginetest.Check(t, err)
	t.Cleanup(func() { give(d) })
	return surreal.NewStore(d.conn), d.at
}

// database is a database with the current schema, and a connection to it.
type database struct {
	conn *wire.Conn
	at   wire.Options
}

// unused are the databases of ended tests, with their rows: deleting the rows is faster than migrating another database.
var unused struct {
	sync.Mutex
	once sync.Once
	all  []database
}

func give(d database) {
	unused.Lock()
	defer unused.Unlock()
	unused.once.Do(func() { enginetest.AtEnd(closeUnused) })
	unused.all = append(unused.all, d)
}

func take() (d database, err error) {
	unused.Lock()
	if n := len(unused.all); n > 0 {
		d, unused.all = unused.all[n-1], unused.all[:n-1]
	}
	unused.Unlock()
	if d.conn == nil {
		return migrated(context.Background())
	}
	if _, err := d.conn.ExecIdempotent(context.Background(), emptied, nil); err != nil {
		return database{}, fmt.Errorf("empty the database of another test: %w", err)
	}
	return d, nil
}

func closeUnused() {
	unused.Lock()
	defer unused.Unlock()
	for _, d := range unused.all {
		_ = d.conn.Close(context.Background())
	}
}

// migrated returns a new database.
func migrated(ctx context.Context) (database, error) {
	endpoint, err := enginetest.Shared()
	if err != nil {
		return database{}, err
	}
	at := wire.Options{
		Locate:    func(context.Context) (engine.Endpoint, error) { return endpoint, nil },
		Namespace: "test", Database: "t_" + strings.ToLower(rand.Text()), CallTimeout: time.Minute,
	}
	conn := wire.Open(at)
	all, err := migrate.Load(migrations.FS)
	if err == nil {
		_, err = migrate.Up(ctx, surreal.NewMigrationStore(conn), all, migrate.Options{})
	}
	return database{conn, at}, err
}

// emptied deletes all rows, except the history of migrations.
var emptied = func() (sql string) {
	files, err := schema.FS.ReadDir(".")
	if err != nil {
		panic(err)
	}
	for _, file := range files {
		table, isTable := strings.CutSuffix(file.Name(), ".surql")
		if isTable && table != "migration_history" {
			sql += "DELETE " + table + " RETURN NONE;"
		}
	}
	return sql
}()

// outside calls a method with one parameter outside of the bubble. A call that has begun is not cancelled with ctx.
func outside[Q, A any](ctx context.Context, method func(context.Context, Q) (A, error), q Q) (a A, err error) {
	if err := ctx.Err(); err != nil {
		return a, err
	}
	enginetest.Outside(func() { a, err = method(context.WithoutCancel(ctx), q) })
	return a, err
}

// none stands for a missing parameter or result of a method.
type none struct{}

func (s *Store) Apply(ctx context.Context, w memory.Write) error {
	if w.Lease != nil {
		if _, err := s.Lease(ctx, *w.Lease, -1); err != nil {
			return err
		}
		w.Lease = nil // the engine does not know the lease
	}
	_, err := outside(ctx, func(ctx context.Context, w memory.Write) (none, error) { return none{}, s.inner.Apply(ctx, w) }, w)
	return err
}

func (s *Store) Read(ctx context.Context, k memory.Keys) (memory.Rows, error) {
	return outside(ctx, s.inner.Read, k)
}

func (s *Store) Rows(ctx context.Context, q memory.RowQuery) ([]memory.Row, error) {
	return outside(ctx, s.inner.Rows, q)
}

func (s *Store) Sessions(ctx context.Context, q memory.SessionQuery) ([]memory.Session, error) {
	return outside(ctx, s.inner.Sessions, q)
}

func (s *Store) Records(ctx context.Context, q memory.RecordQuery) ([]memory.SessionRecord, error) {
	return outside(ctx, s.inner.Records, q)
}

func (s *Store) Runs(ctx context.Context, q memory.RunQuery) ([]memory.Run, error) {
	return outside(ctx, s.inner.Runs, q)
}

func (s *Store) Totals(ctx context.Context, q memory.TotalsQuery) (memory.Totals, error) {
	return outside(ctx, s.inner.Totals, q)
}

func (s *Store) Changed(ctx context.Context, q memory.ChangeQuery) (memory.ChangePage, error) {
	return outside(ctx, s.inner.Changed, q)
}

func (s *Store) Distillations(ctx context.Context, q memory.DistillationQuery) ([]memory.Distillation, error) {
	return outside(ctx, s.inner.Distillations, q)
}

func (s *Store) Projects(ctx context.Context) ([]memory.ProjectHolding, error) {
	return outside(ctx, func(ctx context.Context, _ none) ([]memory.ProjectHolding, error) { return s.inner.Projects(ctx) }, none{})
}

func (s *Store) History(ctx context.Context, id string) (memory.History, error) {
	return outside(ctx, s.inner.History, id)
}

func (s *Store) Decisions(ctx context.Context, ids []string) ([]memory.Decision, error) {
	return outside(ctx, s.inner.Decisions, ids)
}

func (s *Store) Export(ctx context.Context, q memory.ExportQuery) (memory.ExportPage, error) {
	return outside(ctx, s.inner.Export, q)
}

// copied collects what CopyOut passes to a sink.
type copied struct {
	contents memory.Contents
	tables   []string
	rows     [][]byte
}

func (c *copied) Begin(contents memory.Contents) error {
	c.contents = contents
	return nil
}

func (c *copied) Row(table string, row []byte) error {
	c.tables, c.rows = append(c.tables, table), append(c.rows, row)
	return nil
}

func (s *Store) CopyOut(ctx context.Context, sink memory.CopySink) error {
	var all copied
	if _, err := outside(ctx, func(ctx context.Context, sink memory.CopySink) (none, error) {
		return none{}, s.inner.CopyOut(ctx, sink)
	}, memory.CopySink(&all)); err != nil {
		return err
	}
	if err := sink.Begin(all.contents); err != nil {
		return err
	}
	for i, row := range all.rows {
		if err := sink.Row(all.tables[i], row); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) CopyIn(ctx context.Context, table string, rows [][]byte) error {
	_, err := outside(ctx, func(ctx context.Context, rows [][]byte) (none, error) {
		return none{}, s.inner.CopyIn(ctx, table, rows)
	}, rows)
	return err
}

// Lease implements storetest.Store with the caller's clock. With a duration below 0 it only checks the lease.
func (s *Store) Lease(_ context.Context, l memory.Lease, d time.Duration) (memory.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.held[l.Name]
	isFree := !last.until.After(time.Now())
	switch isTheirs := last.Holder != l.Holder; {
	case l.Token == 0 && isFree:
		last.Lease = memory.Lease{Name: l.Name, Holder: l.Holder, Token: last.Token + 1}
	case l.Token == 0 && isTheirs:
		return memory.Lease{}, fmt.Errorf("lease %s: %w", l.Name, memory.ErrHeld)
	case l.Token != 0 && (isFree || last.Lease != l):
		if d == 0 {
			return l, nil
		}
		return memory.Lease{}, fmt.Errorf("renew the lease %s: %w", l.Name, memory.ErrLeaseLost)
	}
	if d >= 0 {
		last.until = time.Now().Add(d)
		s.held[l.Name] = last
	}
	return last.Lease, nil
}

// Sweep calls surreal.Store.Sweep.
func (s *Store) Sweep(ctx context.Context, apply bool, sweep memory.Sweep) (memory.Swept, error) {
	return s.inner.Sweep(ctx, apply, sweep)
}

// Compact does nothing: a store in memory has no files.
func (s *Store) Compact(context.Context) error { return nil }
