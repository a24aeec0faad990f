// Package wire connects to SurrealDB: it locates the server, signs in, reconnects, repeats requests that are safe to repeat,
// and classifies errors. It sends values as parameters only, and knows none of the product's tables. It repeats a query that
// the server may have executed only if the query is marked as idempotent.
package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fxamacker/cbor/v2"
	surrealdb "github.com/surrealdb/surrealdb.go"
	"github.com/surrealdb/surrealdb.go/surrealcbor"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine"
)

const (
	defaultCallTimeout = 10 * time.Second
	firstPause         = 5 * time.Millisecond
	longestPause       = 250 * time.Millisecond
	mostReconnects     = 3
)

// Options configures Open.
type Options struct {
	// Locate is called before every connect and reconnect, because a restarted local engine listens on another port.
	Locate func(context.Context) (engine.Endpoint, error)
	// Namespace and Database are created if they are missing and the user may create them.
	Namespace, Database string
	// CallTimeout limits a connect, and a call with its retries. Default: 10 s.
	CallTimeout time.Duration
	// Log receives connects and retries. Default: nothing is logged.
	Log *slog.Logger
	// Trace, if not nil, is called concurrently for each query, also a repeated one, with its number of results (0 after an error).
	Trace func(sql string, results int)
}

// Conn is a connection that is opened on first use and reopened after a loss. It is safe for concurrent use.
type Conn struct {
	opts Options
	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	unanswered atomic.Bool // a call was not answered in time, and no write was tried since

	mu       sync.Mutex
	live     *link
	dialing  *attempt
	underWay int       // number of running calls, without health checks
	used     time.Time // the time at which the last call ended
}

type link struct {
	socket *socket
	db     *surrealdb.DB
}

// attempt is a connect that all callers without a link wait for. It outlives a caller's deadline, so that calls with
// short deadlines cannot keep a slow connect from ever finishing.
type attempt struct {
	done chan struct{}
	link *link
	err  error
}

// Open returns a Conn without connecting.
func Open(opts Options) *Conn {
	if opts.CallTimeout <= 0 {
		opts.CallTimeout = defaultCallTimeout
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Trace == nil {
		opts.Trace = func(string, int) {}
	}
	life, end := context.WithCancel(context.Background())
	return &Conn{opts: opts, life: life, end: end, used: time.Now()}
}

// Close ends the connection. Running and later calls fail with ErrUnavailable or ErrClosed. It may be called repeatedly.
func (c *Conn) Close(ctx context.Context) error {
	c.mu.Lock()
	c.end()
	live := c.live
	c.live = nil
	c.mu.Unlock()
	c.work.Wait() // short, because a running connect ends with c.life
	if live == nil {
		return nil
	}
	if err := live.socket.Close(ctx); err != nil {
		return fmt.Errorf("close the connection to SurrealDB: %w", err)
	}
	return nil
}

// IdleTime returns the time since the last request ended, or 0 if one is running.
func (c *Conn) IdleTime() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.underWay > 0 {
		return 0
	}
	return time.Since(c.used)
}

// DisconnectIfIdle disconnects if there was no request for the given time, so that the server can be stopped. The next call
// connects again. It returns false if there was a request meanwhile.
func (c *Conn) DisconnectIfIdle(unused time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.underWay > 0 || c.dialing != nil || time.Since(c.used) < unused {
		return false
	}
	if live := c.live; live != nil {
		c.live = nil
		c.work.Go(func() { c.hangUp(live.socket) })
	}
	return true
}

// count counts a call as running until ended is called.
func (c *Conn) count() (ended func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.underWay++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.underWay--
		c.used = time.Now()
	}
}

// Ping sends an empty query. It connects first if necessary.
func (c *Conn) Ping(ctx context.Context) error {
	_, err := c.ExecIdempotent(ctx, "RETURN true", nil)
	return err
}

// writeProbe creates the temporary table ProbeTable, writes to it and removes it.
const (
	ProbeTable = "write_probe"
	writeProbe = "DEFINE TABLE IF NOT EXISTS " + ProbeTable + " TYPE NORMAL SCHEMALESS PERMISSIONS NONE; UPSERT " +
		ProbeTable + ":1 SET at = time::now() RETURN NONE; REMOVE TABLE IF EXISTS " + ProbeTable
)

// CanWrite fails if the store does not accept writes. It leaves nothing behind.
func (c *Conn) CanWrite(ctx context.Context) error {
	_, err := c.ExecIdempotent(ctx, writeProbe, nil)
	if messageOf(err) != "" { // the connection may use a deleted database
		c.renew(ctx, err)
		_, err = c.ExecIdempotent(ctx, writeProbe, nil)
	}
	return err
}

// readProbe reads a row, which fails on a server that cannot reach its storage.
const readProbe = "SELECT VALUE key FROM project LIMIT 1"

// Answers returns nil if the server answers a query before ctx ends, even with a refusal. If an earlier call was not
// answered in time, it tries a write, because a server may still read while its writes block each other.
func (c *Conn) Answers(ctx context.Context) error {
	probe := readProbe
	if c.unanswered.Load() {
		probe = writeProbe
	}
	_, err := c.Run(ctx, Request{SQL: probe, Idempotent: true, isProbe: true})
	if errors.Is(err, ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if probe == writeProbe {
		c.unanswered.Store(false)
	}
	return nil
}

// link returns the live connection, or connects.
func (c *Conn) link(ctx context.Context) (*link, error) {
	c.mu.Lock()
	if c.life.Err() != nil {
		c.mu.Unlock()
		return nil, ErrClosed
	}
	if c.live != nil && c.live.socket.alive() {
		defer c.mu.Unlock()
		return c.live, nil
	}
	current := c.dialing
	if current == nil {
		current = &attempt{done: make(chan struct{})}
		c.dialing = current
		c.work.Go(func() { c.connect(current) })
	}
	c.mu.Unlock()
	select {
	case <-current.done:
		return current.link, current.err
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: not connected yet: %w", ErrUnavailable, ctx.Err())
	}
}

func (c *Conn) connect(current *attempt) {
	ctx, cancel := context.WithTimeout(c.life, c.opts.CallTimeout)
	defer cancel()
	current.link, current.err = c.establish(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dialing = nil
	if c.life.Err() != nil {
		if current.link != nil {
			c.hangUp(current.link.socket)
		}
		current.link, current.err = nil, ErrClosed
	}
	c.live = current.link
	close(current.done)
}

func (c *Conn) establish(ctx context.Context) (*link, error) {
	endpoint, err := c.opts.Locate(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	target, err := webSocketURL(endpoint.URL)
	if err != nil {
		return nil, err
	}
	sock := newSocket(target, c.opts.CallTimeout, c.opts.Log)
	if sock.tls, err = certificates(endpoint, target); err != nil {
		return nil, fmt.Errorf("%w: connect to %s: %w", ErrUnavailable, target.Redacted(), err)
	}
	var db *surrealdb.DB
	err = guarded(func() (err error) {
		db, err = surrealdb.FromConnection(ctx, sock)
		if failed, isOfNetwork := errors.AsType[*net.OpError](err); isOfNetwork {
			err = failed.Err // drops the address, which the message has already
		}
		if failed, isOfSystem := errors.AsType[*os.SyscallError](err); isOfSystem {
			err = failed.Err
		}
		if err != nil {
			return fmt.Errorf("%w: connect to %s: %w", ErrUnavailable, target.Redacted(), err)
		}
		if err := c.signIn(ctx, db, endpoint); err != nil {
			return err
		}
		return c.use(ctx, db)
	})
	if err != nil {
		c.hangUp(sock)
		if errors.Is(err, ErrUnavailable) {
			return nil, err
		}
		return nil, fmt.Errorf("connect to %s: %w", target.Redacted(), err)
	}
	c.opts.Log.Debug("connected to SurrealDB", "url", target.Redacted())
	return &link{socket: sock, db: db}, nil
}

// hangUp closes an unused socket and ignores errors.
func (c *Conn) hangUp(sock *socket) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = sock.Close(ctx)
}

// renew makes the next query reconnect, which creates a missing namespace and database.
func (c *Conn) renew(ctx context.Context, reason error) {
	if current, err := c.link(ctx); err == nil {
		current.socket.fail(reason)
	}
}

// signIn fails with ErrAuth if the server refuses the sign-in, or with ErrUnavailable if it does not answer.
func (c *Conn) signIn(ctx context.Context, db *surrealdb.DB, endpoint engine.Endpoint) error {
	if endpoint.User == "" {
		return nil // a server without authentication; any other refuses the first statement
	}
	root := map[string]any{"user": endpoint.User, "pass": endpoint.Pass}
	namespace := map[string]any{"user": endpoint.User, "pass": endpoint.Pass, "NS": c.opts.Namespace}
	database := map[string]any{"user": endpoint.User, "pass": endpoint.Pass, "NS": c.opts.Namespace, "DB": c.opts.Database}
	var err error
	for _, credentials := range []map[string]any{root, namespace, database} {
		if _, err = db.SignIn(ctx, credentials); !isReply(err) {
			break
		}
	}
	switch {
	case err == nil:
		return nil
	case isReply(err):
		return fmt.Errorf("%w to user %s: %w", ErrAuth, endpoint.User, err)
	default:
		return fmt.Errorf("%w: sign in: %w", ErrUnavailable, err)
	}
}

// use selects the namespace and the database. SurrealDB 3 requires that both exist. A user who may not define them may
// find them defined, so only a failed selection is an error.
func (c *Conn) use(ctx context.Context, db *surrealdb.DB) error {
	namespace, database := Quoted(c.opts.Namespace), Quoted(c.opts.Database)
	define := "DEFINE NAMESPACE IF NOT EXISTS " + namespace + "; USE NS " + namespace +
		"; DEFINE DATABASE IF NOT EXISTS " + database + ";"
	if _, err := surrealdb.Query[cbor.RawMessage](ctx, db, define, nil); err != nil {
		c.opts.Log.Debug("namespace and database were not defined", "error", err)
	}
	if err := db.Use(ctx, c.opts.Namespace, c.opts.Database); err != nil {
		return fmt.Errorf("select namespace %s and database %s: %w", c.opts.Namespace, c.opts.Database, classify(err))
	}
	return nil
}

// Quoted returns any name as a quoted identifier.
func Quoted(name string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(name) + "`"
}

// Request is a query, with the conditions for repeating it. A query that is not Idempotent is one statement or one transaction, so that
// a conflict leaves nothing of it. It is not repeated after it has outgrown the engine's buffers, which takes minutes.
type Request struct {
	SQL        string
	Vars       map[string]any
	Idempotent bool
	Timeout    time.Duration // 0 means the Conn's CallTimeout
	isProbe    bool          // a missing answer says nothing about other calls
}

// ExecIdempotent runs a query that may be executed twice without harm. It is repeated after a lost connection.
func (c *Conn) ExecIdempotent(ctx context.Context, sql string, vars map[string]any) (Results, error) {
	return c.Run(ctx, Request{SQL: sql, Vars: vars, Idempotent: true})
}

// Run sends a query and returns the results of its statements. It repeats the query as far as the request permits.
func (c *Conn) Run(ctx context.Context, req Request) (Results, error) {
	if !req.isProbe {
		defer c.count()()
	}
	rows, err := c.try(ctx, req)
	if errors.Is(err, context.DeadlineExceeded) && !req.isProbe {
		c.unanswered.Store(true)
	}
	return rows, err
}

// try sends the request until it is answered, as often as permitted.
func (c *Conn) try(ctx context.Context, req Request) (Results, error) {
	timeout := req.Timeout
	if timeout <= 0 {
		timeout = c.opts.CallTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	reconnects := 0
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		current, err := c.link(ctx)
		if err != nil {
			return nil, err
		}
		rows, err := query(ctx, current.db, req.SQL, req.Vars)
		c.opts.Trace(req.SQL, len(rows))
		switch {
		case err == nil:
			return rows, nil
		case !req.Idempotent && IsWriteBufferFull(err):
			return nil, classify(err)
		case isConflict(err):
		case isExpired(err) && reconnects < mostReconnects:
			reconnects++
			current.socket.fail(err)
		case mayResend(err, req) && reconnects < mostReconnects:
			reconnects++
		default:
			return nil, classify(err)
		}
		c.opts.Log.Debug("SurrealDB query is retried", "error", err)
		if !memory.Sleep(ctx, pause/2+rand.N(pause)) {
			return nil, classify(err)
		}
	}
}

// query sends a query once.
func query[S *surrealdb.DB | *surrealdb.Transaction](ctx context.Context, to S, sql string, vars map[string]any) (rows Results, err error) {
	err = guarded(func() error {
		answer, err := surrealdb.Query[cbor.RawMessage](ctx, to, sql, vars)
		if answer == nil {
			return err
		}
		if err != nil {
			return rootCause(*answer)
		}
		for _, one := range *answer {
			rows = append(rows, one.Result)
		}
		return nil
	})
	return rows, err
}

func mayResend(err error, req Request) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	return errors.Is(err, errNotSent) || (req.Idempotent && errors.Is(err, errSocketGone))
}

// Database returns the name of the database in use.
func (c *Conn) Database() string { return c.opts.Database }

// Log returns the logger for connects and retries.
func (c *Conn) Log() *slog.Logger { return c.opts.Log }

// Results has the encoded result of each statement of a query, including BEGIN and COMMIT.
type Results []cbor.RawMessage

// Decode decodes the result of statement i, counted from 0, into v. NONE and NULL leave the zero value.
func (r Results) Decode(i int, v any) error {
	if i < 0 || i >= len(r) {
		return fmt.Errorf("decode the result of statement %d: the server returned %d results", i, len(r))
	}
	if len(r[i]) == 0 {
		return nil
	}
	err := guarded(func() error { return surrealcbor.Unmarshal(r[i], v) })
	if err != nil {
		return fmt.Errorf("decode the result of statement %d: %w", i, err)
	}
	return nil
}

// guarded calls f and returns a panic as an error: the SDK dereferences unchecked answers.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in the SurrealDB SDK: %v", p)
		}
	}()
	return f()
}

const (
	// PageTime limits the time of one statement.
	PageTime = time.Minute
	// endTime limits the end of a snapshot, independently of its reader's context.
	endTime = 5 * time.Second
)

// Snapshot is a read-only transaction that sees the database as it was when the transaction began.
type Snapshot struct {
	tx *surrealdb.Transaction
}

// IsClosed makes the SDK allow transactions on the socket.
func (s *socket) IsClosed() bool { return !s.alive() }

// Snapshot begins a read-only transaction. The caller calls End.
func (c *Conn) Snapshot(ctx context.Context) (*Snapshot, error) {
	ctx, cancel := context.WithTimeout(ctx, c.opts.CallTimeout)
	defer cancel()
	current, err := c.link(ctx)
	if err != nil {
		return nil, err
	}
	var s Snapshot
	err = guarded(func() (err error) {
		s.tx, err = current.db.Begin(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("begin a transaction: %w", classify(err))
	}
	return &s, nil
}

// Query runs a query in the snapshot, without retries: a lost connection ends the snapshot.
func (s *Snapshot) Query(ctx context.Context, sql string, vars map[string]any) (found Results, err error) {
	ctx, cancel := context.WithTimeout(ctx, PageTime)
	defer cancel()
	if found, err = query(ctx, s.tx, sql, vars); err != nil {
		return nil, classify(err)
	}
	return found, nil
}

func (s *Snapshot) End(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	_ = guarded(func() error { return s.tx.Cancel(ctx) }) // the snapshot wrote nothing, and ends with its connection anyway
}
