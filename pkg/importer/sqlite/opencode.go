// Package sqlite reads the SQLite databases of claude-mem and OpenCode for the import, and alone links
// SQLite. It never writes to a database or its folder: one with a write-ahead log is read from a copy.
package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/importer"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// OpenCode is OpenCode's database, open for reading. Its sessions are transcripts: lines of JSON, the
// first with the session, the others each with a part of a message.
type OpenCode struct {
	file *file
	path string
}

// ErrNotOpenCode: a database has another form than OpenCode 1.18's.
var ErrNotOpenCode = fmt.Errorf("no database of OpenCode that is understood: %w", memory.ErrInvalid)

// OpenOpenCode opens the database in OpenCode's folder of data. The error is memory.ErrNotFound if there is none.
func OpenOpenCode(folder string) (*OpenCode, error) {
	path := filepath.Join(folder, "opencode.db")
	file, err := openFile(path)
	if old, _ := filepath.Glob(filepath.Join(folder, "storage", "session", "*", "ses_*.json")); errors.Is(err,
		memory.ErrNotFound) && len(old) > 0 {
		return nil, fmt.Errorf("there is no %s: an older OpenCode keeps %d sessions in files, and a newer one moves them into that database when it starts: %w", path, len(old), err)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return &OpenCode{file, path}, nil
}

// Close ends the reading.
func (d *OpenCode) Close() error { return d.file.Close() }

// Transcripts are those of all sessions, the oldest first.
func (d *OpenCode) Transcripts(ctx context.Context) (all []importer.Transcript, err error) {
	rows, err := d.file.Rows(ctx, "SELECT * FROM session ORDER BY time_created, id")
	if err != nil {
		if left, leftErr := d.LeftOut(ctx); leftErr == nil && len(left) > 0 {
			return nil, nil
		}
		return nil, fmt.Errorf("%w: %w", ErrNotOpenCode, err)
	}
	for _, row := range rows {
		h := head{Session: row["id"], Parent: row["parent_id"], Directory: row["directory"], revert: revertedFrom(row["revert"])}
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

	revert string // the message from which on the user reverted the session
}

// revertedFrom is the message in the column revert of a session; empty if there is none.
func revertedFrom(column string) string {
	var revert struct {
		Message string `json:"messageID"`
	}
	_ = json.Unmarshal([]byte(column), &revert) // as a rule it is NULL
	return revert.Message
}

// newer are the tables of OpenCode 2, with the column that names the session.
var newer = []struct{ table, session string }{{"session_v2", "id"}, {"session_message", "session_id"}}

// LeftOut lists the sessions of the database in unsupported tables.
func (d *OpenCode) LeftOut(ctx context.Context) ([]string, error) {
	tables, err := d.file.Rows(ctx, "SELECT name FROM sqlite_master WHERE type = 'table'")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotOpenCode, err)
	}
	has := map[string]bool{}
	for _, one := range tables {
		has[one["name"]] = true
	}
	sessions := map[string]bool{}
	for _, one := range newer {
		if !has[one.table] {
			continue
		}
		query := "SELECT DISTINCT " + one.session + " AS id FROM " + one.table
		if has["part"] { // those that have both are read
			query += " WHERE " + one.session + " NOT IN (SELECT session_id FROM part)"
		}
		rows, err := d.file.Rows(ctx, query)
		if err != nil {
			return []string{"the sessions in the table " + one.table + " of " + d.path + ", whose form is not known"}, nil
		}
		for _, row := range rows {
			sessions[row["id"]] = true
		}
	}
	switch len(sessions) {
	case 0:
		return nil, nil
	case 1:
		return []string{"1 session of OpenCode 2, whose tables are not read"}, nil
	}
	return []string{fmt.Sprintf("%d sessions of OpenCode 2, whose tables are not read", len(sessions))}, nil
}

// part is a line with a part of a message.
type part struct {
	ID   string `json:"id"`
	Role string `json:"role"`
	Time int64  `json:"time"` // milliseconds
	// Created is the time of the message, or of the call of a tool, which a copy keeps; 0 is unknown.
	Created int64           `json:"created,omitempty"`
	Part    json.RawMessage `json:"part"`
}

// times are in milliseconds.
type times struct{ Created, Start float64 }

// lines returns the lines of a session. A column with invalid JSON becomes a line that counts as broken.
func (d *OpenCode) lines(ctx context.Context, h head) ([]byte, error) {
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	if err := lines.Encode(h); err != nil {
		return nil, err
	}
	rows, err := d.file.Rows(ctx,
		`SELECT part.id AS id, message.id AS said, message.data AS message, part.time_created AS time, part.data AS data
		FROM part JOIN message ON message.id = part.message_id WHERE part.session_id = ? ORDER BY message.id, part.id`, h.Session)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotOpenCode, err)
	}
	for _, row := range rows {
		if h.revert != "" && row["said"] >= h.revert { // ids ascend
			continue
		}
		var said struct {
			Role string `json:"role"`
			Time times  `json:"time"`
		}
		at, err := strconv.ParseInt(row["time"], 10, 64)
		if err != nil || json.Unmarshal([]byte(row["message"]), &said) != nil || !json.Valid([]byte(row["data"])) {
			text.WriteString("a part that is no JSON\n")
			continue
		}
		var call struct {
			State struct {
				Time times `json:"time"`
			} `json:"state"`
		}
		_ = json.Unmarshal([]byte(row["data"]), &call) // other parts have none
		created := int64(cmp.Or(call.State.Time.Start, said.Time.Created))
		if err := lines.Encode(part{row["id"], said.Role, at, created, json.RawMessage(row["data"])}); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}
