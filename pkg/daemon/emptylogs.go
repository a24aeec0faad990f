package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
)

// emptyLogs truncates each log in a folder, rotated ones included, from which c would remove something, or that names a session
// that goes. Without apply it only counts. It does not replace the files, because running programs append to them.
func emptyLogs(ctx context.Context, dir string, apply bool, c *cleaner, sweep memory.Sweep, result *daemonapi.ScrubResult) error {
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
		places, err := secretsIn(file, c, sweep)
		if err == nil && places > 0 && apply {
			err = os.Truncate(file, 0)
		}
		if err != nil { // the error is in result; the other logs are still searched
			result.Failed = append(result.Failed, c.clean(err.Error()))
		}
		if places > 0 {
			result.Logs = append(result.Logs, daemonapi.ScrubbedLog{File: file, Places: places})
		}
	}
	return nil
}

// secretsIn counts the lines of a log from which the cleaner would remove something, and its words that name a session which goes.
func secretsIn(file string, c *cleaner, sweep memory.Sweep) (places int, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, fmt.Errorf("look through the log: %w", err)
	}
	quiet := c.quiet
	c.quiet = false
	for line := range strings.Lines(string(text)) {
		before := c.changed
		_ = c.clean(line)
		places += c.changed - before
		for word := range strings.FieldsFuncSeq(line, endsID) {
			if c.changed == before && sweep.Has(word) {
				places++
			}
		}
	}
	c.quiet = quiet
	return places, nil
}

// endsID reports whether a sign ends the id of a session in a log.
func endsID(r rune) bool { return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// cleaner removes secrets, or purged words, from texts and counts what it removes.
type cleaner struct {
	remove  func(string) (string, redact.Report)
	kinds   map[string]int
	changed int  // number of texts changed
	quiet   bool // whether only texts are counted, not kinds
}

func (c *cleaner) clean(text string) string {
	cleaned, report := c.remove(text)
	if cleaned == text {
		return text
	}
	c.changed++
	if !c.quiet {
		for _, f := range report.Found {
			c.kinds[f.Kind] += f.Count
		}
	}
	return cleaned
}
