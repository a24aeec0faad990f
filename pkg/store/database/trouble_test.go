package database

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

func TestEachTroubleIsToldOnceWithOneRemedy(t *testing.T) {
	for told, err := range map[string]error{
		"the database engine could not be installed: npm fails; check that this machine can reach the npm registry (is a proxy set?), then run memory setup engine install":                     fmt.Errorf("%w: %w", errInstall, errors.New("npm fails")),
		"the store was rebuilt already: the store's files are damaged; run memory backup rebuild --yes":                                                                                         fmt.Errorf("the store was rebuilt already: %w: %w", wire.ErrUnavailable, memory.ErrDamaged),
		"the schema could not be brought up to date: a newer plugin wrote the database: it is at version 13; the store stays unchanged; claude plugin update surrealdb-memory@surrealdb-memory": fmt.Errorf("the schema could not be brought up to date: %w: it is at version 13", migrate.ErrNewer),
	} {
		musttest.Same(t, told, Explain(err).String(), "%v is told", err)
	}
}

func TestAnEngineThatOthersMayChangeNamesTheRemedy(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("others' rights are not looked at")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "server.mjs")
	musttest.Do(t, errors.Join(os.WriteFile(file, nil, 0o600), os.Chmod(file, 0o666)))
	got := Explain(fmt.Errorf("the database engine is not safe from other users: %w", private.Programs(dir)))
	want := "the database engine is not safe from other users: others may write to " + file + " (mode 0666), so it is not started; chmod go-w " + file + "; the daemon tries again within a minute, or at once after memory daemon stop"
	musttest.Same(t, want, got.String(), "explained")
}

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
