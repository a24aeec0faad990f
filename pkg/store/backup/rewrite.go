package backup

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// Rewrite changes the rows of a backup: change returns the new form of a row, or nil to delete it, and whether it
// differs. Rewrite returns the number of changed rows. Without apply it only counts. It replaces the whole file when
// the new one is on disk; a damaged file stays unchanged. It fails like Check, or with the error of change.
func Rewrite(path string, apply bool, change func(table string, row []byte) ([]byte, bool, error)) (changed int, err error) {
	left := map[string]int{}
	changes := func(use func(table string, row []byte) error) func(string, []byte) error {
		changed, left = 0, map[string]int{}
		return func(table string, row []byte) error {
			row, differs, err := change(table, row)
			if err != nil {
				return fmt.Errorf("a row of %s: %w", table, err)
			}
			if differs {
				changed++
			}
			if row == nil {
				return nil
			}
			left[table]++
			return use(table, row)
		}
	}
	count := func() error {
		return read(path, func(Header) error { return nil }, changes(func(string, []byte) error { return nil }))
	}
	if err := count(); err != nil || changed == 0 || !apply {
		return changed, err
	}
	if err := count(); err != nil { // a row may have to be deleted because of a later row
		return changed, err
	}
	held := left
	err = atomicfile.Fill(path, 0o600, func(w io.Writer) error {
		return compress(w, func(lines *json.Encoder) error {
			all := &writer{lines: lines, counts: map[string]int{}}
			begin := func(h Header) error {
				h.Tables = slices.Clone(h.Tables)
				for i := range h.Tables {
					h.Tables[i].Rows = held[h.Tables[i].Name]
				}
				all.header = &h
				return lines.Encode(h)
			}
			if err := read(path, begin, changes(all.Row)); err != nil {
				return err
			}
			return all.end()
		})
	})
	if err != nil {
		return 0, fmt.Errorf("rewrite the backup %s: %w", path, err)
	}
	return changed, nil
}
