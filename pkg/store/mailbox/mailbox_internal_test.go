package mailbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// Names of letters, in order.
const one, two, three = "000000000000000000000001.age", "000000000000000000000002.age", "000000000000000000000003.age"

// bareRepository is an empty git repository that letters are pushed to.
func bareRepository(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "letters.git")
	if out, err := exec.CommandContext(t.Context(), "git", "init", "--quiet", "--bare", dir).CombinedOutput(); err != nil {
		t.Skipf("git: %v: %s", err, out)
	}
	return dir
}

func TestALockThatAKilledGitLeftIsNoEnd(t *testing.T) {
	origin, dir := bareRepository(t), t.TempDir()
	open := func() *Box {
		t.Helper()
		return musttest.Get(Open(t.Context(), dir, origin))(t)
	}
	box := open()
	musttest.Get(box.Fetch(t.Context()))(t)
	musttest.Do(t, box.add(t.Context(), one, []byte("one")))
	leave := func(file string, age time.Duration) {
		t.Helper()
		musttest.Do(t, os.MkdirAll(filepath.Dir(file), 0o700))
		then := time.Now().Add(-age)
		musttest.Do(t, os.WriteFile(file, nil, 0o600))
		musttest.Do(t, os.Chtimes(file, then, then))
	}
	// In the copy it is removed once no git can be at work any more.
	own := filepath.Join(dir, "repository", "refs", "memory", "fetched.lock")
	leave(own, 0)
	musttest.Fails(t, musttest.Err(open().Fetch(t.Context())), "a lock of now was ignored")
	leave(own, time.Hour)
	box = open()
	if names, err := box.Fetch(t.Context()); err != nil || len(names) != 1 {
		t.Errorf("after an old lock: %v, %v", names, err)
	}
	// In the repository of others it is named.
	lock := filepath.Join(origin, branch+".lock")
	leave(lock, time.Hour)
	err := box.add(t.Context(), two, []byte("two"))
	if err == nil || !strings.Contains(err.Error(), branch+".lock") || !strings.Contains(err.Error(), "delete the lock") {
		t.Errorf("with a lock in the repository: %v", err)
	}
	musttest.Do(t, os.Remove(lock))
	musttest.Do(t, box.add(t.Context(), two, []byte("two")))
	if names, err := box.Fetch(t.Context()); err != nil || len(names) != 2 || names[1] != two {
		t.Errorf("in the end there are %v, %v", names, err)
	}
}

func opened(t *testing.T, address string) *Box {
	t.Helper()
	return musttest.Get(Open(t.Context(), t.TempDir(), address))(t)
}

func allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

// Variables of git's, as its hooks have them, name another repository than the mailbox.
func TestGitsVariablesNameNoMailbox(t *testing.T) {
	origin, other := bareRepository(t), bareRepository(t)
	for name, value := range map[string]string{"GIT_DIR": other, "GIT_WORK_TREE": other, "GIT_INDEX_FILE": filepath.Join(other, "index"), "GIT_OBJECT_DIRECTORY": filepath.Join(other, "objects")} {
		t.Setenv(name, value)
	}
	box := opened(t, origin)
	if at, err := box.git(t.Context(), nil, "rev-parse", "--absolute-git-dir"); err != nil || at != box.repository {
		t.Errorf("git works in %q, %v; want %q", at, err, box.repository)
	}
}

// A file of zeros has 33 MB and costs the repository 33 KB: its size is looked up, and it is not read.
func TestALargeFileIsNotRead(t *testing.T) {
	origin := bareRepository(t)
	sender := opened(t, origin)
	musttest.Get(sender.Fetch(t.Context()))(t)
	const large = MostBytes + 1<<20
	for name, content := range map[string][]byte{one: make([]byte, large), two: []byte("small"), three: []byte("third")} {
		musttest.Do(t, sender.add(t.Context(), name, content))
		musttest.Get(sender.Fetch(t.Context()))(t)
	}
	box := opened(t, origin)
	before := allocated()
	if names, err := box.Fetch(t.Context()); err != nil || len(names) != 3 {
		t.Fatalf("fetched %v, %v", names, err)
	}
	musttest.Is(t, memory.ErrInvalid, musttest.Err(box.Read(t.Context(), one)), "a file that is too large")
	if used := allocated() - before; used > large/8 {
		t.Errorf("%d bytes were allocated", used)
	}
}

// A git that does not end is ended, also while a program that it has started keeps its output open.
func TestAGitThatHangsIsEnded(t *testing.T) {
	if _, err := exec.LookPath("sleep"); err != nil {
		t.Skip(err)
	}
	t.Setenv("GIT_SSH_COMMAND", "sleep 20; true")
	box := opened(t, "ssh://127.0.0.1/repository")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	musttest.Is(t, context.DeadlineExceeded, musttest.Err(box.Fetch(ctx)), "the error")
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("it took %s", took)
	}
}

// A letter of 100 MB of one byte costs the repository little: no more of it is unpacked than a letter may have.
func TestALetterIsUnpackedUpToItsMost(t *testing.T) {
	box := opened(t, bareRepository(t))
	key := musttest.Get(age.GenerateX25519Identity())(t)
	box.Key = key
	musttest.Get(box.Fetch(t.Context()))(t)
	musttest.Is(t, memory.ErrInvalid, musttest.Err(box.Send(t.Context(), make([]byte, MostBytes+1))), "a letter that no machine would read was sent")
	sealed := musttest.Get(box.seal(make([]byte, 100<<20)))(t)
	const name = "0123456789abcdef01234567.age"
	musttest.Do(t, box.add(t.Context(), name, sealed))
	musttest.Get(box.Fetch(t.Context()))(t)
	before := allocated()
	text, err := box.Read(t.Context(), name)
	if used := allocated() - before; used > 6*MostBytes {
		t.Errorf("reading it allocates %d bytes", used)
	}
	if !errors.Is(err, memory.ErrInvalid) || text != nil {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

// Rows that do not fit in one letter go into several, each with the header and the projects before it.
func TestALetterThatIsFullIsSent(t *testing.T) {
	var sent []string
	fetched := 0
	letter := letterWriter{known: rowSet{}, most: 300}
	letter.send = func(text []byte) error {
		sent = append(sent, string(text))
		return nil
	}
	letter.next = func() error {
		fetched++
		return nil
	}
	lines := []string{`{"format":"header"}`, `{"kind":"project","project":{"key":"p"}}`}
	for i := range 20 {
		lines = append(lines, fmt.Sprintf(`{"kind":"memory","memory":{"content":"number %d"}}`, i))
	}
	for _, line := range lines {
		musttest.Get(letter.Write([]byte(line + "\n")))(t)
	}
	musttest.Do(t, letter.end())
	if len(sent) < 3 || fetched != len(sent)-1 || letter.sent != 20 {
		t.Fatalf("%d letters, %d rows, %d times made ready", len(sent), letter.sent, fetched)
	}
	head := lines[0] + "\n" + lines[1] + "\n"
	var rows string
	for _, text := range sent {
		if !strings.HasPrefix(text, head) || len(text) > 300 {
			t.Errorf("a letter is %q", text)
		}
		rows += strings.TrimPrefix(text, head)
	}
	musttest.Same(t, strings.Join(lines[2:], "\n")+"\n", rows, "the rows")
}
