package recall

import (
	"cmp"
	"math/bits"
	"path"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory"
)

// File returns the memories that name a file: pinned ones first, then the most important, then the newest.
// "export.go" in a memory names every file of that name, "pkg/export.go" only files in a folder pkg.
func (x *Index) File(file string) []memory.Hit {
	file = strings.Trim(cleanPath(file), "/")
	return x.withKeys([]lookupKey{{byFile, path.Base(file)}}, func(d *doc) bool {
		return slices.ContainsFunc(d.files, func(named string) bool {
			return isWithin(file, named) || path.IsAbs(named) && isWithin(named, file)
		})
	})
}

// isWithin reports whether a path equals end or ends in it.
func isWithin(file, end string) bool { return file == end || strings.HasSuffix(file, "/"+end) }

// Commands returns the memories about one of the commands (in the form of shell.CoreOf) or about an error signature; memories
// about both come first. Rules about commits, pushes, pull requests and releases count as memories about the commands for them.
func (x *Index) Commands(cores []string, signature string) []memory.Hit {
	var keys []lookupKey
	for _, core := range cores {
		keys = append(keys, lookupKey{byCommand, core}, lookupKey{byCommand, completed(core)})
	}
	if signature != "" {
		keys = append(keys, lookupKey{byError, memory.OneLine(signature)})
	}
	return x.withKeys(keys, func(*doc) bool { return true })
}

// withKeys returns the memories that have one of the keys, are not superseded, and for which fits returns true.
// Memories with the most kinds of keys come first, then pinned ones, then the most important, then the newest.
func (x *Index) withKeys(keys []lookupKey, fits func(d *doc) bool) []memory.Hit {
	x.mu.RLock()
	defer x.mu.RUnlock()
	kinds := map[uint32]uint8{}
	for _, one := range keys {
		for _, slot := range x.keys[one] {
			kinds[slot] |= 1 << one.kind
		}
	}
	var hits []memory.Hit
	for slot, of := range kinds {
		if d := &x.docs[slot]; d.entry.SupersededBy == "" && fits(d) {
			hits = append(hits, memory.Hit{Memory: d.entry.Memory, Score: float64(bits.OnesCount8(of)), Fits: true})
		}
	}
	slices.SortFunc(hits, foremostFirst)
	return hits
}

func foremostFirst(a, b memory.Hit) int {
	return cmp.Or(
		cmp.Compare(b.Score, a.Score), memory.TrueFirst(a.Memory.Pinned, b.Memory.Pinned),
		cmp.Compare(b.Memory.Importance, a.Memory.Importance),
		b.Memory.LastSeenAt.Compare(a.Memory.LastSeenAt), strings.Compare(a.Memory.ID, b.Memory.ID),
	)
}
