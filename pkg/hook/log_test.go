package hook

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

func TestTheLogIsPutAsideWhenItIsLarge(t *testing.T) {
	file := filepath.Join(t.TempDir(), "logs", "hooks.log")
	for range 3 {
		logLine(file, time.Now(), "a", "s", errors.New(strings.Repeat("x", maxLogBytes)))
	}
	logLine(file, time.Now(), "a", "s", errors.New("the last"))
	now, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	old := musttest.Get(os.ReadFile(file + ".old"))(t)
	if len(now)+len(old) > 3*maxLogBytes || !strings.Contains(string(now)+string(old), "the last") {
		t.Errorf("the log has %d bytes, the one before it %d; want the last line in one of them and no more than that", len(now), len(old))
	}
}
