// Package pathlink finds the link to this program, and the directories of the user's
// PATH where it may be.
package pathlink

import (
	"os"
	"path/filepath"
	"strings"
)

// Searched are the directories of PATH.
func Searched(getenv func(string) string) []string { return filepath.SplitList(getenv("PATH")) }

// UsualDirs are where the link may be, the first choice first.
func UsualDirs(getenv func(string) string) []string {
	home := getenv("HOME")
	if home == "" {
		return nil
	}
	return []string{filepath.Join(home, ".local", "bin"), filepath.Join(home, "bin")}
}

// LeadsTo says whether a link is one of ours: to this program, or to the one of
// another version of the plugin, which may be gone.
func LeadsTo(link, executable string) bool {
	target, err := os.Readlink(link)
	if err != nil {
		return false
	}
	ours := filepath.Join("bin", filepath.Base(executable))
	return target == executable ||
		strings.HasSuffix(target, string(filepath.Separator)+ours) && strings.Contains(target, "surrealdb-memory")
}
