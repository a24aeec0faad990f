package hook

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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
	old, err := os.ReadFile(file + ".old")
	if err != nil {
		t.Fatal(err)
	}
	if len(now)+len(old) > 3*maxLogBytes || !strings.Contains(string(now)+string(old), "the last") {
		t.Errorf("the log has %d bytes, the one before it %d; want the last line in one of them and no more than that", len(now), len(old))
	}
}
