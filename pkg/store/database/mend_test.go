package database

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// TestANoticeThatIsDatedAheadPreventsNoRebuild: the clock may have been wrong.
func TestANoticeThatIsDatedAheadPreventsNoRebuild(t *testing.T) {
	layout := paths.Layout{Home: t.TempDir()}
	d := &Database{layout: layout}
	if _, isRecent := d.lastRebuild(); isRecent {
		t.Error("a store that never was rebuilt was rebuilt lately")
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(layout.StoreNotice()), 0o700), os.WriteFile(layout.StoreNotice(), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for age, want := range map[time.Duration]bool{time.Minute: true, 2 * time.Hour: false, -365 * 24 * time.Hour: false} {
		at := time.Now().Add(-age)
		if err := os.Chtimes(layout.StoreNotice(), at, at); err != nil {
			t.Fatal(err)
		}
		if _, isRecent := d.lastRebuild(); isRecent != want {
			t.Errorf("a notice %s old prevents a rebuild: %t, want %t", age, isRecent, want)
		}
	}
}
