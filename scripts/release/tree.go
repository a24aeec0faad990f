package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// file is a file of a tree, named by its path with slashes.
type file struct {
	name    string
	content []byte
	exec    bool
}

// tree is the plugin for one platform with its programs, sorted by name. The list of files comes last: when it is
// there, everything was unpacked.
type tree []file

// completeFile lists the files of a tree with their SHA-256.
const completeFile = "complete"

func (t tree) find(name string) *file {
	for i := range t {
		if t[i].name == name {
			return &t[i]
		}
	}
	return nil
}

// plugin returns the plugin of the repository, without programs, with the pages for users that its messages name.
func (r *release) plugin(ctx context.Context) (tree, error) {
	list := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard",
		"plugin", ":(glob)docs/*.md", ":(glob)docs/adr/*.md")
	list.Dir = r.source
	names, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list the plugin's files: %w", err)
	}
	var all tree
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(r.source, name))
		if err != nil {
			return nil, err
		}
		name = strings.TrimPrefix(name, "plugin/")
		if slices.Contains(pins, name) || path.Base(name) == ".gitignore" { // files of an earlier release; npm installs no .gitignore
			continue
		}
		all = append(all, file{name, content, bytes.HasPrefix(content, []byte("#!"))})
	}
	manifest := all.find(".claude-plugin/plugin.json")
	if manifest == nil {
		return nil, fmt.Errorf("%s has no plugin", r.source)
	}
	manifest.content, err = withVersion(manifest.content, r.version)
	return all, err
}

// withVersion sets the version in a manifest and leaves everything else as it is.
func withVersion(manifest []byte, version string) ([]byte, error) {
	var old struct{ Version string }
	if err := json.Unmarshal(manifest, &old); err != nil {
		return nil, fmt.Errorf("read plugin.json: %w", err)
	}
	was := fmt.Appendf(nil, "\"version\": %q", old.Version)
	if bytes.Count(manifest, was) != 1 {
		return nil, fmt.Errorf("plugin.json has not one version %q", old.Version)
	}
	return bytes.Replace(manifest, was, fmt.Appendf(nil, "\"version\": %q", version), 1), nil
}

// direct makes hooks and the MCP server start the programs directly: a tree for one platform needs no shell that
// selects them.
func direct(t tree) error {
	hooks := t.find("hooks/hooks.json")
	const picked, started = "${CLAUDE_PLUGIN_ROOT}/hooks/hook\"", "${CLAUDE_PLUGIN_ROOT}/libexec/hook\""
	if !bytes.Contains(hooks.content, []byte(picked)) {
		return errors.New("hooks.json starts its programs in a way that is not known")
	}
	hooks.content = bytes.ReplaceAll(hooks.content, []byte(picked), []byte(started))
	t.find(".mcp.json").content = []byte(`{
  "mcpServers": {
    "memory": {
      "command": "${CLAUDE_PLUGIN_ROOT}/libexec/memory",
      "args": ["memory-mcp"]
    }
  }
}
`)
	return nil
}

// forPlatform returns the whole plugin with its programs.
func (r *release) forPlatform(ctx context.Context, plain tree, p platform) (tree, error) {
	t := slices.Clone(plain)
	if err := direct(t); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "memory-release-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, program := range combined {
		built := filepath.Join(dir, program.name)
		if err := r.build(ctx, p, program.name, program.parts, built); err != nil {
			return nil, err
		}
		content, err := os.ReadFile(built)
		if err == nil {
			err = r.noteLinked(built)
		}
		if err != nil {
			return nil, err
		}
		t = append(t, file{"libexec/" + program.name + p.exe(), content, true})
		for _, part := range program.parts {
			if part != "hooks" && part != program.name {
				t = append(t, alias(p, program.name, part))
			}
		}
	}
	if p.isWindows() {
		t = append(t, file{"bin/memory.cmd", []byte("@\"%~dp0..\\libexec\\memory.exe\" %*\r\n"), true})
	}
	for _, name := range []string{"LICENSE", "THIRD_PARTY_LICENSES"} {
		content := r.licences
		if name == "LICENSE" {
			if content, err = os.ReadFile(filepath.Join(r.source, name)); err != nil {
				return nil, err
			}
		}
		t = append(t, file{name, content, false})
	}
	slices.SortFunc(t, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return append(t, file{completeFile, sums(t), false}), nil
}

// alias returns a small program with the name of a part, for callers that start the part by its name. npm packages
// cannot contain links.
func alias(p platform, program, part string) file {
	if p.isWindows() {
		return file{"libexec/" + part + ".cmd", fmt.Appendf(nil, "@\"%%~dp0%s.exe\" %s %%*\r\n", program, part), true}
	}
	return file{"libexec/" + part, fmt.Appendf(nil, "#!/bin/sh\nexec \"${0%%/*}/%s\" %s \"$@\"\n", program, part), true}
}

// write puts a tree into a folder.
func (t tree) write(dir string) error {
	for _, f := range t {
		path := filepath.Join(dir, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { // the files are published
			return err
		}
		if err := os.WriteFile(path, f.content, f.mode()); err != nil {
			return err
		}
	}
	return nil
}

func (f file) mode() os.FileMode {
	if f.exec {
		return 0o755
	}
	return 0o644
}

// under returns the tree in a folder.
func (t tree) under(dir string) tree {
	var moved tree
	for _, f := range t {
		moved = append(moved, file{dir + "/" + f.name, f.content, f.exec})
	}
	return moved
}
