package engine

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// runtimeFile is the file in Sources that pins the Node.js which is downloaded if there is none.
const runtimeFile = "runtime.json"

// nodeRuntime is the npm package with the Node.js that is pinned for a platform.
type nodeRuntime struct {
	Package   string `json:"package"`
	Bytes     int64  `json:"bytes"`            // size of the download
	Integrity string `json:"integrity"`        // hash, as in npm's lock file
	Loader    string `json:"loader,omitempty"` // path of glibc's loader, without which the program cannot start
	version   string
}

var versionPattern = regexp.MustCompile(`\d+\.\d+\.\d+\S*`)

// readRuntime returns the Node.js that is pinned for this platform, or false if there is none.
func readRuntime(sources string) (nodeRuntime, bool) {
	var pinned struct {
		Node      string                 `json:"node"`      // version of Node.js
		Platforms map[string]nodeRuntime `json:"platforms"` // key: GOOS/GOARCH
	}
	if atomicfile.ReadJSON(filepath.Join(sources, runtimeFile), &pinned) != nil {
		return nodeRuntime{}, false
	}
	found := pinned.Platforms[runtime.GOOS+"/"+runtime.GOARCH]
	found.version = pinned.Node
	if found.Loader != "" {
		if _, err := os.Stat(found.Loader); err != nil {
			return nodeRuntime{}, false
		}
	}
	return found, found.Package != "" && found.Integrity != "" && versionPattern.FindString(found.version) == found.version
}

// dir returns the directory in which the pinned Node.js is installed.
func (r nodeRuntime) dir(packages string) string {
	return filepath.Join(packages, runtimePrefix+r.version)
}

const runtimePrefix = "node-"

func (r nodeRuntime) program(packages string) string {
	return filepath.Join(r.dir(packages), nodeProgram())
}

func nodeProgram() string {
	if runtime.GOOS == "windows" {
		return "node.exe"
	}
	return "node"
}

// install downloads the pinned Node.js to the directory work, moves it to packages, and removes earlier versions.
// Afterwards either the whole program is there, or nothing.
func (r nodeRuntime) install(ctx context.Context, packages, work string, progress io.Writer) error {
	from := archive{packageAddress(r.Package, r.version), r.Integrity}
	_, _ = fmt.Fprintf(progress, "downloading Node.js %s, %d MB: %s\n", r.version, r.Bytes/1_000_000, from.address)
	unpacked := filepath.Join(work, "node")
	err := from.install(ctx, unpacked, func(name string) string {
		switch name {
		case "bin/" + nodeProgram():
			return nodeProgram()
		case "LICENSE":
			return name
		}
		return ""
	})
	if err == nil {
		_, err = os.Stat(filepath.Join(unpacked, nodeProgram()))
	}
	if err != nil {
		return fmt.Errorf("install Node.js: %w", err)
	}
	old, _ := filepath.Glob(filepath.Join(packages, runtimePrefix+"*"))
	for _, dir := range old {
		_ = os.RemoveAll(dir) // fails on Windows while it runs; the next version's installation removes it
	}
	return os.Rename(unpacked, r.dir(packages))
}

const (
	// stagingPrefix is the prefix of the directories in which installations prepare their files.
	stagingPrefix = ".installing-"
	npmRegistry   = "https://registry.npmjs.org"
)

// packageAddress returns the URL of a package in npm's registry, or in the registry of npm_config_registry. Either is
// safe, because every package is checked against its hash.
func packageAddress(name, version string) string {
	registry := cmp.Or(os.Getenv("npm_config_registry"), os.Getenv("NPM_CONFIG_REGISTRY"), npmRegistry)
	return fmt.Sprintf("%s/%s/-/%s-%s.tgz", strings.TrimRight(registry, "/"), name, name[strings.LastIndex(name, "/")+1:], version)
}
