package engine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// pollPause is the time between two looks at an engine that another process starts or ends.
const pollPause = 200 * time.Millisecond

// Shared is an engine that another process runs, or else one of our own. Ask for its Endpoint again after every lost
// connection: the other process may have ended, and its engine with it. One goroutine at a time may ask.
type Shared struct {
	options Options
	home    *flock.Flock // whoever has it runs the home's engine
	own     *Supervisor  // nil until nobody else runs one
}

// NewShared returns the engine of a home, which the daemon runs while it holds the lock file.
func NewShared(options Options, lockFile string) *Shared {
	return &Shared{options: options, home: flock.New(lockFile, flock.SetPermissions(0o600))}
}

// Endpoint waits until the engine runs, and returns its address.
func (s *Shared) Endpoint(ctx context.Context) (Endpoint, error) {
	for {
		err := s.start()
		if err == nil {
			return s.own.Endpoint(ctx)
		}
		if !errors.Is(err, ErrInUse) {
			return Endpoint{}, fmt.Errorf("start the database engine: %w", err)
		}
		endpoint, err := running(ctx, filepath.Join(s.options.RunDir, recordFile))
		if err == nil {
			return endpoint, nil
		}
		if err := Wake(s.options.RunDir); err != nil {
			return Endpoint{}, fmt.Errorf("wake the database engine: %w", err)
		}
		select {
		case <-time.After(pollPause):
		case <-ctx.Done():
			return Endpoint{}, fmt.Errorf("another process runs the database engine, which does not answer: %w",
				errors.Join(ctx.Err(), err))
		}
	}
}

// start starts an engine of our own unless another process has the home. Two engines on one home would fight over the
// password file and the data.
func (s *Shared) start() (err error) {
	if s.own != nil {
		return nil
	}
	if s.options.Remote.URL == "" {
		if err := os.MkdirAll(s.options.RunDir, 0o700); err != nil {
			return fmt.Errorf("make the run directory: %w", err)
		}
		free, err := s.home.TryLock()
		if err != nil {
			return fmt.Errorf("lock %s: %w", s.home.Path(), err)
		}
		if !free {
			return ErrInUse
		}
	}
	// Not the caller's context: the engine is to outlive this connect.
	if s.own, err = Start(context.Background(), s.options); err != nil {
		return errors.Join(err, s.home.Unlock())
	}
	return nil
}

// Widen prepares for long transactions: see Supervisor.Widen. Another process's engine stays as it is; one of our own
// ends with this program, and the next has small buffers again.
func (s *Shared) Widen() (done func()) {
	if s.own != nil {
		s.own.Widen()
	}
	return func() {}
}

// Stop ends an engine of our own.
func (s *Shared) Stop(ctx context.Context) error {
	if s.own == nil {
		return nil
	}
	return errors.Join(s.own.Stop(ctx), s.home.Unlock())
}

// running returns the address that another process has recorded for its engine, if that accepts connections.
func running(ctx context.Context, file string) (Endpoint, error) {
	found, err := readRecord(file)
	if err != nil {
		return Endpoint{}, err
	}
	address, err := url.Parse(found.URL)
	if err != nil {
		return Endpoint{}, fmt.Errorf("read %s: %w", file, err)
	}
	var dialer net.Dialer
	probe, err := dialer.DialContext(ctx, "tcp", address.Host)
	if err != nil {
		return Endpoint{}, err
	}
	_ = probe.Close()
	return Endpoint{URL: found.URL, User: found.User, Pass: found.Pass}, nil
}
