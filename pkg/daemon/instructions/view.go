package instructions

import (
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/language/english"
)

const (
	// lookEvery is the minimum time between two checks of a place's files.
	lookEvery = time.Second
	// lookTime limits how long an answer waits for a check. A file system that hangs costs this time once: until it
	// answers, the previous result is used.
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

// sentences has the sentences of a place's files. It caches for each memory the name of the file that has it, because
// each session's start asks about the same memories.
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
