package resident

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// Build orders daemons by age. Builds have one total order: by version, and those of one version by stamp. So of
// any number of plugins each replaces another at most once.
type Build struct {
	Version string `json:"version"` // semantic, in the form of git describe
	Stamp   int64  `json:"stamp"`   // the time of the source, in seconds since 1970
}

// Own is the build of this program, which lies at a path. Without a version of its own, between two tags or without any,
// it has its plugin's.
func (b Build) Own(program string) Build {
	if !semantic.MatchString(b.Version) {
		b.Version = pluginVersion(paths.PluginRoot(program))
	}
	return b
}

// Print writes the build of this program as JSON.
func (b Build) Print(out io.Writer) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(b.Own(program))
}

// pluginVersion is that in the manifest of a plugin, or "".
func pluginVersion(root string) string {
	var manifest struct{ Version string }
	content, err := os.ReadFile(filepath.Join(root, ".claude-plugin", "plugin.json"))
	if err != nil || json.Unmarshal(content, &manifest) != nil {
		return ""
	}
	return manifest.Version
}

// buildTime bounds asking a program for its build.
const buildTime = 5 * time.Second

// buildOf asks a memoryd. One of before it was asked is an error.
func buildOf(ctx context.Context, program string) (Build, error) {
	ctx, cancel := context.WithTimeout(ctx, buildTime)
	defer cancel()
	var theirs Build
	asked := exec.CommandContext(ctx, program, "--build")
	asked.WaitDelay = time.Second
	answer, err := asked.Output()
	if err == nil {
		err = json.Unmarshal(answer, &theirs)
	}
	if err != nil {
		return theirs, fmt.Errorf("ask %s for its build: %w", program, err)
	}
	return theirs, nil
}

// semantic is a version in the form of git describe: of a tag, or of a number of commits after.
var semantic = regexp.MustCompile(`^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+?))??(?:-(\d+)-g[0-9a-f]+)?(?:-dirty)?(?:\+.*)?$`)

// compare is negative if b is older than other.
func (b Build) compare(other Build) int {
	return cmp.Or(slices.Compare(rank(b.Version), rank(other.Version)), cmp.Compare(b.Stamp, other.Stamp))
}

// rank orders versions as semver.org does (11), when ranks are compared text by text: the three numbers, the parts of a
// prerelease, which a release is newer than, and the commits after the tag. No version is older than any.
func rank(version string) []string {
	parts := semantic.FindStringSubmatch(version)
	if parts == nil {
		return nil
	}
	all := []string{number(parts[1]), number(parts[2]), number(parts[3])}
	for part := range strings.SplitSeq(parts[4], ".") {
		switch {
		case part == "":
			all = append(all, "~") // behind all that may stand in a prerelease
		case strings.Trim(part, "0123456789") == "":
			all = append(all, "0"+number(part))
		default:
			all = append(all, "1"+part)
		}
	}
	return append(all, "", number(parts[5])) // of two prereleases the one that ends first is older
}

// number is a number of any length, so that the text of a smaller one is smaller.
func number(digits string) string {
	digits = strings.TrimLeft(digits, "0")
	return fmt.Sprintf("%06d%s", len(digits), digits)
}

// candidate is a caller's program, as it was when it was asked for its build.
type candidate struct {
	program  string
	size     int64
	modified time.Time
}

func candidateOf(program string, info fs.FileInfo) candidate {
	return candidate{program, info.Size(), info.ModTime()}
}
