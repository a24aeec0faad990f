package hooks

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonserver"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/spool"
)

// An event that is stored is safe: a daemon that had no time to hear of it finds it by itself, and nothing has gone wrong.
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

// TestALongCommandIsReadInTimeOrAskedAbout, whether or not a person must allow it.
func TestALongCommandIsReadInTimeOrAskedAbout(t *testing.T) {
	late, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		tool string
		size int
		asks bool
	}{
		"a long one":              {t.Context(), "Bash", 30_000, false},
		"no time for a long one":  {late, "Bash", 30_000, true},
		"no time for a short one": {late, "Bash", 1_000, false},
		"a part of one":           {t.Context(), "Bash", 40_000, true},
		"a part of a patch":       {t.Context(), client.PatchTool, 40_000, true},
		"a part of a file":        {t.Context(), "Write", 40_000, false},
	} {
		text := fmt.Sprintf(`{"tool_name":%q,"tool_input":{"command":"echo %s"}}`, c.tool, strings.Repeat("a/b ", c.size/4))
		call := &hook.Call{Input: musttest.Get(hookio.Decode(strings.NewReader(text)))(t), Paths: paths.Layout{Home: "/home/u/.memory"}, Getenv: func(string) string { return "" }}
		_, asks := needsPerson(c.ctx, call)
		musttest.Same(t, c.asks, asks, "%s: it asks", name)
	}
}

func TestTheTaskStandsInARealTranscript(t *testing.T) {
	musttest.Same(t, "do the task do it", taskIn(filepath.Join("..", "..", "..", "testdata", "hook-input", "transcript-subagent.jsonl")), "the task")
}

func TestUnknownInputIsNoTask(t *testing.T) {
	musttest.Same(t, "", taskIn(filepath.Join(t.TempDir(), "none.jsonl")), "without a file")
	for _, text := range []string{
		"", "{", "[]\n", `{"type":"assistant","message":{"content":"no task"}}` + "\n",
		`{"type":"user","message":{"content":[{"type":"text"}]}}` + "\n", `{"type":"user","message":{"content":"` + strings.Repeat("x", 1<<20) + `"}}` + "\n",
	} {
		file := filepath.Join(t.TempDir(), "transcript.jsonl")
		musttest.Do(t, os.WriteFile(file, []byte(text), 0o600))
		musttest.Same(t, "", taskIn(file), "%.40q", text)
	}
}
