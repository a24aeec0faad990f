package filestate_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agent/filestate"
)

const lines = 20

// text is a file of some lines, the first of them in other words.
func text(changed int) string {
	var b strings.Builder
	for i := range lines {
		version := "first"
		if i < changed {
			version = "second"
		}
		_, _ = fmt.Fprintf(&b, "line %d of the %s version\n", i, version)
	}
	return b.String()
}

// past is before all times of the tests' files.
var past = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

func write(t *testing.T, root, name, text string, at time.Time) {
	t.Helper()
	file := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestTheChangeOfAFile(t *testing.T) {
	root := t.TempDir()
	for name, c := range map[string]struct {
		now       string // its present content; empty: it is gone
		isChanged bool
	}{
		"the same":          {text(0), false},
		"a few lines":       {text(lines/2 - 1), false},
		"half of its lines": {text(lines / 2), true},
		"all of it":         {"something else\n", true},
		"gone":              {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			files := filestate.New()
			write(t, root, "pkg/store.go", text(0), past)
			prints := files.Fingerprints(root, []string{"pkg/store.go"}, past)
			if len(prints) != 1 {
				t.Fatalf("fingerprints %v", prints)
			}
			for range 2 { // read, and from the cache
				if got := files.HaveChanged(t.Context(), root, prints); got {
					t.Error("before anything has happened it has changed")
				}
			}
			if c.now == "" {
				if err := os.Remove(filepath.Join(root, "pkg/store.go")); err != nil {
					t.Fatal(err)
				}
			} else {
				write(t, root, "pkg/store.go", c.now, past.Add(time.Hour))
			}
			for range 2 {
				if got := files.HaveChanged(t.Context(), root, prints); got != c.isChanged {
					t.Errorf("it has changed: %v, want %v", got, c.isChanged)
				}
			}
			write(t, root, "pkg/store.go", text(0), past.Add(2*time.Hour))
			if got := files.HaveChanged(t.Context(), root, prints); got {
				t.Error("brought back it has changed")
			}
		})
	}
}

// Several files have changed when half of those that are there have.
func TestSeveralFiles(t *testing.T) {
	files, root := filestate.New(), t.TempDir()
	names := []string{"a.go", "b.go", "c.go", "d.go"}
	for _, name := range names {
		write(t, root, name, text(0), past)
	}
	prints := files.Fingerprints(root, names, past)
	for i, want := range []bool{false, true, true, true} {
		write(t, root, names[i], "something else\n", past.Add(time.Hour))
		if got := files.HaveChanged(t.Context(), root, prints); got != want {
			t.Errorf("with %d of 4 rewritten they have changed: %v, want %v", i+1, got, want)
		}
	}
	for _, name := range names[1:] {
		if err := os.Remove(filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if !files.HaveChanged(t.Context(), root, prints) {
		t.Error("the only one that is there has changed, and nothing is reported")
	}
}

// Fingerprints are made only of the files of a memory when it was stated, and only of files of the
// project that hold no secrets.
func TestFilesThatAreNotRead(t *testing.T) {
	files, root, elsewhere := filestate.New(), t.TempDir(), t.TempDir()
	write(t, root, "later.go", text(0), past.Add(time.Second))
	write(t, root, ".env", text(0), past)
	write(t, root, "deploy/server.key", text(0), past)
	write(t, root, ".git/config", text(0), past)
	write(t, root, "folder/in.go", text(0), past)
	write(t, elsewhere, "out.go", text(0), past)
	for link, target := range map[string]string{"out.go": filepath.Join(elsewhere, "out.go"), "away": elsewhere, "in.go": "folder/in.go"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	write(t, root, "large.txt", strings.Repeat(text(0), 3000), past)
	write(t, root, "binary", "a\x00b", past)
	asked := []string{"later.go", ".env", "deploy/server.key", ".git/config", "out.go", "away/out.go", "pipe", "folder"}
	if got := files.Fingerprints(root, asked, past); got != nil {
		t.Errorf("fingerprints %v, want none", got)
	}
	asked = []string{"../" + filepath.Base(elsewhere) + "/out.go", filepath.Join(elsewhere, "out.go"), "none.go", "", "."}
	if got := files.Fingerprints(root, asked, past); got != nil {
		t.Errorf("fingerprints %v, want none", got)
	}
	got := files.Fingerprints(root, []string{"large.txt", "binary", "in.go", filepath.Join(root, "folder/in.go")}, past)
	want := map[string]string{"large.txt": "-", "binary": "-", "in.go": got["in.go"], filepath.Join(root, "folder/in.go"): got["in.go"]}
	if diff := cmp.Diff(want, got); diff != "" || got["in.go"] == "" {
		t.Errorf("fingerprints (-want +got):\n%s", diff)
	}
	write(t, root, "large.txt", "short", past.Add(time.Hour))
	if files.HaveChanged(t.Context(), root, got) {
		t.Error("a file that is not read is reported as changed")
	}
}

// TestSecretsAreKnownByTheirNames has the spellings in which they are met, and names of code beside them.
func TestSecretsAreKnownByTheirNames(t *testing.T) {
	files, root := filestate.New(), t.TempDir()
	for name, isSecret := range map[string]bool{
		".env": true, ".ENV": true, ".Env.Local": true, ".env-prod": true, ".env_backup": true, ".envrc": true, "prod.env": true, "app.env.json": true,
		"env": true, "env.txt": true, "dotenv": true, "config/env.yaml": true, "env.go": false, "environment.md": false,
		"secret.yaml": true, "Secret.YAML": true, "secrets.json": true, "k8s/db-secret.yml": true, "my_secret": true, "secrets/plain.go": true,
		"prod.tfvars": true, "prod.auto.tfvars": true, "x.tfvars.json": true, "terraform.tfstate.backup": true,
		"kubeconfig": true, "kubeconfig.yaml": true, "dev.kubeconfig": true, ".kube/config": true, "deploy/.kube/x.go": true,
		"token.txt": true, "TOKEN": true, "github_token.txt": true, "api-tokens.json": true, "token.go": false, "tokenizer.go": false, "token_test.py": false,
		"passwords.csv": true, "password_reset.rb": false, "credentials.json": true, "aws-credentials.ini": true, "key.pem": true, "id_rsa.pub": true,
		"main.go": false, "README.md": false, "docs/keyboard.md": false, "pkg/secret.go": false,
	} {
		write(t, root, name, text(0), past)
		if got := files.Fingerprints(root, []string{name}, past); (got == nil) != isSecret {
			t.Errorf("%s: fingerprints %v, want none to be taken: %t", name, got, isSecret)
		}
		if err := os.RemoveAll(filepath.Join(root, strings.Split(name, "/")[0])); err != nil {
			t.Fatal(err)
		}
	}
	write(t, root, ".ssh/config", text(0), past)
	for link, target := range map[string]string{"plain.go": ".ssh/config", "folder": ".ssh"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if got := files.Fingerprints(root, []string{"plain.go", "folder/config"}, past); got != nil {
		t.Errorf("through a link: fingerprints %v, want none", got)
	}
}

// TestFilesOfTheKernelAreNotRead: to read /proc/kmsg is to wait for ever.
func TestFilesOfTheKernelAreNotRead(t *testing.T) {
	files := filestate.New()
	if got := files.Fingerprints("/", []string{"/proc/kmsg", "proc/kmsg", "etc/passwd"}, time.Now()); got != nil {
		t.Errorf("below / there are fingerprints %v, want none: it is no project", got)
	}
	if _, err := os.Stat("/proc/kmsg"); err != nil {
		t.Skip("there is no /proc/kmsg")
	}
	got := files.Fingerprints("/proc", []string{"meminfo", "kmsg"}, time.Now().Add(time.Hour)) // neither has a size
	if got["meminfo"] != "-" || got["kmsg"] != "" && got["kmsg"] != "-" {
		t.Errorf("the fingerprints of files without a size are %v, want that they were not read", got)
	}
}

// No change is reported for the files of a project that is not there.
func TestAProjectThatIsNotThere(t *testing.T) {
	files, root := filestate.New(), t.TempDir()
	write(t, root, "a.go", text(0), past)
	prints := files.Fingerprints(root, []string{"a.go"}, past)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, got := range map[string]bool{
		"gone":     files.HaveChanged(t.Context(), filepath.Join(root, "gone"), prints),
		"unknown":  files.HaveChanged(t.Context(), "", prints),
		"relative": files.HaveChanged(t.Context(), ".", prints),
		"too late": files.HaveChanged(ended, t.TempDir(), prints),
	} {
		if got {
			t.Errorf("%s: the file has changed", name)
		}
	}
	if got := files.Fingerprints("", []string{"a.go"}, past); got != nil {
		t.Errorf("without a root there are fingerprints %v", got)
	}
}

func BenchmarkHaveChanged(b *testing.B) {
	files, root := filestate.New(), b.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.go"), []byte(strings.Repeat(text(0), 50)), 0o644); err != nil {
		b.Fatal(err)
	}
	prints := files.Fingerprints(root, []string{"a.go"}, time.Now().Add(time.Hour))
	for b.Loop() {
		files.HaveChanged(b.Context(), root, prints)
	}
}
