package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	// engineModule is the npm package of the embedded engine. It has the native modules of eight platforms, 71 MB to
	// download. A release has one package for each platform instead, and one with the rest.
	engineModule = "@surrealdb/node"
	engineScoped = scope + "/engine"
	// repacked is the number of the packing of one engine version: a published package cannot be replaced.
	repacked = 1
	// largestEngine limits the download of the engine and the other packages that it needs (0.3 MB), in bytes, as
	// engine.DownloadSize says.
	largestEngine = 10 << 20
)

// engineLicence must be displayed with each copy of the engine, as its licences require.
//
//go:embed engine.LICENSE
var engineLicence []byte

// entry is a package in a lock file of npm, or its package.json.
type entry map[string]any

// lockFile has the parts of an npm lock file that are changed.
type lockFile struct {
	Name     string           `json:"name"`
	Version  string           `json:"version"`
	Lock     int              `json:"lockfileVersion"`
	Requires bool             `json:"requires"`
	Packages map[string]entry `json:"packages"`
}

// withEngine adds the npm packages of the engine to the release, and returns a plugin that installs the package of
// its platform.
func (r *release) withEngine(ctx context.Context, plain tree) (tree, error) {
	t := slices.Clone(plain)
	described, locks := t.find("engine/package.json"), t.find("engine/package-lock.json")
	if described == nil || locks == nil {
		return nil, errors.New("the plugin has no engine/package.json or no lock file beside it")
	}
	var lock lockFile
	if err := json.Unmarshal(locks.content, &lock); err != nil {
		return nil, fmt.Errorf("read the engine's lock file: %w", err)
	}
	module := lock.Packages["node_modules/"+engineModule]
	version, _ := module["version"].(string)
	wanted, _ := module["integrity"].(string)
	packed, err := fetchPackage(ctx, engineModule, version, wanted)
	if err != nil {
		return nil, err
	}
	files, err := unpack(packed)
	if err != nil {
		return nil, fmt.Errorf("unpack %s %s: %w", engineModule, version, err)
	}
	e := enginePackages{release: r, version: fmt.Sprintf("%s-%d", version, repacked), locked: map[string]entry{}}
	if err := e.split(files); err != nil {
		return nil, fmt.Errorf("make the packages of the engine: %w", err)
	}
	maps.Copy(lock.Packages, e.locked)
	alias := "npm:" + engineScoped + "@" + e.version
	if dependencies, ok := lock.Packages[""]["dependencies"].(map[string]any); ok {
		dependencies[engineModule] = alias
	}
	r.noteEngine(lock)
	if locks.content, err = encode(lock); err != nil {
		return nil, err
	}
	described.content, err = withEntries(described.content, map[string]string{"dependencies." + engineModule: alias})
	return t, err
}

// noteEngine adds the engine's packages to the bill of materials, and the engine's licence.
func (r *release) noteEngine(lock lockFile) {
	for name, one := range lock.Packages {
		isPeer, _ := one["peer"].(bool)
		if name == "" || isPeer {
			continue
		}
		_, name, _ = strings.Cut(name, "node_modules/")
		version, _ := one["version"].(string)
		if alias, ok := one["name"].(string); ok {
			name = alias
		}
		r.note(component{"library", name, version, "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + version})
		if resolved, _ := one["resolved"].(string); resolved == "" { // without an address npm would download the package's whole history to find it
			one["resolved"] = resolvedAt(name, version)
		}
	}
	var all bytes.Buffer
	section(&all, engineModule+": LICENSE", engineLicence)
	r.licences = append(r.licences, all.Bytes()...)
}

// enginePackages builds the engine's packages.
type enginePackages struct {
	*release
	version string
	locked  map[string]entry // by place in a lock file
}

// nativeModule matches the name of a native module, with its platform and C library.
var nativeModule = regexp.MustCompile(`^dist/surrealdb-node\.([a-z0-9-]+)\.node$`)

// split makes one package for each native module of engineModule, and one of the rest.
func (e *enginePackages) split(files tree) error {
	rest, optional, most := tree{{name: "LICENSE", content: engineLicence}}, map[string]string{}, 0
	for _, f := range files {
		match := nativeModule.FindStringSubmatch(f.name)
		if match == nil {
			rest = append(rest, f)
			continue
		}
		slug := match[1]
		if !e.isWanted(slug) {
			continue
		}
		size, err := e.addNative(slug, file{name: path.Base(f.name), content: f.content})
		if err != nil {
			return err
		}
		optional[engineModule+"-"+slug] = "npm:" + engineScoped + "-" + slug + "@" + e.version
		most = max(most, size)
	}
	described := rest.find("package.json")
	if described == nil || len(optional) == 0 {
		return fmt.Errorf("%s has no package.json, or no module for these platforms", engineModule)
	}
	var manifest entry
	if err := json.Unmarshal(described.content, &manifest); err != nil {
		return err
	}
	for _, name := range []string{"scripts", "devDependencies", "napi", "files"} { // fields about the build
		delete(manifest, name)
	}
	manifest["optionalDependencies"] = optional
	size, err := e.pack(engineScoped, engineModule, manifest, rest)
	if size += most; err == nil && size > largestEngine-300_000 {
		err = fmt.Errorf("it takes %d bytes to download, the most is %d", size, largestEngine)
	}
	return err
}

func (e *enginePackages) isWanted(slug string) bool {
	return slices.ContainsFunc(e.platforms, func(p platform) bool {
		return slug == p.slug() ||
			strings.HasPrefix(slug, p.slug()+"-")
	})
}

// addNative makes the package with one native module, named by platform and C library (linux-x64-gnu), and returns
// its size.
func (e *enginePackages) addNative(slug string, module file) (int, error) {
	parts := append(strings.Split(slug, "-"), "")
	manifest := entry{"main": module.name, "os": []string{parts[0]}, "cpu": []string{parts[1]}}
	if libc := map[string]string{"gnu": "glibc", "musl": "musl"}[parts[2]]; libc != "" {
		manifest["libc"] = []string{libc}
	}
	return e.pack(engineScoped+"-"+slug, engineModule+"-"+slug, manifest,
		tree{{name: "LICENSE", content: engineLicence}, {name: "package.json"}, module})
}

// pack makes a package of files, one of which is its package.json, and enters it into the lock file at a place below
// node_modules. It returns the package's size.
func (e *enginePackages) pack(name, place string, manifest entry, t tree) (int, error) {
	maps.Copy(manifest, entry{
		"name": name, "version": e.version, "license": "SEE LICENSE IN LICENSE", "repository": "git+" + project + ".git",
		"description": "SurrealDB's " + engineModule + ", a platform a package, for the surrealdb-memory plugin. " + notAffiliated,
	})
	var err error
	if t.find("package.json").content, err = encode(manifest); err != nil {
		return 0, err
	}
	slices.SortFunc(t, func(a, b file) int { return strings.Compare(a.name, b.name) })
	packed, err := t.under("package").tgz()
	if err != nil {
		return 0, err
	}
	_, base, _ := strings.Cut(name, "/")
	e.asset(fmt.Sprintf("npm/engine/%s-%s.tgz", base, e.version), packed)
	one := entry{
		"name": name, "version": e.version, "resolved": resolvedAt(name, e.version),
		"integrity": integrity(packed), "license": manifest["license"],
	}
	for _, key := range []string{"os", "cpu", "libc", "peerDependencies", "optionalDependencies"} {
		if value, ok := manifest[key]; ok {
			one[key] = value
		}
	}
	if manifest["os"] != nil {
		one["optional"] = true
	}
	e.locked["node_modules/"+place] = one
	return len(packed), nil
}

// fetchPackage makes npm fetch a package, and fails unless the package has the locked checksum.
func fetchPackage(ctx context.Context, name, version, wanted string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "memory-release-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	fetch := exec.CommandContext(ctx, "npm", "pack", "--silent", "--pack-destination", dir, name+"@"+version)
	fetch.Dir = dir
	if output, err := fetch.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("fetch %s %s, which needs npm and a registry: %w: %s", name, version, err, output)
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("npm has fetched %d files for %s %s (%w)", len(found), name, version, err)
	}
	content, err := os.ReadFile(found[0])
	if err == nil && integrity(content) != wanted {
		err = fmt.Errorf("%s %s of the registry is not the one that plugin/engine/package-lock.json names: %s instead of %s", name, version, integrity(content), wanted)
	}
	return content, err
}

// unpack returns the files of an npm package.
func unpack(packed []byte) (tree, error) {
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	var t tree
	for files := tar.NewReader(plain); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(files)
		if err != nil {
			return nil, err
		}
		if header.Typeflag == tar.TypeReg {
			t = append(t, file{name: strings.TrimPrefix(header.Name, "package/"), content: content})
		}
	}
}

// withEntries sets strings in a JSON object of objects, by keys of the form object.name.
func withEntries(content []byte, entries map[string]string) ([]byte, error) {
	var all map[string]any
	if err := json.Unmarshal(content, &all); err != nil {
		return nil, fmt.Errorf("read package.json: %w", err)
	}
	for key, value := range entries {
		object, name, _ := strings.Cut(key, ".")
		within, ok := all[object].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("package.json has no %s", object)
		}
		within[name] = value
	}
	return encode(all)
}
