package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
)

// The storage engines.
const (
	RocksDB   = "rocksdb"
	SurrealKV = "surrealkv"
)

// madeSuffix is the suffix of the file, next to the data, that records its engine.
const madeSuffix = ".engine.json"

func (m Made) String() string {
	if m.Kind == Embedded {
		return "the embedded SurrealDB " + m.Version
	}
	return "SurrealDB " + m.Version
}

// Generation returns the storage and the row format, such as rocksdb-3.0: 3.1 and 3.2 write the same format, and each
// minor version from 3.3 on may migrate the data that it opens.
func (m Made) Generation() string {
	format := generation(m.Version)
	return fmt.Sprintf("%s-%d.%d", m.Storage, format[0], format[1])
}

// numbers returns the three numbers of a version such as v3.1.0-beta; missing ones are 0.
func numbers(version string) (all [3]int) {
	_, _ = fmt.Sscanf(strings.TrimPrefix(version, "v"), "%d.%d.%d", &all[0], &all[1], &all[2])
	return all
}

func generation(version string) [2]int {
	all := numbers(version)
	if all[0] == 3 && all[1] == 2 {
		all[1] = 1
	}
	return [2]int(all[:2])
}

// isOlder reports whether the engine is older than the other one, and so cannot read its
// data.
func (m Made) isOlder(other Made) bool {
	mine, others := generation(m.Version), generation(other.Version)
	return slices.Compare(mine[:], others[:]) < 0
}

// ReadMade returns the engine that the data directory belongs to, and false if it is empty.
func ReadMade(data string) (Made, bool, error) {
	var made Made
	content, err := os.ReadFile(data + madeSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		empty, err := IsEmpty(data)
		if err == nil && !empty {
			err = fmt.Errorf("%s is missing, which names the engine that the data belongs to: copy it from where the data was, or restore a backup with: memory restore", data+madeSuffix)
		}
		return made, false, err
	}
	if err == nil {
		err = json.Unmarshal(content, &made)
	}
	if err != nil {
		return made, false, fmt.Errorf("reading which engine the data in %s belongs to: %w", data, err)
	}
	return made, true, nil
}

// WriteMade records the engine that a data directory belongs to.
func WriteMade(data string, made Made) error {
	content, err := json.Marshal(made)
	if err == nil {
		err = atomicfile.Write(data+madeSuffix, 0o600, content)
	}
	if err != nil {
		return fmt.Errorf("noting which engine the data in %s belongs to: %w", data, err)
	}
	return nil
}

// ForgetMade deletes that record, so that the next engine starts with a new store: after
// ErrGone the data cannot be recovered.
func ForgetMade(data string) error {
	if err := os.Remove(data + madeSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forgetting which engine the data in %s belonged to: %w", data, err)
	}
	return nil
}

// IsEmpty reports whether a directory has no files of an engine, or is missing.
func IsEmpty(data string) (bool, error) {
	entries, err := os.ReadDir(data)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading the data directory: %w", err)
	}
	return len(entries) == 0, nil
}

// MoveError: the data belongs to an engine that is not available, but a newer one is. The newer one may only open a
// copy, never the data itself: package backup moves the rows.
type MoveError struct {
	From Made
	To   Choice
}

func (e *MoveError) Error() string {
	return fmt.Sprintf("the store was made by %s, which is not here any more; %s has to take it over", e.From, e.To)
}

// OlderError: the data belongs to an engine that is newer than the available ones.
type OlderError struct {
	Data string
	From Made
	Have Made
}

func (e *OlderError) Error() string {
	where := ""
	if e.From.Program != "" {
		where = " (it was " + e.From.Program + ")"
	}
	return fmt.Sprintf("the store in %s was written by %s, and %s cannot read that: put surreal %s or newer back on the PATH%s, or rebuild it for %s with: memory backup rebuild",
		e.Data, e.From, e.Have, e.From.Version, where, e.Have)
}
