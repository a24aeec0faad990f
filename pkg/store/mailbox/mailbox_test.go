package mailbox_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/gofrs/flock"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/mailbox"
)

// repository is an empty git repository that letters are pushed to.
func repository(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repository.git")
	if out, err := exec.CommandContext(t.Context(), "git", "init", "--quiet", "--bare", dir).CombinedOutput(); err != nil {
		t.Skipf("git: %v: %s", err, out)
	}
	return dir
}

// machine opens the mailbox of a machine, with a key.
func machine(t testing.TB, address string, key *age.X25519Identity) *mailbox.Box {
	t.Helper()
	box := musttest.Get(mailbox.Open(t.Context(), t.TempDir(), address))(t)
	box.Key = key
	return box
}

func newKey(t testing.TB) *age.X25519Identity {
	t.Helper()
	return musttest.Get(age.GenerateX25519Identity())(t)
}

func fetched(t testing.TB, box *mailbox.Box) []string {
	t.Helper()
	return musttest.Get(box.Fetch(t.Context()))(t)
}

func TestTheSlowerMachineTriesAgain(t *testing.T) {
	address, key := repository(t), newKey(t)
	a, b := machine(t, address, key), machine(t, address, key)
	if names := fetched(t, a); len(names) != 0 || len(fetched(t, b)) != 0 {
		t.Fatalf("an empty repository has %v", names)
	}
	first := musttest.Get(a.Send(t.Context(), []byte("from a")))(t)
	if _, err := b.Send(t.Context(), []byte("from b")); !errors.Is(err, mailbox.ErrRaced) {
		t.Fatalf("the slower one gets %v", err)
	}
	if names := fetched(t, b); !slices.Equal(names, []string{first}) {
		t.Fatalf("fetched %v, want %v", names, first)
	}
	second := musttest.Get(b.Send(t.Context(), []byte("from b")))(t)
	names := fetched(t, a)
	if len(names) != 2 || !slices.Contains(names, second) {
		t.Fatalf("fetched %v", names)
	}
	for name, want := range map[string]string{first: "from a", second: "from b"} {
		if text, err := a.Read(t.Context(), name); err != nil || string(text) != want {
			t.Errorf("the letter is %q, %v, want %q", text, err, want)
		}
	}
}

func TestALetterIsReadOnlyWithItsKey(t *testing.T) {
	address, key := repository(t), newKey(t)
	a := machine(t, address, key)
	fetched(t, a)
	const text = "the staging port is 6543"
	name := musttest.Get(a.Send(t.Context(), []byte(strings.Repeat(text+"\n", 50))))(t)
	objects, err := exec.CommandContext(t.Context(), "git", "--git-dir", address, "cat-file", "--batch-all-objects", "--batch").Output()
	if err != nil || bytes.Contains(objects, []byte("staging")) || !bytes.Contains(objects, []byte("age-encryption.org")) {
		t.Errorf("the repository can be read: %v", err)
	}
	other := machine(t, address, newKey(t))
	fetched(t, other)
	if text, err := other.Read(t.Context(), name); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("another key reads %q, %v", text, err)
	}
}

// TestWhatIsBesideTheLettersStays: the branch may have other files, which are no letters.
func TestWhatIsBesideTheLettersStays(t *testing.T) {
	address, key := repository(t), newKey(t)
	git := func(input string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"--git-dir", address, "-c", "user.name=x", "-c", "user.email=x"}, args...)...)
		cmd.Stdin = strings.NewReader(input)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	blob := git("read me", "hash-object", "-w", "--stdin")
	tree := git("100644 blob "+blob+"\tREADME.md\n120000 blob "+blob+"\t0123456789abcdef01234567.md\n", "mktree")
	git("", "update-ref", "refs/heads/surrealdb-memory", git("", "commit-tree", tree, "-m", "begin"))
	a := machine(t, address, key)
	musttest.Same(t, 0, len(fetched(t, a)), "fetched")
	musttest.Get(a.Send(t.Context(), []byte("text")))(t)
	if files := git("", "ls-tree", "--name-only", "refs/heads/surrealdb-memory"); !strings.Contains(files, "README.md") || strings.Count(files, "\n") != 2 {
		t.Errorf("the branch has %q", files)
	}
}

func TestAKeyIsKeptForItsUser(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key.txt")
	musttest.Is(t, mailbox.ErrNoKey, musttest.Err(mailbox.ReadKey(file)), "no file")
	key := newKey(t)
	musttest.Do(t, mailbox.WriteKey(file, key))
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}
	written := musttest.Get(os.ReadFile(file))(t)
	for _, ending := range []string{"\n", "\r\n"} { // of a file that went over Windows, too
		musttest.Do(t, os.WriteFile(file, bytes.ReplaceAll(written, []byte("\n"), []byte(ending)), 0o600))
		musttest.Same(t, key.String(), musttest.Get(mailbox.ReadKey(file))(t).String(), "read with %q", ending)
	}
	for _, text := range []string{"", "# only a comment\n", "AGE-SECRET-KEY-1NOTAKEY\n"} {
		musttest.Do(t, os.WriteFile(file, []byte(text), 0o600))
		if _, err := mailbox.ReadKey(file); !errors.Is(err, memory.ErrInvalid) || strings.Contains(err.Error(), "NOTAKEY") {
			t.Errorf("%q is %v", text, err)
		}
	}
}

// TestAnExchangeWaitsForAnotherOfThisMachine: two at once, as by the daemon and by hand, would run git's gc beside each other.
func TestAnExchangeWaitsForAnotherOfThisMachine(t *testing.T) {
	dir := t.TempDir()
	other := flock.New(filepath.Join(dir, "lock"))
	musttest.Get(other.TryLock())(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	x := mailbox.Exchange{Dir: dir}
	if _, err := x.Run(ctx, repository(t), ""); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "another memory sync") {
		t.Errorf("beside another exchange it ends with %v", err)
	}
	x.Dir = t.TempDir()
	musttest.Do(t, os.Mkdir(filepath.Join(x.Dir, "lock"), 0o700))
	if _, err := x.Run(t.Context(), repository(t), ""); err == nil || strings.Contains(err.Error(), "another memory sync") {
		t.Errorf("with a lock that cannot be opened it ends with %v", err)
	}
}
