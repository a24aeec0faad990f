package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/redact"
)

func TestALogThatNamesAPurgedSessionIsEmptied(t *testing.T) {
	const id, other = "5f0c9a52-1d0e-4b7c-9f0e-2a1b3c4d5e6f", "5f0c9a52-1d0e-4b7c-9f0e-2a1b3c4d5e60"
	for text, isEmptied := range map[string]bool{
		`2026-01-02T02:04:05Z stop session="` + id + `" no daemon`: true,
		`msg="not searched" of=` + id + ` file=/c/x.jsonl`:         true,
		`read /c/projects/-p/` + id + `.jsonl: EOF`:                true,
		`{"session":"` + id + `"}`:                                 true,
		`a line` + "\n" + `and (` + id + `), ` + other:             true,
		id: true,
		`2026-01-02T02:04:05Z stop session="` + other + `" no daemon`: false,
		`session ` + id + `-2`: false,
		`session x_` + id:      false,
		`session ` + id[:8]:    false,
		`started`:              false,
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "hooks.log")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		sweep, c := memory.Sweep{IsSession: func(s string) bool { return s == id }}, &cleaner{remove: func(text string) (string, redact.Report) { return text, redact.Report{} }}
		for _, apply := range []bool{false, true} {
			var result daemonapi.ScrubResult
			if err := emptyLogs(t.Context(), dir, apply, c, sweep, &result); err != nil || (len(result.Logs) == 1) != isEmptied {
				t.Errorf("%q: %+v, %v", text, result, err)
			}
		}
		if left, err := os.ReadFile(file); err != nil || (len(left) == 0) != isEmptied {
			t.Errorf("%q: %q is left, %v", text, left, err)
		}
	}
}
