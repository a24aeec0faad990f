package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/process"
)

// TestAPersonsCommandBeganAfterTheTurn, below clients that all wait for their user, or have asked him about "memory distill on": what a
// model left in the background is no person's, however long it waits, and neither is what it starts below a client of its own, what the
// client starts for a repository, or a command that the client has not asked about.
func TestAPersonsCommandBeganAfterTheTurn(t *testing.T) {
	mark := time.Now()
	at := func(seconds int, args ...string) process.Process {
		return process.Process{Args: args, Started: mark.Add(time.Duration(seconds) * time.Second)}
	}
	is := func(pid, seconds int, args ...string) process.Process {
		p := at(seconds, args...)
		p.PID = pid
		return p
	}
	env := map[string]string{"MEMORY_HOME": t.TempDir(), "CLAUDE_CONFIG_DIR": filepath.Join(t.TempDir(), "it's a folder")}
	getenv := func(name string) string { return env[name] }
	quoted := func(text string) string { return "'" + strings.ReplaceAll(text, "'", `'"'"'`) + "'" }
	snapshot := filepath.Join(env["CLAUDE_CONFIG_DIR"], "shell-snapshots", "snapshot-bash-1796047815043-5f2r9l.sh")
	musttest.Do(t, os.MkdirAll(filepath.Dir(snapshot), 0o700))
	musttest.Do(t, os.WriteFile(snapshot, nil, 0o600))
	shellOf := func(snapshot, command string) []string {
		return []string{"/bin/bash", "-c", "source " + quoted(snapshot) + ` 2>/dev/null || true && \builtin shopt -u extglob 2>/dev/null || true && ` +
			`{ \builtin unalias -- 'which'; \builtin unset -f -- 'which'; } >/dev/null 2>&1 || true && eval ` + quoted(command) + " < /dev/null && pwd -P >| /tmp/claude-5998-cwd"}
	}
	const distillOn = "memory distill on"
	ran := func(seconds int, command string) process.Process { return at(seconds, shellOf(snapshot, command)...) }
	shell := func(seconds int) process.Process { return ran(seconds, distillOn) }
	inWords := func(p process.Process) process.Process { // as ps shows it
		p.Args = strings.Fields(strings.Join(p.Args, " "))
		return p
	}
	layout := paths.FromEnv(getenv)
	const idle, asked, busy, working = 11, 12, 13, 14
	for marker, text := range map[string]string{
		layout.IdleMarker(idle): "", layout.AskedMarker(asked): client.Hash(distillOn), layout.IdleMarker(working): "", filepath.Join(layout.CallMarkers(working), "x"): "",
	} {
		musttest.Do(t, os.MkdirAll(filepath.Dir(marker), 0o700))
		musttest.Do(t, os.WriteFile(marker, []byte(text), 0o600))
		musttest.Do(t, os.Chtimes(marker, mark, mark))
	}
	waits, asks := is(idle, -900, "claude"), is(asked, -900, "claude")
	for name, c := range map[string]struct {
		ancestors []process.Process
		want      bool
	}{
		"behind the client's !":              {[]process.Process{shell(3), waits, at(-2000, "zsh")}, true},
		"behind it, as ps shows it":          {[]process.Process{inWords(shell(3)), waits}, true},
		"a command with quotes and lines":    {[]process.Process{ran(3, "memory remember \"it's\n  so\" 'and so'"), waits}, true},
		"after the client's dialog":          {[]process.Process{shell(3), asks, at(-2000, "zsh")}, true},
		"after it, as ps shows it":           {[]process.Process{inWords(ran(3, "memory  distill on")), asks}, true},
		"in a script of a person's":          {[]process.Process{at(5, "sh"), shell(4), waits}, true},
		"below a launcher":                   {[]process.Process{shell(4), waits, is(busy, -901, "node", "/usr/bin/claude"), at(-2000, "zsh")}, true},
		"begun before the turn ended":        {[]process.Process{shell(-20), waits}, false},
		"a new shell of an old script":       {[]process.Process{at(60, "sh"), shell(-20), waits}, false},
		"while an agent's call runs":         {[]process.Process{shell(3), is(working, -900, "claude")}, false},
		"during a turn":                      {[]process.Process{shell(3), is(busy, -900, "claude")}, false},
		"a client that the model started":    {[]process.Process{shell(3), waits, shell(2), is(busy, -900, "claude")}, false},
		"one that a person started with !":   {[]process.Process{shell(9), is(asked, 5, "claude"), ran(4, "claude"), waits}, true},
		"below a client of an older command": {[]process.Process{shell(9), is(asked, -5, "claude"), ran(-6, "claude"), waits}, false},
		"a client in its shell's place":      {[]process.Process{shell(9), is(idle, 5, "claude"), is(busy, -900, "claude")}, false},
		"below Codex":                        {[]process.Process{shell(9), waits, shell(4), is(idle, -900, "codex")}, false},
		"cut loose of its client":            {[]process.Process{at(60, "sh"), at(-9000, "systemd")}, false},
		"nobody's":                           {nil, false},

		"a repository's hook":                      {[]process.Process{at(3, "/bin/sh", "-c", distillOn), waits}, false},
		"a status line's script":                   {[]process.Process{at(3, "sh", "line.sh"), at(3, "/bin/sh", "-c", "sh line.sh"), waits}, false},
		"an apiKeyHelper that evals":               {[]process.Process{at(3, "/bin/sh", "-c", "true && eval '"+distillOn+"' < /dev/null && pwd -P >| x"), waits}, false},
		"a server":                                 {[]process.Process{at(3, "node", "server.js"), waits}, false},
		"a server that the client starts directly": {[]process.Process{waits}, false},
		"a shell below a server":                   {[]process.Process{shell(3), at(3, "node", "server.js"), waits}, false},
		"a shell with a snapshot of the project's": {[]process.Process{at(3, shellOf("/p/shell-snapshots/snapshot-bash-1-x.sh", distillOn)...), waits}, false},
		"a shell that looks for the snapshot":      {[]process.Process{at(3, "sh", "-c", "source $(ls ~/.claude/shell-snapshots/*) && eval 'memory distill on'"), waits}, false},
		"a shell that only names the snapshot":     {[]process.Process{at(3, "sh", "-c", "echo source "+quoted(snapshot)+"; "+distillOn), waits}, false},
		"a hook while the client asks":             {[]process.Process{at(3, "/bin/sh", "-c", distillOn), asks}, false},
		"another command than the one asked about": {[]process.Process{ran(3, "echo bWVtb3J5IGRpc3RpbGwgb24K | base64 -d | sh"), asks}, false},
		"one that says the command asked about":    {[]process.Process{ran(3, ": '"+distillOn+"' && sh x.sh"), asks}, false},
		"one that evals what was asked about":      {[]process.Process{ran(3, ": ' eval '\"'"+distillOn+"'\"; sh x.sh"), asks}, false},
		"a longer one":                             {[]process.Process{ran(3, distillOn+"; memory purge --all"), asks}, false},
	} {
		e := environment{Terminal: &terminal.Terminal{Getenv: getenv}, Paths: layout, Ancestors: func() []process.Process { return c.ancestors }}
		musttest.Same(t, c.want, e.isPersons(), "%s: a person's", name)
	}
}
