package database

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/migrate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/surreal/wire"
)

func TestAFailedInstallationNamesTheCommandThatDoesItAgain(t *testing.T) {
	got := Explain(fmt.Errorf("%w: %w", errInstall, errors.New("npm fails")))
	if got.Command != "setup engine install" || got.Problem != "the database engine could not be installed: npm fails" {
		t.Errorf("explained as %+v", got)
	}
}

func TestADamagedStoreIsToldOnceWithOneRemedy(t *testing.T) {
	got := Explain(fmt.Errorf("the store was rebuilt already: %w: %w", wire.ErrUnavailable, memory.ErrDamaged))
	if want := "the store was rebuilt already: the store's files are damaged; run memory backup rebuild --yes"; got.String() != want {
		t.Errorf("explained as %q, want %q", got, want)
	}
}

func TestAnOlderPluginNamesTheUpdate(t *testing.T) {
	got := Explain(fmt.Errorf("the schema could not be brought up to date: %w: it is at version 13", migrate.ErrNewer))
	if !strings.Contains(got.Problem, "the store stays unchanged") || !strings.Contains(got.Problem, "at version 13") || !strings.Contains(got.String(), "claude plugin update") {
		t.Errorf("explained as %+v", got)
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
