// Package instructions reads the instruction files that a client loads into a session by itself:
// the sentences of CLAUDE.md files, rules and auto-memory. It reads regular files in the
// project and in the client's directory only, follows no link out of them, and keeps only
// the stems of their words. It sends nothing anywhere.
package instructions

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// maxPlaces limits the places (project, directory and client) whose files are cached.
const maxPlaces = 16

// Instructions holds the sentences of files. Its methods are safe for concurrent use.
type Instructions struct {
	client string
	now    func() time.Time
	scan   func(place, []file) []file

	mu     sync.Mutex // held from looking for a view until it is added
	places *lru.Cache[place, *view]
}

// New returns an empty Instructions. client is the directory of the client's settings; if it is empty, only the files
// of projects are read.
func New(client string, now func() time.Time) *Instructions {
	places, err := lru.New[place, *view](maxPlaces)
	if err != nil { // only for a size below one
		panic(err)
	}
	return &Instructions{client: client, now: now, scan: scan, places: places}
}

// FileFinder returns a function that names the file with the content of a memory, or "". The files are those of a
// client that works on dir, below root. Verdicts are cached by id, so memories with the same id must have the same
// content. The function is nil if no file has been read. FileFinder starts a check of the files, at most once a
// second, and waits a moment for it.
func (x *Instructions) FileFinder(ctx context.Context, client, root, dir string) func(memory.Memory) string {
	if !filepath.IsAbs(root) {
		return nil
	}
	where := place{filepath.Clean(root), filepath.Clean(dir), x.client, client}
	v := x.view(where)
	looked := v.look(x.now(), func(before []file) []file { return x.scan(where, before) })
	select {
	case <-looked:
	case <-ctx.Done():
	}
	return v.finder()
}

func (x *Instructions) view(where place) *view {
	x.mu.Lock()
	defer x.mu.Unlock()
	v, held := x.places.Get(where)
	if !held {
		v = &view{}
		x.places.Add(where, v)
	}
	return v
}
