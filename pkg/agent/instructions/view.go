package instructions

import (
	"context"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language/english"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

const (
	// lookEvery is the least time between two looks at the files of a place.
	lookEvery = time.Second
	// lookTime bounds the time that an answer waits for a look. A file system that hangs
	// costs it once: until it answers, the finding before is used.
	lookTime = 50 * time.Millisecond
	// maxVerdicts bounds the memories of which is known whether a place's files say them.
	maxVerdicts = 4096
)

// view is the finding about a place.
type view struct {
	mu      sync.Mutex // never held while files are read
	looked  time.Time
	isOn    bool            // a look goes on
	looking <-chan struct{} // closed when the last look has ended or has lasted too long
	files   []file
	said    *said
}

// look begins a look with scan, which is given the files of the last one, unless one goes
// on or was just made. The channel is closed when there is nothing to wait for.
func (v *view) look(now time.Time, scan func([]file) []file) <-chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.isOn || v.looking != nil && now.Sub(v.looked) < lookEvery {
		return v.looking
	}
	waiting, end := context.WithTimeout(context.Background(), lookTime)
	v.isOn, v.looked, v.looking = true, now, waiting.Done()
	before := v.files
	go func() { // a file system may hang
		defer end()
		v.set(scan(before))
	}()
	return v.looking
}

func (v *view) set(files []file) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.isOn = false
	if v.said == nil || !slices.EqualFunc(files, v.files, file.isSame) {
		v.said = newSaid(files)
	}
	v.files = files
}

// by is said.by of the latest finding; nil if there is none.
func (v *view) by() func(memory.Memory) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.said == nil || len(v.said.sentences) == 0 {
		return nil
	}
	return v.said.by
}

// said is the sentences of a place's files, with the verdicts on memories that were asked
// about: a start asks about the same ones each time.
type said struct {
	sentences []sentence
	verdicts  *lru.Cache[string, string]
}

type sentence struct {
	file string
	core english.Core
}

func newSaid(files []file) *said {
	verdicts, err := lru.New[string, string](maxVerdicts)
	if err != nil { // only for a size below one
		panic(err)
	}
	s := &said{verdicts: verdicts}
	for _, f := range files {
		for _, core := range f.cores {
			s.sentences = append(s.sentences, sentence{f.name, core})
		}
	}
	return s
}

// by names the file that says a memory, in one sentence or each of the memory's sentences
// in one of its own; empty if none does. If the sentences stand in several files, it is the last.
func (s *said) by(m memory.Memory) string {
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

// file names the file with a sentence that says a core; empty if none does.
func (s *said) file(core english.Core) string {
	for _, one := range s.sentences {
		if core.IsSaidBy(one.core) {
			return one.file
		}
	}
	return ""
}
