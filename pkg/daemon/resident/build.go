package resident

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// Build identifies a build of memoryd. Builds are totally ordered, first by version, then by stamp, so that the
// daemons of several plugins cannot replace each other in a circle.
type Build struct {
	Version string `json:"version"` // semantic version, in the form of git describe
	Stamp   int64  `json:"stamp"`   // time of the source, in seconds since 1970
}

// WithPluginVersion returns the build b of the program at this path. If b's version is not a semantic one ("dev", a
// bare commit), it is replaced by the version in the plugin's manifest.
func (b Build) WithPluginVersion(program string) Build {
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
	return json.NewEncoder(out).Encode(b.WithPluginVersion(program))
}

// pluginVersion returns the version in the manifest of a plugin, or "" if it cannot be read.
func pluginVersion(root string) string {
	var manifest struct{ Version string }
	content, err := os.ReadFile(filepath.Join(root, ".claude-plugin", "plugin.json"))
	if err != nil || json.Unmarshal(content, &manifest) != nil {
		return ""
	}
	return manifest.Version
}

// buildTime limits how long a program may take to report its build.
const buildTime = 5 * time.Second

// buildOf runs a memoryd to get its build. It fails if the program does not answer, like builds before --build
// existed.
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

// semantic matches a version in the form of git describe: a tag, or a tag with the number of commits after it.
var semantic = regexp.MustCompile(`^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+?))??(?:-(\d+)-g[0-9a-f]+)?(?:-dirty)?(?:\+.*)?$`)

// compare returns a negative number if b is older than other, 0 if they are equal.
func (b Build) compare(other Build) int {
	return cmp.Or(slices.Compare(rank(b.Version), rank(other.Version)), cmp.Compare(b.Stamp, other.Stamp))
}

// rank returns texts that, compared one by one, order versions by rule 11 of semver.org: the three numbers, the parts
// of the prerelease (a release ranks above its prereleases), and the number of commits after the tag. Invalid
// versions rank lowest.
func rank(version string) []string {
	parts := semantic.FindStringSubmatch(version)
	if parts == nil {
		return nil
	}
	all := []string{number(parts[1]), number(parts[2]), number(parts[3])}
	for part := range strings.SplitSeq(parts[4], ".") {
		switch {
		case part == "":
			all = append(all, "~") // sorts after every part of a prerelease
		case strings.Trim(part, "0123456789") == "":
			all = append(all, "0"+number(part))
		default:
			all = append(all, "1"+part)
		}
	}
	return append(all, "", number(parts[5])) // "" makes a prerelease sort before one with further parts
}

// number returns a number as a text that sorts like the number.
func number(digits string) string {
	digits = strings.TrimLeft(digits, "0")
	return fmt.Sprintf("%06d%s", len(digits), digits)
}
