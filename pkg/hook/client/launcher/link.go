package launcher

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// LinkDirs returns the directories for the link to memory, in order of preference; none without HOME.
func LinkDirs(getenv func(string) string) []string {
	home := getenv("HOME")
	if home == "" {
		return nil
	}
	return []string{filepath.Join(home, ".local", "bin"), filepath.Join(home, "bin")}
}

// IsLink reports whether link is a link to program, or to the same program in another version of the plugin, which may
// be deleted.
func IsLink(link, program string) bool {
	target, err := os.Readlink(link)
	if err != nil {
		return false
	}
	ours := filepath.Join("bin", filepath.Base(program))
	return target == program ||
		strings.HasSuffix(target, string(filepath.Separator)+ours) && strings.Contains(target, "surrealdb-memory")
}

// IsOfVersion reports whether program lies in the directory of one plugin version, PLUGIN/VERSION, which the client
// deletes some time after an update.
func IsOfVersion(layout paths.Layout, program string) bool {
	root := paths.InstalledRoot(program)
	return root != layout.Home && filepath.Base(filepath.Dir(root)) == "surrealdb-memory"
}

// Plugin returns the plugin directory that a script starts programs from, or "" if the file is not a script of ours.
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
