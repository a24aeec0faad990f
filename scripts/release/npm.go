package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// npmPackage is a published package, as a lock file refers to it.
type npmPackage struct {
	platform
	name, file, integrity string
}

// registry is npm's registry; a user's own setting overrides it, also in a lock file.
const registry = "https://registry.npmjs.org"

// manifest is a package.json.
type manifest struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Private      bool              `json:"private,omitempty"`
	Description  string            `json:"description"`
	License      string            `json:"license"`
	Repository   string            `json:"repository"`
	OS           []string          `json:"os,omitempty"`
	CPU          []string          `json:"cpu,omitempty"`
	Bin          map[string]string `json:"bin,omitempty"`
	Optional     map[string]string `json:"optionalDependencies,omitempty"`
	Type         string            `json:"type,omitempty"`
	Engines      map[string]string `json:"engines,omitempty"`
	PreferUnplug bool              `json:"preferUnplugged,omitempty"`
}

// notAffiliated is the note in the packages that they are not made by SurrealDB Ltd.
const notAffiliated = "Not affiliated with SurrealDB Ltd."

func (r *release) manifest(name, description string) manifest {
	return manifest{
		Name: name, Version: r.version, Description: description + " " + notAffiliated, License: "MIT",
		Repository: "git+" + project + ".git",
	}
}

// packed returns the npm package of one platform: the whole plugin with its programs.
func (r *release) packed(t tree, p platform) ([]byte, error) {
	m := r.manifest(packageName(p), "The surrealdb-memory plugin with its programs for "+p.goos+"/"+p.goarch+".")
	m.OS, m.CPU, m.PreferUnplug = []string{p.npmOS}, []string{p.npm}, true
	content, err := encode(m)
	if err != nil {
		return nil, err
	}
	last := len(t) - 1 // the list of the files stays last
	whole := append(slices.Clone(t[:last]), file{name: "package.json", content: content}, t[last])
	return whole.under("package").tgz()
}

func packageName(p platform) string { return scope + "/" + p.slug() }

func (r *release) addPackage(p platform, packed []byte) {
	name := fmt.Sprintf("%s-%s-%s.tgz", command, p.slug(), r.version)
	r.asset("npm/"+name, packed)
	r.packages = append(r.packages, npmPackage{p, packageName(p), name, integrity(packed)})
}

// wrapper is the script that npx runs: it finds the package of this platform and starts
// its program.
const wrapper = `#!/usr/bin/env node
// Starts the program of the package for this platform, which npm has installed beside this one.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const name = "{scope}/" + process.platform + "-" + process.arch;
let root;
try {
  root = dirname(createRequire(import.meta.url).resolve(name + "/package.json"));
} catch {
  console.error(name + " is not installed: npm left it out (--omit=optional?), or there are no programs for this platform");
  process.exit(1);
}
const program = join(root, "libexec", process.platform === "win32" ? "memory.exe" : "memory");
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => { console.error(program + ": " + error.message); process.exit(1); });
child.on("exit", (code, signal) => process.exit(signal ? 1 : code));
`

// addWrapper makes the package that people run: npx surrealdb-memory.
func (r *release) addWrapper() error {
	m := r.manifest(command, "A memory for Claude Code that works by itself, kept in SurrealDB on your machine.")
	m.Type, m.Bin, m.Optional, m.Engines = "module", map[string]string{command: "cli.mjs", "memory": "cli.mjs"},
		r.optional(), map[string]string{"node": ">=20"}
	content, err := encode(m)
	if err != nil {
		return err
	}
	// There is no npm-shrinkwrap.json: with it, npm would download the packages of all platforms.
	t := tree{
		{name: "cli.mjs", content: []byte(fill(wrapper, map[string]string{"scope": scope})), exec: true},
		{name: "package.json", content: content},
	}
	packed, err := t.under("package").tgz()
	if err == nil {
		r.asset(fmt.Sprintf("npm/%s-%s.tgz", command, r.version), packed)
	}
	return err
}

// npmPins returns package.json and the lock file of the marketplace's plugin, with which the client installs the
// programs.
func (r *release) npmPins() (content, lock []byte, err error) {
	m := r.manifest(command+"-plugin", "Fetches the plugin's programs.")
	m.Private, m.Optional = true, r.optional()
	if content, err = encode(m); err != nil {
		return nil, nil, err
	}
	lock, err = r.lock(m)
	return content, lock, err
}

func (r *release) optional() map[string]string {
	all := map[string]string{}
	for _, p := range r.packages {
		all[p.name] = r.version
	}
	return all
}

// lock returns the lock file of a manifest that depends on the packages of all platforms.
func (r *release) lock(m manifest) ([]byte, error) {
	type locked struct {
		Name      string            `json:"name,omitempty"`
		Version   string            `json:"version"`
		Resolved  string            `json:"resolved,omitempty"`
		Integrity string            `json:"integrity,omitempty"`
		CPU       []string          `json:"cpu,omitempty"`
		License   string            `json:"license"`
		Optional  bool              `json:"optional,omitempty"`
		OS        []string          `json:"os,omitempty"`
		Depends   map[string]string `json:"optionalDependencies,omitempty"`
	}
	packages := map[string]locked{"": {Name: m.Name, Version: m.Version, License: m.License, Depends: m.Optional}}
	for _, p := range r.packages {
		packages["node_modules/"+p.name] = locked{
			Version: r.version, Resolved: resolvedAt(p.name, r.version), Integrity: p.integrity,
			CPU: []string{p.npm}, License: m.License, Optional: true, OS: []string{p.npmOS},
		}
	}
	return encode(struct {
		Name     string            `json:"name"`
		Version  string            `json:"version"`
		Lock     int               `json:"lockfileVersion"`
		Requires bool              `json:"requires"`
		Packages map[string]locked `json:"packages"`
	}{m.Name, m.Version, 3, true, packages})
}

// resolvedAt returns the address of a package in the registry.
func resolvedAt(name, version string) string {
	return fmt.Sprintf("%s/%s/-/%s-%s.tgz", registry, name, name[strings.LastIndex(name, "/")+1:], version)
}

func encode(value any) ([]byte, error) {
	content, err := json.MarshalIndent(value, "", "  ")
	return append(content, '\n'), err
}
