package surreal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/engine/enginetest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wiretest"
)

// On a full disk of 12 MB, refused writes count as the storage's fault, and after a restart with free space, the same
// engine writes again.
func TestEngineOnAFullDisk(t *testing.T) {
	disk := enginetest.SmallDisk(t, 12)
	filler := filepath.Join(disk, "filler")
	musttest.Do(t, os.WriteFile(filler, make([]byte, 6<<20), 0o600))
	supervisor, opts := wiretest.Engine(t, disk)
	c := wiretest.Open(t, opts)
	var err error
	for i := 0; i < 1000 && err == nil; i++ {
		_, err = c.Run(t.Context(), wire.Request{SQL: "CREATE t SET text = $text", Vars: map[string]any{"text": strings.Repeat("x", 40_000)}})
	}
	if !errors.Is(err, memory.ErrStorage) {
		t.Fatalf("on a full disk: %v, want %v", err, memory.ErrStorage)
	}
	musttest.Do(t, os.Remove(filler))
	supervisor.Restart("the disk was full")
	musttest.Is(t, nil, musttest.Err(c.ExecIdempotent(t.Context(), "UPSERT t:1 SET text = 'x'", nil)), "with room again")
}
