package doctor

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// pluginName is the plugin's name in its manifest.
const pluginName = "surrealdb-memory"

// plugin checks whether the plugin is complete, and whether the client uses it.
func (d *Doctor) plugin(context.Context) {
	root, rebuild := paths.PluginRoot(d.Executable), "make build, or reinstall the plugin"
	missing, err := missingPrograms(root)
	changed, changedErr := changedFiles(root)
	switch err = errors.Join(err, changedErr); {
	case err != nil:
		d.bad("plugin.files", Error, rebuild, "the plugin in %s is incomplete: %v", root, err)
	case len(missing) > 0:
		d.bad("plugin.files", Error, rebuild, "%s: missing, or not executable: %s", root, strings.Join(missing, ", "))
	case len(changed) > 0:
		d.bad("plugin.files", Error, rebuild, "%s are not as they were released: %s", root, strings.Join(changed, ", "))
	}
	d.enabled()
}

// picker is the program that a checkout's manifest starts, with a hook's name as the argument.
const picker = "hooks/hook"

// placeholder stands for the plugin's directory in the plugin's manifests.
const placeholder = "${CLAUDE_PLUGIN_ROOT}/"

// missingPrograms returns the programs that the plugin needs and that are missing or not executable.
func missingPrograms(root string) ([]string, error) {
	wanted := []string{"libexec/memoryd", "libexec/memory-migrate", "libexec/memory-mcp"}
	for _, manifest := range []string{"hooks/hooks.json", ".mcp.json", ".claude-plugin/plugin.json"} {
		text, err := os.ReadFile(filepath.Join(root, manifest))
		if err != nil {
			return nil, err
		}
		var tree any
		if err := json.Unmarshal(text, &tree); err != nil {
			return nil, fmt.Errorf("%s: %w", manifest, err)
		}
		wanted = append(wanted, commands(tree)...)
	}
	slices.Sort(wanted)
	var missing []string
	for _, program := range slices.Compact(wanted) {
		if !isProgram(filepath.Join(root, program)) {
			missing = append(missing, program)
		}
	}
	return missing, nil
}

func isProgram(path string) bool {
	if runtime.GOOS == "windows" {
		_, err := exec.LookPath(path) // finds the program with its suffix on Windows too
		return err == nil
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// completeFile lists the files of a released plugin in the format of sha256sum. A checkout does not have this file.
const completeFile = "complete"

// changedFiles names the files of a released plugin that are missing or changed, for example by a full disk or a killed
// unpacking.
func changedFiles(root string) ([]string, error) {
	list, err := os.ReadFile(filepath.Join(root, completeFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var changed []string
	for line := range strings.Lines(string(list)) {
		wanted, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || !filepath.IsLocal(name) {
			return nil, fmt.Errorf("%s has the line %q", completeFile, line)
		}
		content, err := os.ReadFile(filepath.Join(root, name))
		if sum := sha256.Sum256(content); err != nil || hex.EncodeToString(sum[:]) != wanted {
			changed = append(changed, name)
		}
	}
	return changed, nil
}

// commands returns the plugin's programs that are named anywhere in a manifest.
func commands(tree any) []string {
	var all []string
	switch node := tree.(type) {
	case map[string]any:
		command, _ := node["command"].(string)
		args, _ := node["args"].([]any)
		if program, ours := strings.CutPrefix(command, placeholder); ours {
			all = append(all, program)
		}
		if command == placeholder+picker && len(args) == 1 { // a checkout has a program for each hook
			all = append(all, fmt.Sprintf("libexec/%v", args[0]))
		}
		for _, child := range node {
			all = append(all, commands(child)...)
		}
	case []any:
		for _, child := range node {
			all = append(all, commands(child)...)
		}
	}
	return all
}

// Enabled finds the plugin in the client's settings: the user's, then the project's, then the project's local ones. The last
// file that names it counts. The name is empty if none does.
func Enabled(clientDir, project string) (name, where string, on bool, err error) {
	for _, file := range []string{
		filepath.Join(clientDir, "settings.json"),
		filepath.Join(project, ".claude", "settings.json"), filepath.Join(project, ".claude", "settings.local.json"),
	} {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var settings struct {
			EnabledPlugins map[string]any `json:"enabledPlugins"`
		}
		if err == nil {
			err = json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &settings)
		}
		if err != nil {
			return "", file, false, fmt.Errorf("%s cannot be read: %w", file, err)
		}
		for plugin, value := range settings.EnabledPlugins {
			if strings.HasPrefix(plugin, pluginName+"@") {
				name, on, where = plugin, value != false, file
			}
		}
	}
	return name, where, on, nil
}

// Marketplace returns where the client finds the plugin: the directory above the plugin if it is a marketplace, as in a
// checkout; otherwise the repository of the releases.
func Marketplace(root string) string {
	if dir := filepath.Dir(root); exists(filepath.Join(dir, ".claude-plugin", "marketplace.json")) {
		return dir
	}
	return pluginName + "/" + pluginName
}

// enabled checks whether the client uses the plugin.
func (d *Doctor) enabled() {
	config := paths.ClientDir(d.Getenv)
	name, where, on, err := Enabled(config, d.Root)
	switch {
	case err != nil:
		d.bad("plugin.enabled", Warning, "correct it: the client reads it, too", "%v", err)
	case name == "":
		d.bad("plugin.enabled", Warning,
			"memory setup --plugin yes (nothing to do if you start Claude Code with --plugin-dir)", "the plugin is not installed in %s", config)
	case !on:
		d.bad("plugin.enabled", Warning, "claude plugin enable "+name, "the plugin is switched off in %s", where)
	}
}
