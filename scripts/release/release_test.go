package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/musttest"
)

var (
	whole = flag.Bool("release", false, "make whole releases, which takes minutes")
	all   = flag.Bool("all", false, "make them for all platforms, not for one of each system")
)

// releaseOf makes a release of the source in a folder, for the platforms of the list, or all.
func releaseOf(t *testing.T, source, version, only string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	musttest.Do(t, run(t.Context(), []string{"--version", version, "--stamp", "1700000000", "--source", source, "--out", dir, "--only", only}))
	return dir
}

// thisPlatform is the one that the tests run on.
const thisPlatform = runtime.GOOS + "/" + runtime.GOARCH

func TestTwoReleasesAreEqual(t *testing.T) {
	if !*whole {
		t.Skip("builds all programs twice for several platforms: make install-test")
	}
	platforms, only := chosen()
	first, second := releaseOf(t, "../..", "1.2.3", only), releaseOf(t, "../..", "1.2.3", only)
	count := 0
	err := filepath.WalkDir(first, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		count++
		name, err := filepath.Rel(first, path)
		if err != nil {
			return err
		}
		one, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if other, err := os.ReadFile(filepath.Join(second, name)); err != nil || !bytes.Equal(one, other) {
			t.Errorf("%s differs from one release to the next (%d and %d bytes, %v)", name, len(one), len(other), err)
		}
		return nil
	})
	if archives, _ := filepath.Glob(filepath.Join(first, "*_*_*_*.[tz]*")); err != nil || count < 10 || len(archives) != len(platforms) {
		t.Fatalf("%d files, archives %q, %v", count, archives, err)
	}
	requireBill(t, first, platforms)
	requirePrograms(t, first)
}

// chosen are the platforms of the releases that are compared, and the list of them.
func chosen() (chosen []platform, only string) {
	if *all {
		return platforms, ""
	}
	only = "linux/amd64,darwin/arm64,windows/amd64," + thisPlatform
	for _, p := range platforms {
		if strings.Contains(","+only+",", ","+p.goos+"/"+p.goarch+",") {
			chosen = append(chosen, p)
		}
	}
	return chosen, only
}

// requireBill wants the bill of materials to name every module linked into the programs, with its licence.
func requireBill(t *testing.T, dir string, platforms []platform) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "sbom.cdx.json"))
	var bill struct{ Components []component }
	if err == nil {
		err = json.Unmarshal(content, &bill)
	}
	musttest.Do(t, err)
	named := map[string]bool{}
	for _, one := range bill.Components {
		named[one.Name] = true
	}
	licences := musttest.Get(os.ReadFile(filepath.Join(dir, "THIRD_PARTY_LICENSES")))(t)
	for _, p := range platforms {
		list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "./apps/...")
		list.Dir, list.Env = "../..", append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOOS="+p.goos, "GOARCH="+p.goarch)
		output := musttest.Get(list.Output())(t)
		for module := range strings.FieldsSeq(string(output)) {
			if !named[module] {
				t.Errorf("the bill of materials does not name %s, which the programs for %s link", module, p.slug())
			}
			if !bytes.Contains(licences, []byte("==== "+module+" ")) {
				t.Errorf("there is no licence of %s", module)
			}
		}
	}
	if !named["std"] {
		t.Error("the bill of materials lacks Go")
	}
}

// unpacked unpacks the archive for this platform of a release, as its user does, and returns the folder.
func unpacked(t *testing.T, dir, version string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("unpacks with tar")
	}
	archive := filepath.Join(dir, strings.Join([]string{command, version, runtime.GOOS, runtime.GOARCH}, "_")+".tar.gz")
	root := t.TempDir()
	if output, err := exec.CommandContext(t.Context(), "tar", "-xzf", archive, "-C", root, "--strip-components=1").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	return root
}

// requirePrograms wants each program of a release to serve by each of its names.
func requirePrograms(t *testing.T, dir string) {
	t.Helper()
	root := unpacked(t, dir, "1.2.3")
	for _, test := range []struct {
		program string
		args    []string
		want    string
	}{
		{"bin/memory", []string{"--version"}, "1.2.3"},
		{"libexec/memoryd", []string{"--build"}, `{"version":"1.2.3","stamp":1700000000}`},
		{"libexec/memory", []string{"--version"}, "memory version 1.2.3"},
		{"libexec/memory-mcp", nil, ""},
		{"libexec/hook", []string{"stop"}, ""},
	} {
		program := exec.CommandContext(t.Context(), filepath.Join(root, "plugin", test.program), test.args...)
		program.Env = []string{"MEMORY_HOME=" + filepath.Join(root, "home"), "MEMORY_DISABLED=1", "PATH=" + os.Getenv("PATH"), "HOME=" + root}
		output, err := program.CombinedOutput()
		if err != nil || !strings.Contains(string(output), test.want) {
			t.Errorf("%s %q: %v, %.300q, want %q", test.program, test.args, err, output, test.want)
		}
	}
	pages, err := filepath.Glob("../../docs/*.md")
	for _, page := range pages { // messages name them
		if _, missing := os.Stat(filepath.Join(root, "plugin", "docs", filepath.Base(page))); missing != nil {
			t.Errorf("the archive lacks a page: %v", missing)
		}
	}
	if err != nil || len(pages) == 0 {
		t.Errorf("%d pages, %v", len(pages), err)
	}
	hooks, err := os.ReadFile(filepath.Join(root, "plugin/hooks/hooks.json"))
	if err != nil || bytes.Contains(hooks, []byte("hooks/hook")) || !bytes.Contains(hooks, []byte("libexec/hook")) {
		t.Errorf("an archive's hooks do not start its program themselves (%v)", err)
	}
}
