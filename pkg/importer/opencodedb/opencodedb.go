// Package opencodedb reads the sessions in OpenCode's SQLite database as transcripts: lines of JSON,
// the first with the session, the others each with a part of a message.
package opencodedb

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer/sqlitefile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// Database is OpenCode's, open for reading.
type Database struct {
	file *sqlitefile.File
	path string
}

// ErrNotOpenCode says that a database has another form than OpenCode 1.18's.
var ErrNotOpenCode = fmt.Errorf("no database of OpenCode that is understood: %w", memory.ErrInvalid)

// Open opens the database in OpenCode's folder of data. The error is memory.ErrNotFound if there is none.
func Open(folder string) (*Database, error) {
	path := filepath.Join(folder, "opencode.db")
	file, err := sqlitefile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return &Database{file, path}, nil
}

// Close ends the reading.
func (d *Database) Close() error { return d.file.Close() }

// Transcripts are those of all sessions, the oldest first.
func (d *Database) Transcripts(ctx context.Context) (all []importer.Transcript, err error) {
	rows, err := d.file.DB.QueryContext(ctx, "SELECT id, coalesce(parent_id, ''), directory FROM session ORDER BY time_created, id")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotOpenCode, err)
	}
	defer func() { _ = rows.Close() }()
	var heads []head
	for rows.Next() {
		var h head
		if err := rows.Scan(&h.Session, &h.Parent, &h.Directory); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNotOpenCode, err)
		}
		heads = append(heads, h)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotOpenCode, err)
	}
	for _, h := range heads {
		one := importer.Transcript{File: d.path + "#" + h.Session, Lines: func() ([]byte, error) { return d.lines(ctx, h) }}
		if err := one.ReadHead(); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// head is the first line of a session.
type head struct {
	Session   string `json:"session"`
	Parent    string `json:"parent,omitempty"` // the session of whoever started this one
	Directory string `json:"directory"`
}

// part is a line with a part of a message.
type part struct {
	ID   string          `json:"id"`
	Role string          `json:"role"`
	Time int64           `json:"time"` // milliseconds
	Part json.RawMessage `json:"part"`
}

// lines are those of a session. What a column has that is no JSON becomes a line of its own, which counts as broken.
func (d *Database) lines(ctx context.Context, h head) ([]byte, error) {
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	if err := lines.Encode(h); err != nil {
		return nil, err
	}
	rows, err := d.file.DB.QueryContext(ctx, `SELECT part.id, message.data, part.time_created, part.data
		FROM part JOIN message ON message.id = part.message_id WHERE part.session_id = ? ORDER BY message.id, part.id`, h.Session)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotOpenCode, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var p part
		var message, data []byte
		if err := rows.Scan(&p.ID, &message, &p.Time, &data); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNotOpenCode, err)
		}
		var said struct {
			Role string `json:"role"`
		}
		if json.Unmarshal(message, &said) != nil || !json.Valid(data) {
			text.WriteString("a part that is no JSON\n")
			continue
		}
		p.Role, p.Part = said.Role, data
		if err := lines.Encode(p); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), rows.Err()
}
