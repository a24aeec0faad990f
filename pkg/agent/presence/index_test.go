package presence

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// git runs git in a folder, with nobody's settings.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func write(t testing.TB, root, name, text string) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The index of every version that git writes is read as git lists it, with hashes of both
// sizes.
func TestGitsIndexIsRead(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		for _, version := range []string{"2", "3", "4"} {
			t.Run(format+" version "+version, func(t *testing.T) {
				root := t.TempDir()
				git(t, root, "init", "-q", "--object-format="+format)
				for i := range 30 {
					write(t, root, fmt.Sprintf("pkg/part%d/file%s.go", i%4, strings.Repeat("x", i)), "package a\n")
				}
				write(t, root, "ü/ä ö.md", "a\n")
				write(t, root, strings.Repeat("deep/", 50)+strings.Repeat("n", 200)+"/"+strings.Repeat("m", 200)+"/"+strings.Repeat("o", 200)+"/"+strings.Repeat("p", 200)+"/"+strings.Repeat("q", 200)+".go", "package a\n")
				git(t, root, "add", "-A")
				git(t, root, "update-index", "--index-version", version)
				if version == "3" { // only an index with such a flag has this version
					git(t, root, "update-index", "--skip-worktree", "pkg/part1/filex.go")
				}
				want := strings.Split(strings.TrimSuffix(git(t, root, "ls-files", "-z"), "\x00"), "\x00")
				var got, skipped []string
				err := eachIndexed(filepath.Join(root, ".git", "index"), func(one indexed) {
					got = append(got, one.path)
					if one.isSkipped {
						skipped = append(skipped, one.path)
					}
				})
				if diff := cmp.Diff(want, got); diff != "" || err != nil {
					t.Errorf("%v, -want +got:\n%s", err, diff)
				}
				if version == "3" != slices.Equal(skipped, []string{"pkg/part1/filex.go"}) {
					t.Errorf("skipped are %q", skipped)
				}
			})
		}
	}
}

// An index that has not all paths is one of which not everything is known.
func TestAnIndexThatIsNotWhole(t *testing.T) {
	root := t.TempDir()
	git(t, root, "init", "-q")
	for _, name := range []string{"a/b.go", "a/c/d.go", "e/f.go"} {
		write(t, root, name, "package a\n")
	}
	git(t, root, "add", "-A")
	git(t, root, "commit", "-qm", "a")
	index := filepath.Join(root, ".git", "index")
	whole, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	read := func() error { return eachIndexed(index, func(indexed) {}) }
	if err := read(); err != nil {
		t.Fatal(err)
	}
	git(t, root, "update-index", "--split-index")
	if err := read(); err == nil {
		t.Error("a split index is read as a whole")
	}
	git(t, root, "update-index", "--no-split-index")
	git(t, root, "sparse-checkout", "set", "--cone", "--sparse-index", "e")
	if err := read(); err == nil {
		t.Error("an index with folders is read as a whole")
	}
	for _, text := range [][]byte{nil, []byte("DIRC"), whole[:len(whole)/2], bytes.Repeat([]byte{0xFF}, 200)} {
		if err := os.WriteFile(index, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := read(); err == nil {
			t.Errorf("%d bytes are read as an index", len(text))
		}
	}
}

// FuzzIndex: whatever the file holds, reading ends, and without a panic.
func FuzzIndex(f *testing.F) {
	root := f.TempDir()
	git(f, root, "init", "-q")
	write(f, root, "a/b.go", "package a\n")
	write(f, root, "a/bc.go", "package a\n")
	git(f, root, "add", "-A")
	for _, version := range []string{"2", "4"} {
		git(f, root, "update-index", "--index-version", version)
		text, err := os.ReadFile(filepath.Join(root, ".git", "index"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	file := filepath.Join(root, "fuzzed")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		n := 0
		_ = eachIndexed(file, func(one indexed) {
			if n++; one.path == "" || n > len(text) {
				t.Errorf("the path %q is the %dth in %d bytes", one.path, n, len(text))
			}
		})
	})
}
