package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
)

// TestImportStories has the sources of testdata/import in the folder src.
func TestImportStories(t *testing.T) {
	enginetest.Endpoint(t) // there is one, or the test is skipped
	sources := musttest.Get(filepath.Abs(filepath.Join("..", "..", "testdata", "import")))(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/import",
		Setup: func(env *testscript.Env) error {
			if err := os.CopyFS(filepath.Join(env.WorkDir, "src"), os.DirFS(sources)); err != nil {
				return err
			}
			return setUp(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"memory": func(ts *testscript.TestScript, _ bool, args []string) {
				if code := invoke(ts, args); code != exitOK {
					ts.Fatalf("exit code %d", code)
				}
			},
			"fails": func(ts *testscript.TestScript, _ bool, args []string) {
				if code := invoke(ts, args[1:]); args[0] != string(rune('0'+code)) {
					ts.Fatalf("exit code %d, want %s", code, args[0])
				}
			},
			"daemon": func(ts *testscript.TestScript, _ bool, _ []string) { startStoryDaemon(ts, distillingAs(nil)) },
			"letid":  letID,
			"placed": func(ts *testscript.TestScript, _ bool, args []string) { // a copy with $WORK replaced
				text := strings.ReplaceAll(ts.ReadFile(args[0]), "$WORK", ts.Getenv("WORK"))
				ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
			},
		},
	})
}

// TestAnImportStopsBetweenItsParts interrupts it after the first part, which is complete; nothing more is sent.
func TestAnImportStopsBetweenItsParts(t *testing.T) {
	var text strings.Builder
	for n := range 2*daemonapi.MaxImport + 10 {
		_, _ = fmt.Fprintf(&text, "- fact %d\n", n)
	}
	file := filepath.Join(t.TempDir(), "CLAUDE.md")
	musttest.Do(t, os.WriteFile(file, []byte(text.String()), 0o600))
	for name, tt := range map[string]struct {
		interrupted bool
		want        []int // the first has one for the session of the import
	}{
		"whole":       {false, []int{daemonapi.MaxImport, daemonapi.MaxImport, 11}},
		"interrupted": {true, []int{daemonapi.MaxImport}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			x := newUser(t)
			var parts []int
			x.daemon(t, []daemonapi.Handler{
				daemonapi.MethodStatus.Handle(func(context.Context, daemonapi.None) (daemonapi.StatusResult, error) {
					return daemonapi.StatusResult{State: "ready"}, nil
				}),
				daemonapi.MethodProjects.Handle(func(context.Context, daemonapi.ProjectsParams) ([]memory.ProjectHolding, error) { return nil, nil }),
				daemonapi.MethodExport.Handle(func(context.Context, memory.ExportQuery) (memory.ExportPage, error) { return memory.ExportPage{}, nil }),
				daemonapi.MethodImport.Handle(func(_ context.Context, p daemonapi.ImportParams) (daemonapi.ImportResult, error) {
					parts = append(parts, len(p.Events))
					if tt.interrupted {
						interrupt()
					}
					return daemonapi.ImportResult{}, nil
				}),
			})
			code, _, stderr := x.runUntil(ctx, t, "import", "claude-md", file)
			if (code != exitOK) != tt.interrupted || tt.interrupted && !strings.Contains(stderr, "interrupted; the same command continues") {
				t.Errorf("exit code %d and %q", code, stderr)
			}
			musttest.Same(t, tt.want, parts, "sent in parts (-want +got)")
		})
	}
}
