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
	"strconv"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// Build identifies a build of memoryd. Builds are totally ordered, first by version, then by stamp, so that the
// daemons of several plugins cannot replace each other in a circle.
type Build struct {
	Version string `json:"version"` // semantic version, in the form of git describe
	Stamp   int64  `json:"stamp"`   // time of the source, in seconds since 1970
}

// WithPluginVersion returns b, the build of program, with the version of the plugin's manifest if its own is not semantic.
func (b Build) WithPluginVersion(program string) Build {
	if semantic.MatchString(b.Version) {
		return b
	}
	var manifest struct{ Version string } // stays empty if it cannot be read
	content, _ := os.ReadFile(filepath.Join(paths.PluginRoot(program), ".claude-plugin", "plugin.json"))
	_ = json.Unmarshal(content, &manifest)
	b.Version = manifest.Version
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

// buildTime limits how long a program may take to report its build.
const buildTime = 5 * time.Second

// buildOf runs a memoryd to get its build. It fails for an old memoryd that does not know --build.
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

// semantic matches a semantic version, also in the form of git describe.
var semantic = regexp.MustCompile(`^v?(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$`)

// compare returns a negative number if b is older than other, 0 if they are equal. Of two builds with the same three
// numbers, such as a prerelease and its release, the source's time decides.
func (b Build) compare(other Build) int {
	return cmp.Or(slices.Compare(numbers(b.Version), numbers(other.Version)), cmp.Compare(b.Stamp, other.Stamp))
}

// numbers returns the three numbers of a semantic version. For any other version it returns none, which is lowest.
func numbers(version string) (all []int) {
	for i, digits := range semantic.FindStringSubmatch(version) {
		if n, err := strconv.Atoi(digits); i > 0 && err == nil {
			all = append(all, n)
		}
	}
	return all
}
