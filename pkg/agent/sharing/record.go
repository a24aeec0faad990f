package sharing

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"reflect"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
)

// Record is the record of the readings of checkouts, in a file.
type Record struct {
	File string // empty: it ends with the process
	Log  *slog.Logger

	last map[string]*reading // by project; nil until it is read
}

// reading is the state of a project when its checkouts were read last.
type reading struct {
	Checkouts []string `json:"checkouts"` // roots, the one used last first
	Memories  []string `json:"memories"`  // ids of the shared facts, in order
}

// load reads the file, once. A damaged one counts as none: facts that were withdrawn
// meanwhile then stay until a person forgets them.
func (r *Record) load() error {
	if r.last != nil {
		return nil
	}
	last := map[string]*reading{}
	if r.File != "" {
		data, err := os.ReadFile(r.File)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read which facts were shared: %w", err)
		}
		if err == nil && json.Unmarshal(data, &last) != nil {
			r.Log.Warn("the record of shared facts is damaged and made anew", "file", r.File)
			last = map[string]*reading{}
		}
	}
	r.last = last
	return nil
}

// of is the last reading of a project; empty if there was none.
func (r *Record) of(project string) (reading, error) {
	if err := r.load(); err != nil || r.last[project] == nil {
		return reading{}, err
	}
	return *r.last[project], nil
}

// keep records the reading of a project.
func (r *Record) keep(project string, now reading) error {
	if last := r.last[project]; last != nil && reflect.DeepEqual(*last, now) {
		return nil
	}
	r.last[project] = &now
	return r.save()
}

// discard drops the readings of some projects.
func (r *Record) discard(isOf func(project string) bool) error {
	if err := r.load(); err != nil {
		return err
	}
	count := len(r.last)
	for key := range r.last {
		if isOf(key) {
			delete(r.last, key)
		}
	}
	if len(r.last) == count {
		return nil
	}
	return r.save()
}

func (r *Record) save() error {
	if r.File == "" {
		return nil
	}
	data, err := json.Marshal(r.last)
	if err == nil {
		err = atomicfile.Write(r.File, 0o600, data)
	}
	if err != nil {
		return fmt.Errorf("record which facts are shared: %w", err)
	}
	return nil
}
