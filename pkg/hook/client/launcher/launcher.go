// Package launcher writes scripts that start the plugin's programs for callers outside Claude Code: users, the system, Codex
// and other agents. Their paths and arguments stay the same over updates, although each version of the plugin has a
// directory of its own. So links keep working, and a user who has trusted a command is not asked again.
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
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// programs lists the programs that get a script.
var programs = []string{"memory", "memory-mcp", "memoryd"}

// script runs a program of the plugin. If the client has deleted the plugin's directory after an update, and no daemon
// of the new version has rewritten the script yet, the script uses the newest version beside it. If the plugin is gone,
// only memory and memory-mcp fail: a failing hook would show an error for each event.
const script = `#!/bin/sh
%s
# Runs a program of surrealdb-memory, whatever its version. The daemon keeps the plugin's directory in this file up to date.
export MEMORY_HOME=%s
r=%s
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

// byArgument makes the script take the program's name from its first argument and, as it is for hooks, never fail.
const byArgument = "trap 'exit 0' 0\nhook=$1\nshift"

// Install writes a script for each program into layout.Bin, for the plugin in a directory. A script that is right already stays.
func Install(layout paths.Layout, plugin string) error {
	for _, program := range programs {
		if err := write(filepath.Join(layout.Bin(), program), content(layout, plugin, "hook="+program)); err != nil {
			return fmt.Errorf("write the launcher of %s: %w", program, err)
		}
	}
	return nil
}

// Write writes the script that Codex calls, for the plugin in a directory.
func Write(layout paths.Layout, plugin string) error {
	if err := write(layout.Launcher(), content(layout, plugin, byArgument)); err != nil {
		return fmt.Errorf("write the launcher for Codex: %w", err)
	}
	return nil
}

// Refresh rewrites all scripts for the plugin in a directory; the script for Codex only if it exists.
func Refresh(layout paths.Layout, plugin string) error {
	errInstall := Install(layout, plugin)
	if _, err := os.Stat(layout.Launcher()); errors.Is(err, fs.ErrNotExist) {
		return errInstall
	}
	return errors.Join(errInstall, Write(layout, plugin))
}

func write(file string, text []byte) error {
	info, err := os.Stat(file)
	if old, errRead := os.ReadFile(file); errors.Join(err, errRead) == nil && bytes.Equal(old, text) && info.Mode()&0o100 != 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(file, 0o700, text)
}

func content(layout paths.Layout, plugin, program string) []byte {
	return fmt.Appendf(nil, script, program, shell.Quote(layout.Home), shell.Quote(plugin))
}

// LinkDirs returns the directories for the link to memory, in order of preference; none without HOME.
func LinkDirs(getenv func(string) string) []string {
	home := getenv("HOME")
	if home == "" {
		return nil
	}
	return []string{filepath.Join(home, ".local", "bin"), filepath.Join(home, "bin")}
}

// IsLink reports whether link is a link to program, here or in another version of the plugin. The target may be missing.
func IsLink(link, program string) bool {
	target, err := os.Readlink(link)
	if err != nil {
		return false
	}
	ours := filepath.Join("bin", filepath.Base(program))
	return target == program ||
		strings.HasSuffix(target, string(filepath.Separator)+ours) && strings.Contains(target, "surrealdb-memory")
}
