package spool_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/alloctest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// TestAHookAllocatesLittle limits the allocations of a hook that encodes an event and writes
// it to the spool.
func TestAHookAllocatesLittle(t *testing.T) {
	s := spool.New(filepath.Join(t.TempDir(), "spool"))
	e := event(start, "")
	e.Kind, e.Tool, e.Command, e.Output = memory.EventCommandSucceeded, "Bash", "go test ./...", strings.Repeat("ok  \tgithub.com/acme/app/pkg/token\t0.412s\n", 20)
	n := 0
	alloctest.AtMost(t, 90, 9_000, func() {
		n++
		e.ID = memory.NewEventID(start.Add(time.Duration(n) * time.Second))
		put(t, s, e)
	})
}
