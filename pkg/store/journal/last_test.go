package journal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/store/journal"
)

func TestTheLastRecordsAreThoseAtTheEnd(t *testing.T) {
	dir, now := filepath.Join(t.TempDir(), "journal"), time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	last := func() (names []string) {
		t.Helper()
		musttest.Do(t, journal.ReadLast(dir, func(r journal.Record) { names = append(names, strings.TrimSpace(promptOf(r).Text)) }))
		return names
	}
	if got := last(); got != nil {
		t.Errorf("a journal that is not there ends with %v", got)
	}
	j := journal.New(dir, func() time.Time { return now })
	write := func(name string) {
		t.Helper()
		musttest.Do(t, j.Append(recordOf(memory.Prompt{ID: "e", Text: name})))
	}
	for n := range 20 {
		write(fmt.Sprint(n, strings.Repeat(" ", 100_000)))
	}
	if got := last(); len(got) < 3 || len(got) > 6 || got[len(got)-1] != "19" {
		t.Errorf("a long segment ends with %v", got)
	}
	now = now.AddDate(0, 0, 1)
	write("next day")
	musttest.Do(t, j.Close())
	if got := last(); len(got) != 1 || got[0] != "next day" {
		t.Errorf("the next day's segment ends with %v", got)
	}
	segments, err := filepath.Glob(filepath.Join(dir, "2026-11-21*"))
	if err != nil || len(segments) != 1 {
		t.Fatal(segments, err)
	}
	whole := musttest.Get(os.ReadFile(segments[0]))(t)
	if err := os.WriteFile(segments[0], append(whole, `{"at":"20`...), 0o600); err != nil { // its writer was killed
		t.Fatal(err)
	}
	if got := last(); len(got) != 1 || got[0] != "next day" {
		t.Errorf("a torn segment ends with %v", got)
	}
	musttest.Do(t, os.WriteFile(segments[0], nil, 0o600))
	if got := last(); len(got) == 0 || got[len(got)-1] != "19" {
		t.Errorf("behind an empty segment the journal ends with %v", got)
	}
}
