// Package launcher writes the programs that are called from outside of the client: by its user, by the status line, by the
// system, by Codex, and by other agents. Their paths and arguments stay the same when the plugin is updated and its directory with
// it: a link or a setting that named the directory would lead nowhere, and a client that asks its user to trust a command
// would ask again for every other text.
package launcher

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// programs are those that people, the system and other agents call.
var programs = []string{"memory", "memory-mcp", "memoryd"}

// script runs a program of the plugin. If the client has deleted the plugin's directory after an update, before a daemon of
// the new version has run, the newest of the versions beside it serves. A plugin that is gone is an error for the user
// and for who starts the MCP server: a client would show one for each of its events.
const script = `#!/bin/sh
# Runs a program of surrealdb-memory, whatever its version. The daemon keeps the plugin's directory in this file up to date.
export MEMORY_HOME=%s
r=%s
%s
if [ ! -d "$r/hooks" ] && [ "$(basename "${r%%/*}")" = surrealdb-memory ]; then
	for other in "${r%%/*}"/*/hooks/run.sh; do
		if [ -f "$other" ] && { [ ! -d "$r/hooks" ] || [ "$other" -nt "$r/hooks/run.sh" ]; }; then r=${other%%/hooks/run.sh}; fi
	done
fi
if [ -x "$r/libexec/$hook" ]; then exec "$r/libexec/$hook" "$@"; fi
if [ -x "$r/libexec/hook" ]; then exec "$r/libexec/hook" "$hook" "$@"; fi
[ ! -f "$r/hooks/run.sh" ] || . "$r/hooks/run.sh"
case $hook in memory | memory-mcp) echo "$hook: the plugin is not in $r any more: start Claude Code once, or install it again with npx surrealdb-memory" >&2; exit 1 ;; esac
exit 0
`

// byArgument has the script run the program that its first argument names.
const byArgument = "hook=$1\nshift"

// Install writes the programs that people, the system and other agents call into layout.Bin, for the plugin in a directory. Those that
// are there already stay as they are.
func Install(layout paths.Layout, plugin string) error {
	for _, program := range programs {
		if err := write(filepath.Join(layout.Bin(), program), content(layout, plugin, "hook="+program)); err != nil {
			return fmt.Errorf("write the program %s that leads to the plugin: %w", program, err)
		}
	}
	return nil
}

// Write writes the launcher of Codex, for the plugin in a directory.
func Write(layout paths.Layout, plugin string) error {
	if err := write(layout.Launcher(), content(layout, plugin, byArgument)); err != nil {
		return fmt.Errorf("write the program that Codex calls: %w", err)
	}
	return nil
}

// Refresh has all launchers lead to the plugin in a directory; that of Codex only if there is one.
func Refresh(layout paths.Layout, plugin string) error {
	errInstall := Install(layout, plugin)
	if _, err := os.Stat(layout.Launcher()); errors.Is(err, fs.ErrNotExist) {
		return errInstall
	}
	return errors.Join(errInstall, Write(layout, plugin))
}

func write(file string, text []byte) error {
	if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(file, 0o700, text)
}

func content(layout paths.Layout, plugin, program string) []byte {
	return fmt.Appendf(nil, script, Quote(layout.Home), Quote(plugin), program)
}

// Quote makes one word of a text for a POSIX shell.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Word is one word for a POSIX shell, quoted only if it has to be. A ~ at the beginning of a path keeps its meaning.
func Word(text string) string {
	if rest, is := strings.CutPrefix(text, "~/"); is {
		return "~/" + Word(rest)
	}
	if text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./@%+,") == "" {
		return text
	}
	return Quote(text)
}
