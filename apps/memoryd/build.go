package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/agentclient"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// stamp is set by the linker: the time of the source in seconds since 1970.
var stamp = "0"

// build tells an older agent from a newer one. Builds have one total order: by version,
// and those of one version by stamp. So of any number of plugins each replaces another at
// most once.
type build struct {
	Version string `json:"version"` // semantic, as git describe says it
	Stamp   int64  `json:"stamp"`   // the time of the source, in seconds since 1970
}

// ownBuild is the build of this program, which lies at a path. Without a version of its
// own, between two tags or without any, it has its plugin's.
func ownBuild(program string) build {
	own := build{Version: version}
	own.Stamp, _ = strconv.ParseInt(stamp, 10, 64) // zero is the oldest
	if !semantic.MatchString(own.Version) {
		own.Version = pluginVersion(paths.PluginRoot(program))
	}
	return own
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
func buildOf(ctx context.Context, program string) (build, error) {
	ctx, cancel := context.WithTimeout(ctx, buildTime)
	defer cancel()
	var theirs build
	asked := exec.CommandContext(ctx, program, "--build")
	asked.Env = agentclient.Environment(os.Environ())
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

// semantic is a version, as git describe says it: of a tag, or of a number of commits after.
var semantic = regexp.MustCompile(`^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+?))??(?:-(\d+)-g[0-9a-f]+)?(?:-dirty)?(?:\+.*)?$`)

// compare is negative if b is older than other.
func (b build) compare(other build) int {
	mine, theirs := semantic.FindStringSubmatch(b.Version), semantic.FindStringSubmatch(other.Version)
	if mine == nil || theirs == nil { // none is older than any
		return cmp.Or(cmp.Compare(len(mine), len(theirs)), cmp.Compare(b.Stamp, other.Stamp))
	}
	for i := 1; i <= 3; i++ {
		if c := compareNumbers(mine[i], theirs[i]); c != 0 {
			return c
		}
	}
	return cmp.Or(comparePrereleases(mine[4], theirs[4]), compareNumbers(mine[5], theirs[5]), cmp.Compare(b.Stamp, other.Stamp))
}

// compareNumbers compares digits of any length.
func compareNumbers(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// comparePrereleases orders the parts after the three numbers (semver.org, 11): a release
// is newer than its prereleases.
func comparePrereleases(a, b string) int {
	if a == "" || b == "" {
		return cmp.Compare(len(b), len(a))
	}
	mine, theirs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(mine), len(theirs)) {
		c := 0
		switch isA, isB := isNumber(mine[i]), isNumber(theirs[i]); {
		case isA && isB:
			c = compareNumbers(mine[i], theirs[i])
		case isA:
			c = -1
		case isB:
			c = 1
		default:
			c = cmp.Compare(mine[i], theirs[i])
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(mine), len(theirs))
}

func isNumber(text string) bool { return strings.Trim(text, "0123456789") == "" }

// candidate is a caller's program, as it was when it was asked for its build.
type candidate struct {
	program  string
	size     int64
	modified time.Time
}

func candidateOf(program string, info fs.FileInfo) candidate {
	return candidate{program, info.Size(), info.ModTime()}
}
