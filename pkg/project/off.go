package project

import (
	"os"
	"path/filepath"
)

// OffFile, in a project, switches memory off there: nothing is captured or recalled.
// `memory` keeps a file with the same meaning in the home, for projects that should not
// get one.
const OffFile = ".claude/memory-off"

// IsOff tells whether the project has that file, or the given mark exists.
func (p Project) IsOff(mark string) bool {
	for _, file := range []string{mark, filepath.Join(p.Root, OffFile)} {
		if _, err := os.Stat(file); err == nil {
			return true
		}
	}
	return false
}
