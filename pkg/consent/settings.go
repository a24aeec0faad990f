package consent

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/paths"
)

// mostSettings bounds a settings file of the client's that is read, in bytes.
const mostSettings = 4 << 20

// userSettingsFile is the part of the client's user settings that gives variables.
type userSettingsFile struct {
	file    string
	env     map[string]string
	options map[string]string // of our plugin, by their names
}

// userSettings reads the client's user settings. A file that cannot be read gives nothing.
func userSettings(getenv func(string) string) userSettingsFile {
	s := userSettingsFile{
		file: filepath.Join(paths.ClientDir(getenv), "settings.json"), env: map[string]string{},
		options: map[string]string{},
	}
	tree, err := readSettings(s.file)
	if err != nil {
		return s
	}
	texts(tree.Get("env"), s.env)
	for _, plugin := range tree.Get("pluginConfigs").Fields {
		if name, _, _ := strings.Cut(plugin.Name, "@"); name == "surrealdb-memory" {
			texts(plugin.Value.Get("options"), s.options)
		}
	}
	return s
}

// gives reports whether the user's settings set a variable to that value.
func (s userSettingsFile) gives(name, value string) bool {
	if option, isOption := strings.CutPrefix(name, optionPrefix); isOption {
		if set, given := s.options[strings.ToLower(option)]; given {
			return set == value
		}
	}
	set, given := s.env[name]
	return given && set == value
}

// givenByProjects are the variables that projects give in their settings files.
type givenByProjects struct {
	names map[string]bool
	// unclear: a file cannot be read as the client reads it, so it may set anything.
	unclear bool
}

func (g givenByProjects) has(name string) bool { return g.unclear || g.names[name] }

// projectsSettings reads the settings files of folders and of those above them, apart from the user's own.
func projectsSettings(users string, dirs ...string) givenByProjects {
	given := givenByProjects{names: map[string]bool{}}
	seen := map[string]bool{users: true}
	for _, dir := range dirs {
		for dir != "" && !seen[dir] {
			seen[dir] = true
			for _, name := range []string{"settings.json", "settings.local.json"} {
				given.add(filepath.Join(dir, ".claude", name), users)
			}
			if parent := filepath.Dir(dir); parent != dir {
				dir = parent
			}
		}
	}
	return given
}

func (g *givenByProjects) add(file, users string) {
	if isSame(file, users) {
		return
	}
	tree, err := readSettings(file)
	if os.IsNotExist(err) {
		return
	}
	if err != nil || tree.Kind != hookio.Object {
		g.unclear = true
		return
	}
	for _, variable := range tree.Get("env").Fields {
		g.names[variable.Name] = true
	}
}

func isSame(file, other string) bool {
	if file == other {
		return true
	}
	one, err := os.Stat(file)
	if err != nil {
		return false
	}
	two, err := os.Stat(other)
	return err == nil && os.SameFile(one, two)
}

func readSettings(file string) (hookio.Value, error) {
	info, err := os.Stat(file)
	if err != nil {
		return hookio.Value{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostSettings { // a pipe would be waited for
		return hookio.Value{}, os.ErrInvalid
	}
	f, err := os.Open(file)
	if err != nil {
		return hookio.Value{}, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, mostSettings))
	if err != nil {
		return hookio.Value{}, err
	}
	return hookio.ParseObject(text)
}

// texts puts the members of an object that are texts, numbers or truth values into a table.
func texts(object hookio.Value, into map[string]string) {
	for _, member := range object.Fields {
		switch member.Value.Kind {
		case hookio.Bool:
			into[member.Name] = map[bool]string{true: "true", false: "false"}[member.Value.True]
		case hookio.String, hookio.Number:
			into[member.Name] = member.Value.Text
		}
	}
}
