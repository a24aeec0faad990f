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

// pollPause is the time between two checks of an engine that another process starts or stops.
const pollPause = 200 * time.Millisecond

// Shared is the engine of a home, run by another process or by this process. Its Endpoint must be asked again after
// every lost connection, because the other process may have ended with its engine. It is not safe for concurrent use.
type Shared struct {
	options Options
	home    *flock.Flock // lock of the process that runs the home's engine
	own     *Supervisor  // nil until this process runs the engine
}

// NewShared returns the engine of a home. The daemon holds lockFile while it runs the engine.
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

// start starts the engine in this process, or fails with ErrInUse if another process holds the home's lock. Two engines
// on one home would overwrite each other's password file and data.
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
	// The caller's context is not used, because the engine outlives this call.
	if s.own, err = Start(context.Background(), s.options); err != nil {
		return errors.Join(err, s.home.Unlock())
	}
	return nil
}

// EnlargeBuffers prepares for long transactions; see Supervisor.EnlargeBuffers. It does nothing to another process's
// engine. done does nothing, because this process's engine ends with this program.
func (s *Shared) EnlargeBuffers() (done func()) {
	if s.own != nil {
		s.own.EnlargeBuffers()
	}
	return func() {}
}

// Stop stops the engine if this process runs it.
func (s *Shared) Stop(ctx context.Context) error {
	if s.own == nil {
		return nil
	}
	return errors.Join(s.own.Stop(ctx), s.home.Unlock())
}

// running returns the address that another process has recorded for its engine, if it accepts connections.
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
