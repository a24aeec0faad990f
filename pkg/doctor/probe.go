package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/gofrs/flock"
)

// isLocked tells whether an agent, or a migration, has the home.
func (d *Doctor) isLocked() bool {
	if !exists(d.Paths.Lock()) {
		return false
	}
	lock := flock.New(d.Paths.Lock())
	free, err := lock.TryRLock()
	if err != nil || !free {
		return true
	}
	_ = lock.Unlock()
	return false
}

// data is where a local engine keeps its files.
func (d *Doctor) data() string { return cmp.Or(d.Config.Store.DataPath, d.Paths.Data()) }

func tryWriting(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// removal removes a file that a dead agent has left, unless an agent has started
// meanwhile.
func (d *Doctor) removal(file string) func(context.Context) error {
	return func(ctx context.Context) error {
		if _, err := d.askStatus(ctx); err == nil {
			return fmt.Errorf("an agent has started meanwhile: %s may be its own", file)
		}
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
}
