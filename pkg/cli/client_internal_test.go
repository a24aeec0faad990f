package cli

import (
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/process"
)

// TestAPersonsCommandBeganAfterTheTurn: what a model left in the background is no person's, however long it waits.
func TestAPersonsCommandBeganAfterTheTurn(t *testing.T) {
	mark := time.Now()
	at := func(seconds int, args ...string) process.Process {
		return process.Process{Args: args, Started: mark.Add(time.Duration(seconds) * time.Second)}
	}
	client := at(-900, "claude")
	for name, c := range map[string]struct {
		ancestors []process.Process
		want      bool
	}{
		"behind the client's !":        {[]process.Process{at(3, "/bin/bash"), client, at(-2000, "zsh")}, true},
		"in a script of a person's":    {[]process.Process{at(5, "sh"), at(4, "/bin/bash"), client}, true},
		"begun before the turn ended":  {[]process.Process{at(-20, "/bin/bash"), client}, false},
		"a new shell of an old script": {[]process.Process{at(60, "sh"), at(-20, "python3"), client}, false},
		"cut loose of its client":      {[]process.Process{at(60, "sh"), at(-9000, "systemd")}, false},
		"nobody's":                     {nil, false},
	} {
		e := environment{Ancestors: func() []process.Process { return c.ancestors }}
		if got := e.isStartedSince(mark); got != c.want {
			t.Errorf("%s: a person's is %v", name, got)
		}
	}
}
