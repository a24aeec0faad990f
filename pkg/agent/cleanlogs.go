package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/redact"
)

// maxPart is how much of a log is looked through at once, in bytes: whole lines.
const maxPart = 64 << 10

// rewriteLogs scans the logs in a folder, rotated ones included.
func rewriteLogs(ctx context.Context, dir string, apply bool, c *cleaner, result *agentapi.RescanResult) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("list the logs: %w", err)
	}
	for _, entry := range entries {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !entry.Type().IsRegular() {
			continue
		}
		file := filepath.Join(dir, entry.Name())
		places, err := rewriteLog(file, apply, c)
		if err != nil { // reported, and the others are rewritten
			result.Failed = append(result.Failed, c.clean(err.Error()))
		}
		if places > 0 {
			result.Logs = append(result.Logs, agentapi.RescannedLog{File: file, Places: places})
		}
	}
	return nil
}

// rewriteLog counts the places of a log that hold secrets, and with apply replaces them.
// Programs have the file open and append to it, so it stays the same file, and later
// lines stay in it.
func rewriteLog(file string, apply bool, c *cleaner) (places int, err error) {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return 0, fmt.Errorf("look through the log: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var clean bytes.Buffer
	read := int64(0)
	for range 2 { // the second time takes the lines added while the first was at work
		text, err := io.ReadAll(io.NewSectionReader(f, read, 1<<62))
		if err != nil {
			return places, fmt.Errorf("read the log %s: %w", file, err)
		}
		read += int64(len(text))
		places += cleanParts(&clean, text, c)
	}
	if !apply || places == 0 {
		return places, nil
	}
	late, err := io.ReadAll(io.NewSectionReader(f, read, 1<<62))
	if err != nil {
		return places, fmt.Errorf("read the log %s: %w", file, err)
	}
	clean.Write(late)
	if _, err := f.WriteAt(clean.Bytes(), 0); err != nil {
		return places, fmt.Errorf("write the log %s: %w", file, err)
	}
	if err := f.Truncate(int64(clean.Len())); err != nil {
		return places, fmt.Errorf("shorten the log %s: %w", file, err)
	}
	return places, nil
}

// cleanParts writes a text without secrets, and counts their places.
func cleanParts(to *bytes.Buffer, text []byte, c *cleaner) (places int) {
	for len(text) > 0 {
		end := min(maxPart, len(text))
		if line := bytes.LastIndexByte(text[:end], '\n'); end < len(text) && line >= 0 {
			end = line + 1
		}
		part := string(text[:end])
		text = text[end:]
		cleaned, report := redact.Text(part)
		to.WriteString(cleaned)
		for _, found := range report.Found {
			places += found.Count
			c.kinds[found.Kind] += found.Count
		}
	}
	return places
}
