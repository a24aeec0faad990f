package launcher

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// LinkDirs are where the link to memory is put, the first choice first.
func LinkDirs(getenv func(string) string) []string {
	home := getenv("HOME")
	if home == "" {
		return nil
	}
	return []string{filepath.Join(home, ".local", "bin"), filepath.Join(home, "bin")}
}

// IsLink says whether a link is one of ours: to this program, or to the one of another version of the plugin, which may be gone.
func IsLink(link, program string) bool {
	target, err := os.Readlink(link)
	if err != nil {
		return false
	}
	ours := filepath.Join("bin", filepath.Base(program))
	return target == program ||
		strings.HasSuffix(target, string(filepath.Separator)+ours) && strings.Contains(target, "surrealdb-memory")
}

// IsOfVersion says whether a program lies in the folder of one version of the plugin, which the client deletes some time after
// an update: that folder is named by the version, and the one above it by the plugin.
func IsOfVersion(layout paths.Layout, program string) bool {
	root := paths.InstalledRoot(program)
	return root != layout.Home && filepath.Base(filepath.Dir(root)) == "surrealdb-memory"
}

// Plugin is the directory that a launcher leads to; "" if the file is none.
func Plugin(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if quoted, is := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "r='"); is {
			return strings.ReplaceAll(strings.TrimSuffix(quoted, "'"), `'\''`, "'"), nil
		}
	}
	return "", nil
}
