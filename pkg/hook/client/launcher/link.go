package launcher

import (
	"os"
	"path/filepath"
	"strings"
)

// LinkDirs returns the directories for the link to memory, in order of preference; none without HOME.
func LinkDirs(getenv func(string) string) []string {
	home := getenv("HOME")
	if home == "" {
		return nil
	}
	return []string{filepath.Join(home, ".local", "bin"), filepath.Join(home, "bin")}
}

// IsLink reports whether link is a link to program, or to the same program in another version of the plugin. The target
// need not exist.
func IsLink(link, program string) bool {
	target, err := os.Readlink(link)
	if err != nil {
		return false
	}
	ours := filepath.Join("bin", filepath.Base(program))
	return target == program ||
		strings.HasSuffix(target, string(filepath.Separator)+ours) && strings.Contains(target, "surrealdb-memory")
}
