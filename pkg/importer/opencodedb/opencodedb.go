// Package opencodedb reads the sessions in OpenCode's SQLite database as transcripts: lines of JSON,
// the first with the session, the others each with a part of a message.
package opencodedb

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"

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
	rows, err := d.file.Rows(ctx, "SELECT id, parent_id, directory FROM session ORDER BY time_created, id")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotOpenCode, err)
	}
	for _, row := range rows {
		h := head{row["id"], row["parent_id"], row["directory"]}
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
	rows, err := d.file.Rows(ctx, `SELECT part.id AS id, message.data AS message, part.time_created AS time, part.data AS data
		FROM part JOIN message ON message.id = part.message_id WHERE part.session_id = ? ORDER BY message.id, part.id`, h.Session)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotOpenCode, err)
	}
	for _, row := range rows {
		var said struct {
			Role string `json:"role"`
		}
		at, err := strconv.ParseInt(row["time"], 10, 64)
		if err != nil || json.Unmarshal([]byte(row["message"]), &said) != nil || !json.Valid([]byte(row["data"])) {
			text.WriteString("a part that is no JSON\n")
			continue
		}
		if err := lines.Encode(part{row["id"], said.Role, at, json.RawMessage(row["data"])}); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}
