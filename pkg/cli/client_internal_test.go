package cli

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/cli/terminal"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/process"
)

// TestAPersonsCommandBeganAfterTheTurn, below clients that all wait for their user: what a model left in the background is no person's,
// however long it waits, and neither is what it starts below a client of its own.
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
	layout := paths.FromEnv(func(name string) string { return map[string]string{"MEMORY_HOME": t.TempDir()}[name] })
	const idle, asked, busy = 11, 12, 13
	for _, marker := range []string{layout.IdleMarker(idle), layout.AskedMarker(asked)} {
		musttest.Do(t, os.MkdirAll(filepath.Dir(marker), 0o700))
		musttest.Do(t, os.WriteFile(marker, []byte("s1"), 0o600))
		musttest.Do(t, os.Chtimes(marker, mark, mark))
	}
	client := is(idle, -900, "claude")
	for name, c := range map[string]struct {
		ancestors []process.Process
		want      bool
	}{
		"behind the client's !":              {[]process.Process{at(3, "/bin/bash"), client, at(-2000, "zsh")}, true},
		"after the client's dialog":          {[]process.Process{at(3, "/bin/bash"), is(asked, -900, "claude"), at(-2000, "zsh")}, true},
		"in a script of a person's":          {[]process.Process{at(5, "sh"), at(4, "/bin/bash"), client}, true},
		"below a launcher":                   {[]process.Process{at(4, "sh"), client, is(busy, -901, "node", "/usr/bin/claude"), at(-2000, "zsh")}, true},
		"begun before the turn ended":        {[]process.Process{at(-20, "/bin/bash"), client}, false},
		"a new shell of an old script":       {[]process.Process{at(60, "sh"), at(-20, "python3"), client}, false},
		"during a turn":                      {[]process.Process{at(3, "/bin/bash"), is(busy, -900, "claude")}, false},
		"a client that the model started":    {[]process.Process{at(3, "/bin/bash"), client, at(2, "bash"), is(busy, -900, "claude")}, false},
		"one that a person started with !":   {[]process.Process{at(9, "/bin/bash"), is(asked, 5, "claude"), at(4, "bash"), client}, true},
		"below a client of an older command": {[]process.Process{at(9, "/bin/bash"), is(asked, -5, "claude"), at(-6, "bash"), client}, false},
		"below Codex":                        {[]process.Process{at(9, "/bin/bash"), client, at(4, "bash"), is(idle, -900, "codex")}, false},
		"cut loose of its client":            {[]process.Process{at(60, "sh"), at(-9000, "systemd")}, false},
		"nobody's":                           {nil, false},
	} {
		for session, isThis := range map[string]bool{"s1": true, "s2": false, "": false} {
			here := &terminal.Terminal{Getenv: func(name string) string { return map[string]string{"CLAUDE_CODE_SESSION_ID": session}[name] }}
			e := environment{Terminal: here, Paths: layout, Ancestors: func() []process.Process { return c.ancestors }}
			musttest.Same(t, c.want && isThis, e.isPersons(), "%s, in the session %q: a person's", name, session)
		}
	}
}
