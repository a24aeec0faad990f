package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver named sqlite

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// file is an open database.
type file struct {
	DB     *sql.DB
	copied string // the directory of the copy that is read; empty for none
}

// errNoFile: a path leads to something other than a file.
var errNoFile = fmt.Errorf("it is no file: %w", memory.ErrInvalid)

// openFile opens a database for reading. The error is memory.ErrNotFound if there is none, or errNoFile.
func openFile(path string) (*file, error) {
	f := &file{}
	opened, err := f.settle(path)
	if err != nil {
		return nil, err
	}
	// Nobody else writes to the opened file, so that no lock and no log is needed.
	source := url.URL{Scheme: "file", OmitHost: true, Path: opened, RawQuery: "mode=ro&immutable=1&_pragma=query_only(1)"}
	if f.copied != "" {
		source.RawQuery = "_pragma=query_only(1)"
	}
	if f.DB, err = sql.Open("sqlite", source.String()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	f.DB.SetMaxOpenConns(1)
	return f, nil
}

// row has the values of a row as texts, by the names of the columns. NULL is "".
type row map[string]string

// First is the first of some columns' values that is not empty: columns are renamed and added from version to version.
func (r row) First(columns ...string) string {
	for _, column := range columns {
		if r[column] != "" {
			return r[column]
		}
	}
	return ""
}

// Rows are all rows that a query finds.
func (f *file) Rows(ctx context.Context, query string, args ...any) ([]row, error) {
	found, err := f.DB.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = found.Close() }()
	columns, err := found.Columns()
	if err != nil {
		return nil, err
	}
	values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	var all []row
	for found.Next() {
		if err := found.Scan(into...); err != nil {
			return nil, err
		}
		row := make(row, len(columns))
		for i, column := range columns {
			row[column] = values[i].String
		}
		all = append(all, row)
	}
	return all, found.Err()
}

// Close ends the reading and removes the copy, if there was one.
func (f *file) Close() error {
	var errs []error
	if f.DB != nil {
		errs = append(errs, f.DB.Close())
	}
	if f.copied != "" {
		errs = append(errs, os.RemoveAll(f.copied))
	}
	return errors.Join(errs...)
}

// The logs that may lie beside a database; their contents belong to it.
var logSuffixes = []string{"-wal", "-journal"}

// settle returns the file to open: the database itself, or a copy if it has a
// log or is in use, because reading that would write an index beside it.
func (f *file) settle(file string) (string, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(file); err == nil { // the logs lie beside the database, and not beside a link to it
		file = real
	}
	info, err := os.Stat(file)
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("there is no such file: %w", memory.ErrNotFound)
	}
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errNoFile
	}
	if !hasLog(file) {
		return file, nil
	}
	if f.copied, err = os.MkdirTemp("", "memory-import-"); err != nil {
		return "", err
	}
	opened := filepath.Join(f.copied, "copy.db")
	if err := copyUnchanged(file, opened); err != nil {
		return "", errors.Join(err, os.RemoveAll(f.copied))
	}
	return opened, nil
}

func hasLog(file string) bool {
	for _, suffix := range logSuffixes {
		if _, err := os.Stat(file + suffix); err == nil {
			return true
		}
	}
	return false
}

// copyTries is how often a database that is written to meanwhile is copied again.
const copyTries = 5

// copyUnchanged copies a database with its logs, all of the same moment.
func copyUnchanged(from, to string) error {
	for range copyTries {
		before := stamp(from)
		for _, suffix := range append([]string{""}, logSuffixes...) {
			err := copyFile(from+suffix, to+suffix)
			if errors.Is(err, os.ErrNotExist) && suffix != "" {
				err = os.RemoveAll(to + suffix)
			}
			if err != nil {
				return err
			}
		}
		if stamp(from) == before {
			return nil
		}
	}
	return errors.New("it is being written to all the time: end the sessions that use it and try again")
}

// stamp identifies a state of a database and its logs.
func stamp(file string) string {
	text := ""
	for _, suffix := range append([]string{""}, logSuffixes...) {
		if info, err := os.Stat(file + suffix); err == nil {
			text += fmt.Sprint(suffix, info.Size(), info.ModTime().UnixNano(), ";")
		}
	}
	return text
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
