package database

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// TestANoticeThatIsDatedAheadPreventsNoRebuild: the clock may have been wrong.
func TestANoticeThatIsDatedAheadPreventsNoRebuild(t *testing.T) {
	layout := paths.Layout{Home: t.TempDir()}
	d := &Database{layout: layout}
	if _, isRecent := d.lastRebuild(); isRecent {
		t.Error("a store that never was rebuilt was rebuilt lately")
	}
	musttest.Do(t, errors.Join(os.MkdirAll(filepath.Dir(layout.StoreNotice()), 0o700), os.WriteFile(layout.StoreNotice(), nil, 0o600)))
	for age, want := range map[time.Duration]bool{time.Minute: true, 2 * time.Hour: false, -365 * 24 * time.Hour: false} {
		at := time.Now().Add(-age)
		musttest.Do(t, os.Chtimes(layout.StoreNotice(), at, at))
		if _, isRecent := d.lastRebuild(); isRecent != want {
			t.Errorf("a notice %s old prevents a rebuild: %t, want %t", age, isRecent, want)
		}
	}
}
