package spool

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// TestPutWaitsForTheDiskUnlessUnsynced counts how often an event is synced.
func TestPutWaitsForTheDiskUnlessUnsynced(t *testing.T) {
	synced := 0
	syncFile = func(f *os.File) error { synced++; return f.Sync() }
	t.Cleanup(func() { syncFile = (*os.File).Sync })
	s := New(filepath.Join(t.TempDir(), "spool"))
	now := time.Now()
	for i, unsynced := range []bool{false, true} {
		at := now.Add(time.Duration(i))
		s.Unsynced, synced = unsynced, 0
		e := memory.Event{ID: memory.NewEventID(at), At: at, Kind: memory.EventPrompt, Session: "s", Prompt: "x", Project: memory.Project{Key: "p", Name: "p", Root: "/p"}}
		if err := s.Put(e); err != nil {
			t.Fatal(err)
		}
		if (synced == 0) != unsynced {
			t.Errorf("unsynced %t: %d syncs", unsynced, synced)
		}
	}
	claims, err := s.Claim(10)
	if err != nil || len(claims) != 2 || claims[0].Err != nil || claims[1].Err != nil {
		t.Errorf("claimed %+v, %v", claims, err)
	}
}
