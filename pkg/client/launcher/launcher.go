// Package launcher writes the one program that other clients are configured to call. Its path and its
// arguments stay the same when the plugin is updated and its directory with it: a client that asks
// its user to trust a command would ask again for every other text.
package launcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// script runs the program that its first argument names. A plugin that is gone is no error: the
// client would show one for each of its events.
const script = `#!/bin/sh
# Runs a program of surrealdb-memory for another client than Claude Code. "memory setup clients connect" wrote
# this file, and the agent keeps the plugin's directory in it up to date.
export MEMORY_HOME=%s
r=%s
hook=$1
shift
if [ -x "$r/libexec/$hook" ]; then exec "$r/libexec/$hook" "$@"; fi
if [ -x "$r/libexec/hook" ]; then exec "$r/libexec/hook" "$hook" "$@"; fi
[ ! -f "$r/hooks/run.sh" ] || . "$r/hooks/run.sh"
exit 0
`

// Write writes the launcher for the plugin in a directory.
func Write(layout paths.Layout, plugin string) error {
	file := layout.Launcher()
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil {
		err = atomicfile.Write(file, 0o700, content(layout, plugin))
	}
	if err != nil {
		return fmt.Errorf("write the program that clients call: %w", err)
	}
	return nil
}

// Refresh has the launcher lead to the plugin in a directory, if there is a launcher.
func Refresh(layout paths.Layout, plugin string) error {
	old, err := os.ReadFile(layout.Launcher())
	if errors.Is(err, fs.ErrNotExist) || err == nil && string(old) == string(content(layout, plugin)) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the program that clients call: %w", err)
	}
	return Write(layout, plugin)
}

func content(layout paths.Layout, plugin string) []byte {
	return fmt.Appendf(nil, script, Quote(layout.Home), Quote(plugin))
}

// Quote makes one word of a text for a POSIX shell.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
