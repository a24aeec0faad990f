package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/client/connect"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
)

// pluginName is the plugin's name in its manifest.
const pluginName = "surrealdb-memory"

// Enabled looks for the plugin in the client's settings: the user's, the project's, and the project's local ones. The
// last file that names the plugin decides. The name is empty if none does.
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

// Marketplace returns where the client can install the plugin from: the directory above the plugin if that is a
// marketplace, as in a checkout, or else the repository of the releases.
func Marketplace(root string) string {
	if dir := filepath.Dir(root); exists(filepath.Join(dir, ".claude-plugin", "marketplace.json")) {
		return dir
	}
	return pluginName + "/" + pluginName
}

// plugin adds a finding if the client does not use the plugin. The programs' hashes are checked when they are
// unpacked, and the client itself reports missing hooks.
func (d *Doctor) plugin(context.Context) {
	config := paths.ClientDir(d.Getenv)
	name, where, on, err := Enabled(config, d.Root)
	switch {
	case err != nil:
		d.bad("plugin", Warning, "correct the file: the client reads it, too", "%v", err)
	case name == "":
		d.bad("plugin", Warning,
			"memory setup --plugin yes (nothing to do if you start Claude Code with --plugin-dir)", "the plugin is not installed in %s", config)
	case !on:
		d.bad("plugin", Warning, "claude plugin enable "+name, "the plugin is switched off in %s", where)
	}
}

// codex adds findings for the problems of the connection to Codex, if Codex is connected.
func (d *Doctor) codex(context.Context) {
	s := connect.NewCodex(connect.Env{Paths: d.Paths, Getenv: d.Getenv, Plugin: paths.InstalledRoot(d.Executable)}).State()
	if (s.Connected || s.Partly) && len(s.Problems) > 0 {
		d.bad("codex", Warning, s.Remedy, "Codex: %s", strings.Join(s.Problems, "; "))
	}
}
