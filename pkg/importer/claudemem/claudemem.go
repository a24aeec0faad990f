// Package claudemem reads the SQLite database of claude-mem and makes events of its
// sessions, prompts, observations and summaries. It asks each table for its columns, so
// that databases of all versions since the first with observations can be read. It never
// writes to the database or its folder: a database with a write-ahead log is read from a
// copy.
package claudemem

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

// Database is an open database of claude-mem.
type Database struct {
	db     *sql.DB
	copied string // the directory of the copy that is read; empty for none
	tables map[string]map[string]bool
}

// ErrNotClaudeMem says that a file is no database of claude-mem that can be read.
var ErrNotClaudeMem = fmt.Errorf("no database of claude-mem: %w", memory.ErrInvalid)

// Open opens a database for reading. The error is ErrNotClaudeMem for a file of
// another kind.
func Open(ctx context.Context, file string) (*Database, error) {
	d := &Database{}
	opened, err := d.settle(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	// Nobody else writes to the opened file, so that no lock and no log is needed.
	source := url.URL{Scheme: "file", OmitHost: true, Path: opened, RawQuery: "mode=ro&immutable=1&_pragma=query_only(1)"}
	if d.copied != "" {
		source.RawQuery = "_pragma=query_only(1)"
	}
	if d.db, err = sql.Open("sqlite", source.String()); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", file, err), d.Close())
	}
	d.db.SetMaxOpenConns(1)
	if err := d.describe(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", file, err), d.Close())
	}
	return d, nil
}

// Close ends the reading and removes the copy, if there was one.
func (d *Database) Close() error {
	var errs []error
	if d.db != nil {
		errs = append(errs, d.db.Close())
	}
	if d.copied != "" {
		errs = append(errs, os.RemoveAll(d.copied))
	}
	return errors.Join(errs...)
}

// The logs that may lie beside a database; their contents belong to it.
var logSuffixes = []string{"-wal", "-journal"}

// settle returns the file to open: the database itself, or a copy if it has a
// log or is in use, because reading that would write an index beside it.
func (d *Database) settle(file string) (string, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(file)
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("there is no such file; name the database of claude-mem: %w", memory.ErrNotFound)
	}
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("it is no file: %w", ErrNotClaudeMem)
	}
	if !hasLog(file) {
		return file, nil
	}
	if d.copied, err = os.MkdirTemp("", "claude-mem-"); err != nil {
		return "", err
	}
	opened := filepath.Join(d.copied, "copy.db")
	if err := copyUnchanged(file, opened); err != nil {
		return "", errors.Join(err, os.RemoveAll(d.copied))
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
	return errors.New("it is being written to all the time: end the sessions that use claude-mem and try again")
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

// The tables that are read, and those without which there is nothing to read.
var (
	tables   = []string{"sdk_sessions", "observations", "session_summaries", "user_prompts"}
	required = tables[:2]
)

// describe reads which columns the tables have.
func (d *Database) describe(ctx context.Context) error {
	d.tables = map[string]map[string]bool{}
	for _, table := range tables {
		columns, err := d.columns(ctx, table)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrNotClaudeMem, err)
		}
		d.tables[table] = columns
	}
	for _, table := range required {
		if len(d.tables[table]) == 0 {
			return fmt.Errorf("%w: it has no table %s; databases from before claude-mem's version 4 have none: "+
				"start claude-mem once, it brings its database up to date", ErrNotClaudeMem, table)
		}
	}
	return nil
}

func (d *Database) columns(ctx context.Context, table string) (map[string]bool, error) {
	rows, err := d.db.QueryContext(ctx, "SELECT name FROM pragma_table_info(?)", table)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	columns := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		columns[name] = true
	}
	return columns, rows.Err()
}

// column is the first of the names that a table has, or NULL: columns were
// renamed and added from version to version.
func (d *Database) column(table string, names ...string) string {
	for _, name := range names {
		if d.tables[table][name] {
			return name
		}
	}
	return "NULL"
}

// The names that the ids of a session had: the client's own, and the one of the
// agent that observed it.
var (
	contentIDs = []string{"content_session_id", "claude_session_id"}
	memoryIDs  = []string{"memory_session_id", "sdk_session_id"}
)

// Counts says how much there is.
type Counts struct {
	Sessions     int `json:"sessions"`
	Observations int `json:"observations"`
	Summaries    int `json:"summaries"`
	Prompts      int `json:"prompts"`
}

// Rows is how many rows Sessions goes through.
func (c Counts) Rows() int { return c.Sessions + c.Observations + c.Summaries + c.Prompts }

// Counts counts the rows of the tables that are read.
func (d *Database) Counts(ctx context.Context) (Counts, error) {
	var c Counts
	for table, n := range map[string]*int{
		"sdk_sessions": &c.Sessions, "observations": &c.Observations, "session_summaries": &c.Summaries, "user_prompts": &c.Prompts,
	} {
		if len(d.tables[table]) == 0 {
			continue
		}
		if err := d.db.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(n); err != nil {
			return c, fmt.Errorf("count %s: %w", table, err)
		}
	}
	return c, nil
}

// Project is a project under claude-mem's name for it: mostly the last element of a
// directory.
type Project struct {
	Name string
	// Sessions are the client's ids of its sessions, the newest first, some of
	// them.
	Sessions []string
}

// sessionsOfProject is how many sessions are used to find a project's directory.
const sessionsOfProject = 50

// Projects lists the projects.
func (d *Database) Projects(ctx context.Context) ([]Project, error) {
	ofSession := d.projectOfSession()
	names, err := d.texts(ctx, "SELECT "+ofSession+" FROM sdk_sessions UNION SELECT "+d.projectOf("observations")+" FROM observations")
	if err != nil {
		return nil, fmt.Errorf("list the projects: %w", err)
	}
	var projects []Project
	for _, name := range names {
		sessions, err := d.texts(ctx, "SELECT "+d.column("sdk_sessions", contentIDs...)+
			" FROM sdk_sessions WHERE "+ofSession+" = ? ORDER BY started_at_epoch DESC LIMIT ?", name, sessionsOfProject)
		if err != nil {
			return nil, fmt.Errorf("list the sessions of %s: %w", name, err)
		}
		projects = append(projects, Project{name, sessions})
	}
	return projects, nil
}

// projectOf is the project of a row: claude-mem merges that of a worktree into
// its repository's.
func (d *Database) projectOf(table string) string {
	return "coalesce(nullif(" + d.column(table, "merged_into_project") + ", ''), project)"
}

func (d *Database) texts(ctx context.Context, query string, args ...any) ([]string, error) {
	rows, err := d.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var all []string
	for rows.Next() {
		var text sql.NullString
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		if text.String != "" {
			all = append(all, text.String)
		}
	}
	return all, rows.Err()
}

// projectOfSession is the project of a session's row, or the one into which its
// observations have been merged.
func (d *Database) projectOfSession() string {
	merged, id := d.column("observations", "merged_into_project"), d.column("observations", memoryIDs...)
	if merged == "NULL" || id == "NULL" {
		return "project"
	}
	return fmt.Sprintf("coalesce((SELECT %[1]s FROM observations WHERE observations.%[2]s = sdk_sessions.%[3]s AND %[1]s != '' LIMIT 1), project)",
		merged, id, d.column("sdk_sessions", memoryIDs...))
}
