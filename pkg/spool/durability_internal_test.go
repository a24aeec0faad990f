package spool

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// TestPutWaitsForTheDisk counts how often an event is synced.
func TestPutWaitsForTheDisk(t *testing.T) {
	synced := 0
	syncFile = func(f *os.File) error { synced++; return f.Sync() }
	t.Cleanup(func() { syncFile = (*os.File).Sync })
	s := New(filepath.Join(t.TempDir(), "spool"))
	at := time.Now()
	e := memory.Event{ID: memory.NewEventID(at), At: at, Kind: memory.EventPrompt, Session: "s", Prompt: "x", Project: memory.Project{Key: "p", Name: "p", Root: "/p"}}
	if err := s.Put(e); err != nil || synced != 1 {
		t.Errorf("%d syncs, %v", synced, err)
	}
}
