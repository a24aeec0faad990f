package backup

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
)

// Rewrite changes the rows of a backup for good: change returns the new form of a row, and
// whether it differs. It returns the number of changed rows. Without apply it only counts.
// The file is replaced as a whole, once the new one is on the disk; a damaged file stays
// unchanged. Errors: those of Check and change.
func Rewrite(path string, apply bool, change func(table string, row []byte) ([]byte, bool, error)) (changed int, err error) {
	changes := func(use func(table string, row []byte) error) func(string, []byte) error {
		return func(table string, row []byte) error {
			row, differs, err := change(table, row)
			if err != nil {
				return fmt.Errorf("a row of %s: %w", table, err)
			}
			if differs {
				changed++
			}
			return use(table, row)
		}
	}
	err = read(path, func(Header) error { return nil }, changes(func(string, []byte) error { return nil }))
	if err != nil || changed == 0 || !apply {
		return changed, err
	}
	changed = 0
	err = atomicfile.Fill(path, 0o600, func(w io.Writer) error {
		return compress(w, func(lines *json.Encoder) error {
			all := &writer{lines: lines, counts: map[string]int{}}
			err := read(path, func(h Header) error { all.header = &h; return lines.Encode(h) }, changes(all.Row))
			if err != nil {
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
