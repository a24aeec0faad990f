package backup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
)

// Rewrite changes the rows of a backup for good: change returns the new form of a row,
// and whether it differs. It returns the number of changed rows. Without apply it only
// counts. The file is replaced as a whole, once the new one is on the disk; a damaged
// file stays as it is. Errors: those of Open and Next.
func Rewrite(path string, apply bool, change func(table string, row []byte) ([]byte, bool, error)) (int, error) {
	changed, err := each(path, change, func(string, []byte) error { return nil })
	if err != nil || changed == 0 || !apply {
		return changed, err
	}
	err = atomicfile.Fill(path, 0o600, func(w io.Writer) error { return copyChanged(path, w, change) })
	if err != nil {
		return 0, fmt.Errorf("rewrite the backup %s: %w", path, err)
	}
	return changed, nil
}

func copyChanged(path string, file io.Writer, change func(string, []byte) ([]byte, bool, error)) error {
	source, err := Open(path)
	if err != nil {
		return err
	}
	header := source.Header
	if err := source.Close(); err != nil {
		return err
	}
	return compress(file, func(lines *json.Encoder) error {
		if err := lines.Encode(header); err != nil {
			return err
		}
		counts := map[string]int{}
		_, err := each(path, change, func(table string, row []byte) error {
			counts[table]++
			return lines.Encode(rowLine{Table: table, Row: row})
		})
		if err != nil {
			return err
		}
		return lines.Encode(trailer{End: true, Tables: counts})
	})
}

// each passes on every row as changed, and counts those that differ.
func each(path string, change func(string, []byte) ([]byte, bool, error), use func(string, []byte) error) (changed int, err error) {
	r, err := Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		table, row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return changed, nil
		}
		if err != nil {
			return changed, fmt.Errorf("read the backup %s: %w", path, err)
		}
		row, differs, err := change(table, row)
		if err != nil {
			return changed, fmt.Errorf("read the backup %s: a row of %s: %w", path, table, err)
		}
		if differs {
			changed++
		}
		if err := use(table, row); err != nil {
			return changed, err
		}
	}
}
