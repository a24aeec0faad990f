// Package instructions reads the instruction files that a client loads into a session by itself: CLAUDE.md, AGENTS.md
// and auto-memory. It reads regular files in the project and in the client's directory only, follows no link out of
// them, and keeps only the stems of their words. It sends nothing anywhere.
package instructions

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/filestate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// maxPlaces is the maximum number of places (project and client) whose files are cached.
const maxPlaces = 16

// Instructions caches the sentences of instruction files. Its methods are safe for concurrent use.
type Instructions struct {
	client string
	now    func() time.Time
	scan   func(place, []file) []file
	reads  filestate.ReadLimiter

	mu     sync.Mutex // guards places and the views in it; not held while files are read
	places *lru.Cache[place, *view]
}

// New returns an empty Instructions. client is the directory of the client's settings; if empty, only files of
// projects are read.
func New(client string, now func() time.Time) *Instructions {
	places, _ := lru.New[place, *view](maxPlaces) // fails only for a size below 1
	return &Instructions{client: client, now: now, scan: scan, places: places}
}

// FileFinder returns a function that returns the name of the instruction file with a memory's content, or "". It searches the
// files that a client loads in the project at root. The function caches its results by id, so memories with the same id must
// have the same content. It is nil if no file with text has been read yet. FileFinder starts to read changed files, at most once
// a second, and waits a moment for that.
func (x *Instructions) FileFinder(ctx context.Context, client, root string) func(memory.Memory) string {
	if !filepath.IsAbs(root) {
		return nil
	}
	where := place{filepath.Clean(root), x.client, client}
	x.mu.Lock()
	defer x.mu.Unlock()
	v, held := x.places.Get(where)
	if !held {
		v = &view{}
		x.places.Add(where, v)
	}
	if before := v.files; v.found == nil || x.now().Sub(v.looked) >= lookEvery {
		x.mu.Unlock()
		filestate.TryRead(ctx, &x.reads, where.root, lookTime, func() bool { // if it takes longer, the next call has the result
			files := x.scan(where, before)
			x.mu.Lock()
			defer x.mu.Unlock()
			v.set(files, x.now())
			return true
		})
		x.mu.Lock()
	}
	if v.found == nil || len(v.found.sentences)+len(v.found.rules) == 0 {
		return nil
	}
	return v.found.fileWith
}
