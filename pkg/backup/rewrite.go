package backup

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Rewrite changes the rows of a backup for good: change returns what is to stand
// in the place of a row, and whether it differs. It returns how many did. Without
// apply it only counts. The file is replaced as a whole, once the new one is on
// the disk; one that is damaged stays as it is. Errors are those of Open and Next.
func Rewrite(path string, apply bool, change func(table string, row []byte) ([]byte, bool, error)) (int, error) {
	changed, err := each(path, change, func(string, []byte) error { return nil })
	if err != nil || changed == 0 || !apply {
		return changed, err
	}
	file, err := os.CreateTemp(filepath.Dir(path), tmpPattern)
	if err != nil {
		return 0, fmt.Errorf("rewrite the backup: %w", err)
	}
	err = copyChanged(path, file, change)
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return 0, fmt.Errorf("rewrite the backup %s: %w", path, errors.Join(err, os.Remove(file.Name())))
	}
	return changed, syncDir(filepath.Dir(path))
}

func copyChanged(path string, file *os.File, change func(string, []byte) ([]byte, bool, error)) error {
	buffered := bufio.NewWriterSize(file, 256<<10)
	zipped := gzip.NewWriter(buffered)
	lines, counts := json.NewEncoder(zipped), map[string]int{}
	source, err := Open(path)
	if err == nil {
		err = errors.Join(lines.Encode(source.Header), source.Close())
	}
	if err == nil {
		_, err = each(path, change, func(table string, row []byte) error {
			counts[table]++
			return lines.Encode(rowLine{Table: table, Row: row})
		})
	}
	if err == nil {
		err = lines.Encode(trailer{End: true, Tables: counts})
	}
	return errors.Join(err, zipped.Close(), buffered.Flush(), file.Sync(), file.Close())
}

// each hands every row over as it is to be, and counts those that differ.
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
