// Package instructions reads the instruction files that a client loads into a session by itself: CLAUDE.md, AGENTS.md
// and the index of auto-memory. It reads regular files in the project and in the client's directory only, and follows
// no link out of them. It keeps their words and stems in RAM only, and sends nothing anywhere.
package instructions

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/daemon/filestate"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
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

// New returns an empty Instructions. client is the directory of the client's settings; if empty, only files of projects are read.
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

const (
	// lookEvery is the minimum time between two checks of a place's files.
	lookEvery = time.Second
	// lookTime limits how long an answer waits for a check; after that, the last check's result holds until the next is done.
	lookTime = 50 * time.Millisecond
	// maxVerdicts is the maximum number of memories whose file is cached for a place.
	maxVerdicts = 4096
)

// view is the result of the last check of a place.
type view struct {
	looked time.Time // when the last check ended
	files  []file
	found  *sentences // nil before the first check
}

func (v *view) set(files []file, now time.Time) {
	if v.found == nil || !slices.EqualFunc(files, v.files, file.isSame) {
		v.found = newSentences(files)
	}
	v.files, v.looked = files, now
}

// sentences has the sentences of a place's files. verdicts caches answers, because each start asks about the same memories.
type sentences struct {
	sentences []sentence
	lines     map[string]string // file with an item or paragraph, by lineOf
	rules     map[string]string // file with the memory in its block of rules, by memory.ShortID
	verdicts  *lru.Cache[string, string]
}

type sentence struct {
	file string
	core english.Core
}

func newSentences(files []file) *sentences {
	verdicts, _ := lru.New[string, string](maxVerdicts) // fails only for a size below 1
	s := &sentences{lines: map[string]string{}, rules: map[string]string{}, verdicts: verdicts}
	for _, f := range files {
		for _, id := range f.rules {
			s.rules[id] = f.name
		}
		for _, line := range f.lines {
			s.lines[line] = f.name
		}
		for _, core := range f.cores {
			s.sentences = append(s.sentences, sentence{f.name, core})
		}
	}
	return s
}

// fileWith returns the name of the file that has a memory in its block of rules, in one sentence, or sentence by sentence; "" if
// no file does. If the sentences are in several files, it returns the file of the last sentence. The user's words must be an item or a
// paragraph of the file: the same words in another order, or in a longer text, can mean the opposite.
func (s *sentences) fileWith(m memory.Memory) string {
	if name, isRule := s.rules[memory.ShortID(m.ID)]; isRule {
		return name
	}
	if m.IsUsersWord() {
		return s.lines[lineOf(m.Content)]
	}
	name, known := s.verdicts.Get(m.ID)
	if known {
		return name
	}
	if name = s.file(english.CoreOf(m.Content)); name == "" {
		for _, core := range coresOf(m.Content) {
			if name = s.file(core); name == "" {
				break
			}
		}
	}
	s.verdicts.Add(m.ID, name)
	return name
}

// file returns the name of the file with a sentence that has all words of a core, or "".
func (s *sentences) file(core english.Core) string {
	for _, one := range s.sentences {
		if core.IsContainedIn(one.core) {
			return one.file
		}
	}
	return ""
}
