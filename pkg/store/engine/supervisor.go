package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/process"
)

const (
	firstPause = 100 * time.Millisecond // pause before the first restart; doubled at each restart
	longPause  = 5 * time.Second        // longest pause
	steadyRun  = 30 * time.Second       // a run of this length resets the pause
)

// Start finds an engine and starts it without waiting; Endpoint waits. For a remote server it only checks the URL. It returns the
// errors of Find, and fails if another living process supervises an engine with the same RunDir, or if a file cannot be created.
//
// It first ends an engine that a killed supervisor left behind, because that engine holds the lock of the data.
func Start(ctx context.Context, options Options) (*Supervisor, error) {
	options = options.withDefaults()
	if options.Remote.URL == "" && !options.InMemory && options.DataPath != "" {
		if err := FinishReplacing(filepath.Clean(options.DataPath)); err != nil {
			return nil, err
		}
	}
	choice, err := Find(ctx, options)
	if err != nil {
		return nil, err
	}
	s := &Supervisor{options: options, Choice: choice, changed: make(chan struct{}), done: make(chan struct{}), rouse: make(chan struct{}, 1)}
	if choice.Kind == Remote {
		s.endpoint = options.Remote
		s.cancel, s.kill = func() {}, func() {}
		close(s.done)
		return s, nil
	}
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	killed, kill := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel, s.kill = cancel, kill
	go s.supervise(running, killed)
	return s, nil
}

func (s *Supervisor) prepare(ctx context.Context) error {
	if err := os.MkdirAll(s.options.RunDir, 0o700); err != nil {
		return fmt.Errorf("make the engine's run directory: %w", err)
	}
	if err := s.endLeftover(ctx); err != nil {
		return err
	}
	// A newer plugin may have a newer server for the same packages.
	if err := copySources(s.options.Sources, s.Choice.Path); err != nil {
		return err
	}
	s.secret = rand.Text() // kept until the supervisor ends, so that a program that has signed in stays signed in when the engine is restarted
	if s.options.InMemory {
		return nil
	}
	absolute, err := filepath.Abs(s.options.DataPath)
	if err != nil || s.options.DataPath == "" || strings.ContainsAny(absolute, "?#") {
		return fmt.Errorf("the engine cannot keep its data in %q: name a directory without ? and #", s.options.DataPath)
	}
	s.options.DataPath = absolute
	if err := os.MkdirAll(absolute, 0o700); err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	return s.noteEngine(absolute)
}

// noteEngine records, before the engine starts, to which engine the data belongs. It fails with ErrGone if there is a record and no data.
func (s *Supervisor) noteEngine(data string) error {
	_, statErr := os.Stat(data + formatSuffix)
	empty, err := IsEmpty(data)
	if err != nil {
		return err
	}
	if s.hasData = !empty; empty && statErr == nil {
		return gone(data)
	}
	made, err := ReadDataFormat(data)
	if err != nil || made == s.Choice.Version {
		return err
	}
	return WriteDataFormat(data, s.Choice.Version)
}

// endLeftover ends the engine in engine.json if it still runs and its supervisor is gone. It fails if the supervisor lives.
func (s *Supervisor) endLeftover(ctx context.Context) error {
	var old record
	if err := atomicfile.ReadJSON(s.recordPath(), &old); err != nil || old.PID <= 1 || old.Data == "" {
		return nil // a missing or invalid record is replaced
	}
	found, ok := process.Find(old.PID)
	command := strings.Join(found.Args, " ")
	if !ok || !strings.Contains(command, s.recordPath()) && !strings.Contains(command, old.Data) {
		return nil
	}
	if found.Parent == old.Owner {
		return fmt.Errorf("the process %d already runs the engine of this home (%s); if memory daemon stop does not end it, kill %[1]d", old.PID, s.recordPath())
	}
	s.options.Log.Warn("ending an engine that lost its supervisor", "pid", old.PID)
	if err := process.End(ctx, old.PID); err != nil {
		return fmt.Errorf("the engine of a daemon that was killed still runs: end the process %d: %w", old.PID, err)
	}
	return nil
}

func (s *Supervisor) supervise(ctx, killed context.Context) {
	defer close(s.done)
	defer s.kill()
	for pause := firstPause; ctx.Err() == nil; {
		started := time.Now()
		err := s.runOnce(ctx, killed)
		switch {
		case ctx.Err() != nil:
			continue
		case errors.Is(err, errAsleep):
			s.sleep(ctx)
			pause = firstPause
			continue
		case time.Since(started) >= steadyRun:
			pause = firstPause
		}
		s.options.Log.Warn("the engine ended and is restarted", "error", err, "pause", pause)
		s.update(func() { s.endpoint, s.state.PID, s.running, s.state.Err = Endpoint{}, 0, nil, err })
		if !memory.Sleep(ctx, pause) {
			continue
		}
		pause = min(2*pause, longPause)
		s.update(func() { s.state.Restarts++ })
	}
	if err := os.Remove(s.recordPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.options.Log.Warn("engine.json could not be removed", "error", err)
	}
	s.update(func() { s.endpoint, s.state.PID, s.stopped = Endpoint{}, 0, true })
}

// gone returns the ErrGone of a directory.
func gone(data string) error {
	return memory.Mark(fmt.Errorf("the store in %s is missing", data), ErrGone)
}

// runOnce runs the engine once, from start to end, and returns why it ended.
func (s *Supervisor) runOnce(ctx, killed context.Context) error {
	if empty, err := IsEmpty(s.options.DataPath); s.hasData && (empty || err != nil) {
		return errors.Join(gone(s.options.DataPath), err)
	}
	entry, err := s.note()
	if err != nil {
		return err
	}
	began := time.Now()
	child, err := s.launch(ctx, killed)
	if err != nil {
		return err
	}
	defer func() { _ = child.wait() }() // the error is reported elsewhere
	entry.PID = child.pid
	if err = writeRecord(s.recordPath(), entry); err == nil {
		entry.URL, err = child.ready(ctx)
	}
	if err == nil {
		err = writeRecord(s.recordPath(), entry)
	}
	if err != nil {
		child.end()
		return err
	}
	s.options.Log.Info("the engine is up", "kind", s.Choice.Kind, "pid", child.pid, "url", entry.URL, "took", time.Since(began))
	endpoint := Endpoint{URL: entry.URL, User: entry.User, Pass: entry.Pass}
	if err := s.options.Verify(ctx, endpoint); err != nil {
		child.end()
		return err
	}
	s.update(func() {
		s.endpoint = endpoint
		s.state.PID, s.running = child.pid, child
	})
	s.hasData = !s.options.InMemory
	watching, stop := context.WithCancel(ctx)
	watched := make(chan error, 1)
	go func() { watched <- s.watch(watching, child) }()
	err = child.wait()
	stop()
	hung := <-watched
	s.update(func() {
		if s.reason != "" {
			err = errors.New(s.reason)
		}
		s.state.UnresponsiveSince, s.reason = time.Time{}, ""
	})
	return errors.Join(hung, err)
}

// Restart stops the engine, which is then started again after the usual pause. It is for an engine that runs but
// refuses to work, for example after a failed write.
func (s *Supervisor) Restart(reason string) {
	s.mu.Lock()
	current := s.running
	s.running = nil
	if current != nil {
		s.reason = reason
	}
	s.mu.Unlock()
	if current == nil { // the engine is starting, or remote
		return
	}
	s.options.Log.Warn("the engine is restarted", "reason", reason)
	s.update(func() { s.endpoint = Endpoint{} })
	current.end()
}

// EnlargeBuffers restarts the engine with large write buffers; restore restarts it with small buffers again. An
// engine refuses to commit a transaction if its buffers no longer hold everything written since the transaction
// began. The small buffers hold 16 MB, less than the index of a large table. A remote server is not affected.
func (s *Supervisor) EnlargeBuffers() (restore func()) {
	s.largeBuffers.Store(true)
	s.Restart("a migration needs large write buffers")
	return func() {
		s.largeBuffers.Store(false)
		s.Restart("the migration has ended")
	}
}

// Endpoint waits until the engine runs, and returns its address. A restarted engine has another port, so callers ask again after a lost connection.
// It fails after Stop, with memory.ErrDamaged if the data is damaged, or with the engine's last error when ctx ends.
func (s *Supervisor) Endpoint(ctx context.Context) (Endpoint, error) {
	for {
		s.mu.Lock()
		endpoint, changed, stopped, last := s.endpoint, s.changed, s.stopped, s.state.Err
		s.mu.Unlock()
		if endpoint.URL != "" {
			return endpoint, nil
		}
		select {
		case s.rouse <- struct{}{}: // starts a sleeping engine
		default:
		}
		if stopped {
			return Endpoint{}, errors.New("the engine was stopped")
		}
		if errors.Is(last, memory.ErrDamaged) { // the engine is restarted, but this is unlikely to help
			return Endpoint{}, last
		}
		select {
		case <-changed:
		case <-ctx.Done():
			if last == nil {
				last = errors.New("its log may have the reason: memory daemon logs engine")
			}
			err := fmt.Errorf("the database engine did not start in time: %w", last)
			if errors.Is(ctx.Err(), context.Canceled) { // errors.Is then tells the caller that it has ended the wait itself
				err = fmt.Errorf("%w: %w", ctx.Err(), err)
			}
			return Endpoint{}, err
		}
	}
}

// Stop stops the engine and waits until its process has ended. It asks the engine first, and kills it after a few
// seconds or when ctx ends. It may be repeated.
func (s *Supervisor) Stop(ctx context.Context) {
	s.cancel()
	select {
	case <-s.done:
	case <-ctx.Done():
		s.kill()
		<-s.done
	}
	if s.Choice.Kind == Remote {
		s.update(func() { s.endpoint, s.stopped = Endpoint{}, true })
	}
}

// A hanging engine does not end by itself. It is queried, and killed after healthMisses unanswered queries in a row.
// From the beginning of the hang until the next engine runs, less than 30 s pass, including stopLimit.
var (
	healthPause = 5 * time.Second // time between two queries
	healthLimit = 4 * time.Second // time for an answer
)

const healthMisses = 3

// watch kills the child when it hangs, until ctx or the child ends. It returns an error if it has killed the child, and
// errAsleep if it has stopped the child for lack of requests.
func (s *Supervisor) watch(ctx context.Context, c *child) error {
	if s.options.Ask == nil && !s.maySleep() {
		return nil
	}
	ticker := time.NewTicker(healthPause)
	defer ticker.Stop()
	for misses := 0; misses < healthMisses; {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if s.fallAsleep(c) {
			return errAsleep
		}
		asked := time.Now()
		if err := s.ask(ctx); err == nil {
			misses = 0
			s.update(func() { s.state.UnresponsiveSince = time.Time{} })
		} else if ctx.Err() == nil {
			s.options.Log.Warn("the engine does not answer", "pid", c.pid, "error", err)
			if misses++; misses == 1 {
				s.update(func() { s.state.UnresponsiveSince = asked })
			}
		}
	}
	s.options.Log.Warn("the engine hangs and is stopped", "pid", c.pid, "since", s.State().UnresponsiveSince)
	c.cancel()
	return fmt.Errorf("the engine did not answer after %s, and was stopped", s.State().UnresponsiveSince.Format(time.TimeOnly))
}

func (s *Supervisor) ask(ctx context.Context) error {
	if s.options.Ask == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, healthLimit)
	defer cancel()
	return s.options.Ask(ctx)
}

// errAsleep means that the engine was stopped for lack of requests.
var errAsleep = errors.New("the engine sleeps")

func (s *Supervisor) maySleep() bool { return s.options.Sleep > 0 && s.options.Use != nil }

// fallAsleep stops an engine that has had no requests. From then on Endpoint starts it again, so nobody gets the address of a
// stopped engine. It returns false if the engine goes on.
func (s *Supervisor) fallAsleep(c *child) bool {
	if !s.maySleep() || s.options.Use.IdleTime() < s.options.Sleep {
		return false
	}
	s.mu.Lock()
	was := s.endpoint
	if s.running != c { // the engine is restarting
		s.mu.Unlock()
		return false
	}
	select {
	case <-s.rouse: // sent by a caller from before the engine ran
	default:
	}
	s.endpoint, s.state.Asleep = Endpoint{}, true
	s.mu.Unlock()
	if !s.options.Use.DisconnectIfIdle(s.options.Sleep) {
		s.update(func() { s.endpoint, s.state.Asleep = was, false })
		return false
	}
	c.cancel()
	return true
}

// sleep waits until the engine is needed again.
func (s *Supervisor) sleep(ctx context.Context) {
	s.options.Log.Info("the engine was stopped, because it had no requests", "for", s.options.Sleep)
	s.update(func() { s.state.PID, s.running = 0, nil })
	if _, err := s.note(); err != nil {
		s.options.Log.Warn("engine.json still has the address of a stopped engine", "error", err)
	}
	defer s.update(func() { s.state.Asleep = false })
	select {
	case <-ctx.Done():
	case <-s.rouse:
	}
}
