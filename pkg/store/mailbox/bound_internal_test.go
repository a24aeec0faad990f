package mailbox

import (
	"errors"
	"os/exec"
	"path/filepath"
	"testing"

	"filippo.io/age"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

// A letter of 100 MB of one byte costs the repository little: no more of it is unpacked than a letter may have.
func TestALetterIsUnpackedUpToItsMost(t *testing.T) {
	address := filepath.Join(t.TempDir(), "repository.git")
	if out, err := exec.CommandContext(t.Context(), "git", "init", "--quiet", "--bare", address).CombinedOutput(); err != nil {
		t.Skipf("git: %v: %s", err, out)
	}
	box := musttest.Get(Open(t.Context(), t.TempDir(), address))(t)
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
