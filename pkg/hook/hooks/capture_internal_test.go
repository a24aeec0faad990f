package hooks

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonserver"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// An event that is stored is safe: a daemon that had no time to hear of it finds
// it by itself, and nothing has gone wrong.
func TestADaemonThatIsTooBusyToListenIsNoError(t *testing.T) {
	home := musttest.Get(os.MkdirTemp("", "w"))(t) // t.TempDir is too long a path for a socket
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	call := &hook.Call{
		Input: hookio.Input{SessionID: "s-1"}, Project: project.Project{Key: "p", Name: "p", Root: "/p"},
		Paths: paths.Layout{Home: home}, Executable: filepath.Join(home, "plugin", "libexec", "x"), Now: time.Now, Getenv: func(string) string { return "" },
	}
	listener := musttest.Get(daemonserver.Listen(call.Paths.Socket()))(t)
	defer func() { _ = listener.Close() }()
	late, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancel()
	musttest.Is(t, nil, report(late, call, memory.EventTurnEnded, "", "done"), "report")
	if counts, err := spool.New(call.Paths.Spool()).Counts(); err != nil || counts.New != 1 {
		t.Errorf("spooled %+v, %v; want the event", counts, err)
	}
	musttest.Is(t, fs.ErrNotExist, musttest.Err(os.Stat(call.Paths.StartMarker())), "another daemon was started")
}
