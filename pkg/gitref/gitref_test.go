package gitref_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/gitref"
)

const name = "refs/memory/test"

func TestALockThatAKilledGitLeftIsNoEnd(t *testing.T) {
	origin, dir := filepath.Join(t.TempDir(), "origin.git"), t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "git", "init", "--quiet", "--bare", origin).CombinedOutput(); err != nil {
		t.Skipf("git: %v: %s", err, out)
	}
	open := func() *gitref.Ref {
		t.Helper()
		ref, err := gitref.Open(t.Context(), dir, origin, name)
		if err != nil {
			t.Fatal(err)
		}
		return ref
	}
	ref := open()
	if _, err := ref.Fetch(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := ref.Change(t.Context(), "one", map[string][]byte{"one.txt": []byte("one")}, nil); err != nil {
		t.Fatal(err)
	}
	leave := func(file string, age time.Duration) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-age)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, then, then); err != nil {
			t.Fatal(err)
		}
	}
	// In the copy it is removed once no git can be at work any more.
	own := filepath.Join(dir, "repository", "refs", "memory", "fetched.lock")
	leave(own, 0)
	if _, err := open().Fetch(t.Context()); err == nil {
		t.Error("a lock of now was ignored")
	}
	leave(own, time.Hour)
	ref = open()
	if names, err := ref.Fetch(t.Context()); err != nil || len(names) != 1 {
		t.Errorf("after an old lock: %v, %v", names, err)
	}
	// In the repository of others it is named.
	lock := filepath.Join(origin, name+".lock")
	leave(lock, time.Hour)
	err := ref.Change(t.Context(), "two", map[string][]byte{"two.txt": []byte("two")}, nil)
	if err == nil || !strings.Contains(err.Error(), name+".lock") || !strings.Contains(err.Error(), "delete the file") {
		t.Errorf("with a lock in the repository: %v", err)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if err := ref.Change(t.Context(), "two", map[string][]byte{"two.txt": []byte("two")}, []string{"one.txt"}); err != nil {
		t.Fatal(err)
	}
	if names, err := ref.Fetch(t.Context()); err != nil || len(names) != 1 || names[0] != "two.txt" {
		t.Errorf("in the end there are %v, %v", names, err)
	}
	if content, err := ref.Read(t.Context(), "two.txt"); err != nil || !bytes.Equal(content, []byte("two")) {
		t.Errorf("the content is %q, %v", content, err)
	}
}
