package recall

import (
	"cmp"
	"math/bits"
	"path"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// File returns the memories that name a file, the most important and then the newest first:
// "export.go" names any file of that name, "pkg/export.go" one in that folder. For a new
// file a memory may also name its folder, or be about another file in it.
func (x *Index) File(file string, isNew bool) []Hit {
	file = strings.Trim(cleanPath(file), "/")
	marks := []mark{{byFile, path.Base(file)}}
	folder := path.Dir(file)
	if isNew && folder != "." {
		marks = append(marks, mark{byFolder, folder})
		for folder := range strings.SplitSeq(folder, "/") {
			marks = append(marks, mark{byFile, folder})
		}
	}
	return x.marked(marks, func(d *doc) bool {
		return slices.ContainsFunc(d.files, func(named string) bool {
			return isWithin(file, named) || path.IsAbs(named) && isWithin(named, file) || isNew &&
				(path.Dir(named) == folder || isWithinFolder(folder, named))
		})
	})
}

// isWithin reports whether a path is end, or ends in it.
func isWithin(file, end string) bool { return file == end || strings.HasSuffix(file, "/"+end) }

// isWithinFolder reports whether a folder's path contains the path of another folder.
func isWithinFolder(folder, named string) bool {
	return strings.Contains("/"+folder+"/", "/"+named+"/")
}

// Commands returns the memories about one of the cores (see shell.Normalize) or about an error signature, those about both first.
// Rules about commits, pushes, pull requests and releases count as memories about the commands that make them.
func (x *Index) Commands(cores []string, signature string) []Hit {
	var marks []mark
	for _, core := range cores {
		marks = append(marks, mark{byCommand, core}, mark{byCommand, completed(core)})
	}
	if signature != "" {
		marks = append(marks, mark{byError, memory.OneLine(signature)})
	}
	return x.marked(marks, func(*doc) bool { return true })
}

// Rules returns the user's rules for the type of work that a new file's folder names, as the
// folder of migrations does. Such rules share few words with the path.
func (x *Index) Rules(file string) []Hit {
	var marks []mark
	for _, of := range workNamed(path.Dir(file)) {
		marks = append(marks, mark{byWork, string(of)})
	}
	hits := x.marked(marks, func(*doc) bool { return true })
	return hits[:min(len(hits), mostRules)]
}

// mostRules is how many rules a new file is given at most.
const mostRules = 3

// marked returns the memories that have one of the marks, fit, and were not superseded: those with
// the most kinds of marks first, then the pinned, the most important and the newest.
func (x *Index) marked(marks []mark, fits func(d *doc) bool) []Hit {
	x.mu.RLock()
	defer x.mu.RUnlock()
	kinds := map[uint32]uint8{}
	for _, one := range marks {
		for _, slot := range x.marks[one] {
			kinds[slot] |= 1 << one.kind
		}
	}
	var hits []Hit
	for slot, of := range kinds {
		if d := &x.docs[slot]; d.entry.SupersededBy == "" && fits(d) {
			hits = append(hits, Hit{Memory: d.entry.Memory, Score: float64(bits.OnesCount8(of)), Fits: true})
		}
	}
	slices.SortFunc(hits, foremostFirst)
	return hits
}

func foremostFirst(a, b Hit) int {
	pinned := func(m *memory.Memory) int {
		if m.Pinned {
			return 0
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(b.Score, a.Score), cmp.Compare(pinned(&a.Memory), pinned(&b.Memory)),
		cmp.Compare(b.Memory.Importance, a.Memory.Importance),
		b.Memory.LastSeenAt.Compare(a.Memory.LastSeenAt), strings.Compare(a.Memory.ID, b.Memory.ID),
	)
}

// Fixes returns the newest fix of each of the commands, given as cores, the newest first.
func (x *Index) Fixes(commands []string) []memory.Memory {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var found []memory.Memory
	for _, command := range commands {
		var newest *memory.Memory
		for _, slot := range x.marks[mark{byCommand, command}] {
			m := &x.docs[slot].entry.Memory
			if m.Kind == memory.KindFix && x.docs[slot].entry.SupersededBy == "" &&
				(newest == nil || m.LastSeenAt.After(newest.LastSeenAt)) {
				newest = m
			}
		}
		if newest != nil && !slices.ContainsFunc(found, func(m memory.Memory) bool { return m.ID == newest.ID }) {
			found = append(found, *newest)
		}
	}
	slices.SortStableFunc(found, func(a, b memory.Memory) int {
		return cmp.Or(b.LastSeenAt.Compare(a.LastSeenAt), strings.Compare(a.ID, b.ID))
	})
	return found
}

// Nearest returns the memory's cue that shares most with a text; empty if none shares anything.
func (x *Index) Nearest(text, id string) (cue string) {
	x.offer(text, func(r *ranking) {
		slot, has := x.slots[id]
		if !has {
			return
		}
		d, most := &x.docs[slot], 0.0
		for i := range d.cues {
			if c := r.covered(&doc{cues: d.cues[i : i+1]}); c > most {
				most, cue = c, d.entry.Memory.Cues[i]
			}
		}
	})
	return cue
}
