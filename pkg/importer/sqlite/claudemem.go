package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// ClaudeMem is an open database of claude-mem, of whose sessions, prompts, observations and summaries
// events are made. Each table is asked for its columns, so that databases of all versions since the
// first with observations can be read.
type ClaudeMem struct {
	file   *file
	tables map[string]map[string]bool
}

// ErrNotClaudeMem: a file is no readable database of claude-mem.
var ErrNotClaudeMem = fmt.Errorf("no database of claude-mem: %w", memory.ErrInvalid)

// OpenClaudeMem opens a database for reading. The error is ErrNotClaudeMem for a file of
// another kind.
func OpenClaudeMem(ctx context.Context, file string) (*ClaudeMem, error) {
	d := &ClaudeMem{}
	var err error
	if d.file, err = openFile(file); errors.Is(err, errNoFile) {
		err = fmt.Errorf("%w: %w", ErrNotClaudeMem, err)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w; name the database of claude-mem", file, err)
	}
	if err := d.describe(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", file, err), d.Close())
	}
	return d, nil
}

// Close closes the database.
func (d *ClaudeMem) Close() error { return d.file.Close() }

// The tables that are read, and the required ones.
var (
	tables   = []string{"sdk_sessions", "observations", "session_summaries", "user_prompts"}
	required = tables[:2]
)

// describe reads the columns of the tables.
func (d *ClaudeMem) describe(ctx context.Context) error {
	d.tables = map[string]map[string]bool{}
	for _, table := range tables {
		columns, err := d.file.Rows(ctx, "SELECT name FROM pragma_table_info(?)", table)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrNotClaudeMem, err)
		}
		d.tables[table] = map[string]bool{}
		for _, column := range columns {
			d.tables[table][column["name"]] = true
		}
	}
	for _, table := range required {
		if len(d.tables[table]) == 0 {
			return fmt.Errorf("%w: it has no table %s; databases from before claude-mem's version 4 have none: "+
				"start claude-mem once, it brings its database up to date", ErrNotClaudeMem, table)
		}
	}
	return nil
}

// column returns the first of the names that a table has, or NULL: columns were renamed and
// added in several versions.
func (d *ClaudeMem) column(table string, names ...string) string {
	for _, name := range names {
		if d.tables[table][name] {
			return name
		}
	}
	return "NULL"
}

// The names of a session's ids over time: the client's own, and that of the agent that observed
// it.
var (
	contentIDs = []string{"content_session_id", "claude_session_id"}
	memoryIDs  = []string{"memory_session_id", "sdk_session_id"}
)

// Counts has the numbers of rows.
type Counts struct {
	Sessions     int `json:"sessions"`
	Observations int `json:"observations"`
	Summaries    int `json:"summaries"`
	Prompts      int `json:"prompts"`
}

// Rows returns the number of rows that Sessions visits.
func (c Counts) Rows() int { return c.Sessions + c.Observations + c.Summaries + c.Prompts }

// Counts counts the rows of the tables.
func (d *ClaudeMem) Counts(ctx context.Context) (Counts, error) {
	var c Counts
	for table, n := range map[string]*int{
		"sdk_sessions": &c.Sessions, "observations": &c.Observations, "session_summaries": &c.Summaries, "user_prompts": &c.Prompts,
	} {
		if len(d.tables[table]) == 0 {
			continue
		}
		if err := d.file.DB.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(n); err != nil {
			return c, fmt.Errorf("count %s: %w", table, err)
		}
	}
	return c, nil
}

// Project is a project under claude-mem's name for it: usually the last element of a
// directory.
type Project struct {
	Name string
	// Sessions are the client's ids of some of its sessions, the newest first.
	Sessions []string
}

// sessionsOfProject is how many sessions are used to find a project's directory.
const sessionsOfProject = 50

// Projects lists the projects.
func (d *ClaudeMem) Projects(ctx context.Context) ([]Project, error) {
	ofSession := d.projectOfSession()
	names, err := d.texts(ctx, "SELECT "+ofSession+" AS text FROM sdk_sessions UNION SELECT coalesce(nullif("+
		d.column("observations", "merged_into_project")+", ''), project) FROM observations")
	if err != nil {
		return nil, fmt.Errorf("list the projects: %w", err)
	}
	var projects []Project
	for _, name := range names {
		sessions, err := d.texts(ctx, "SELECT "+d.column("sdk_sessions", contentIDs...)+
			" AS text FROM sdk_sessions WHERE "+ofSession+" = ? ORDER BY started_at_epoch DESC LIMIT ?", name, sessionsOfProject)
		if err != nil {
			return nil, fmt.Errorf("list the sessions of %s: %w", name, err)
		}
		projects = append(projects, Project{name, sessions})
	}
	return projects, nil
}

// texts returns the values of the column text in a query, without empty ones.
func (d *ClaudeMem) texts(ctx context.Context, query string, args ...any) ([]string, error) {
	rows, err := d.file.Rows(ctx, query, args...)
	var all []string
	for _, row := range rows {
		if text := row["text"]; text != "" {
			all = append(all, text)
		}
	}
	return all, err
}

// projectOfSession returns the project of a session's row, or the one that its observations
// were merged into.
func (d *ClaudeMem) projectOfSession() string {
	merged, id := d.column("observations", "merged_into_project"), d.column("observations", memoryIDs...)
	if merged == "NULL" || id == "NULL" {
		return "project"
	}
	return fmt.Sprintf("coalesce((SELECT %[1]s FROM observations WHERE observations.%[2]s = sdk_sessions.%[3]s AND %[1]s != '' LIMIT 1), project)",
		merged, id, d.column("sdk_sessions", memoryIDs...))
}
