//go:build e2e

package e2e

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/rpc/daemonapi"
)

// requireForgotten wants no file of the home to hold a text, in any case, compressed files included.
func (u *User) requireForgotten(t *testing.T, when, text string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(u.MemoryHome, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil // gone meanwhile
		}
		if unpacked, err := gzip.NewReader(bytes.NewReader(content)); err == nil {
			if content, err = io.ReadAll(unpacked); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
		files++
		if bytes.Contains(bytes.ToLower(content), []byte(strings.ToLower(text))) {
			t.Errorf("%s: %s holds it", when, path)
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("looked at %d files: %v", files, err)
	}
}

type wentBy struct {
	daemonapi.ScrubResult
	Elsewhere []string `json:"elsewhere"`
}

// TestNothingOfACustomerIsLeft: words, a memory and a session go from the whole home, are not stored again by any way in, and the
// client's own transcripts are named.
func TestNothingOfACustomerIsLeft(t *testing.T) {
	t.Parallel()
	const (
		name  = "Zora Lindqvist"
		fact  = "invoices of the harbour office are due in nine days"
		other = "tests run with make check"
	)
	u, api := newUser(t)
	api.Script("answer", Say("Zora Lindqvist owes five invoices."))
	first := u.Run(t.Context(), "Remember: "+name+" pays late. SCRIPT:answer")
	second := u.Run(t.Context(), "Remember: "+fact)
	third := u.Run(t.Context(), "Remember: the pelican deploys on Mondays")
	u.Run(t.Context(), "Remember: "+other)
	for _, run := range []Result{first, second, third} {
		u.stored(t, run.SessionID)
	}
	u.memory(t, &struct{}{}, "backup")
	copied := filepath.Join(t.TempDir(), "copy.jsonl.gz")
	backups, err := filepath.Glob(filepath.Join(u.MemoryHome, "backups", "*"))
	if err != nil || len(backups) != 1 {
		t.Fatal(backups, err)
	}
	text, err := os.ReadFile(backups[0])
	if err == nil {
		err = os.WriteFile(copied, text, 0o600)
	}
	musttest.Do(t, err)
	id := ""
	for _, m := range u.listed(t) {
		if m.Content == fact {
			id = m.ID
		}
	}
	for what, args := range map[string][]string{
		name: {"--words", strings.ToUpper(name)}, fact: {"[" + memory.ShortID(id) + " note]"}, "pelican": {"--session", third.SessionID},
	} {
		var done wentBy
		u.memory(t, &done, append(append([]string{"purge"}, args...), "--yes")...)
		if done.Deleted["memory"] != 1 || len(done.Backups) != 1 || len(done.Elsewhere) == 0 || len(done.Failed) > 0 {
			t.Errorf("purge %q: %+v", args, done)
		}
		u.requireForgotten(t, "after the purge", what)
	}
	u.Run(t.Context(), "Remember: "+name+" moved to Malmö")
	u.memory(t, &struct{}{}, "import", "transcripts")
	u.memory(t, nil, "restore", copied, "--yes")
	if left := u.listed(t); len(left) != 1 || left[0].Content != other {
		t.Errorf("left: %+v", left)
	}
	for _, what := range []string{name, "harbour office", "pelican"} {
		u.requireForgotten(t, "after it was said, imported and restored again", what)
	}
}
