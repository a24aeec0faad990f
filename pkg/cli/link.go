package cli

import (
	"os"
	"path/filepath"
	"strings"
)

// pathDirs are the directories of PATH.
func pathDirs(getenv func(string) string) []string { return filepath.SplitList(getenv("PATH")) }

// usualDirs are where the link may be, the first choice first.
func usualDirs(getenv func(string) string) []string {
	home := getenv("HOME")
	if home == "" {
		return nil
	}
	return []string{filepath.Join(home, ".local", "bin"), filepath.Join(home, "bin")}
}

// leadsTo reports whether a link is one of ours: to this program, or to that of another version of the
// plugin, which may be missing.
func leadsTo(link, executable string) bool {
	target, err := os.Readlink(link)
	if err != nil {
		return false
	}
	ours := filepath.Join("bin", filepath.Base(executable))
	return target == executable ||
		strings.HasSuffix(target, string(filepath.Separator)+ours) && strings.Contains(target, "surrealdb-memory")
}
