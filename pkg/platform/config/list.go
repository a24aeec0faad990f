package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/atomicfile"
)

// Setting is a setting and its current value.
type Setting struct {
	Key     string `json:"key"`
	Env     string `json:"env"` // environment variable, which takes precedence over the file
	Value   string `json:"value"`
	Default string `json:"default"`
	// Origin is the environment variable or file with the value, or empty for the default.
	Origin string `json:"origin,omitempty"`
	Secret bool   `json:"secret,omitempty"`
	Text   string `json:"text"` // one line about its meaning
	Reader Reader `json:"reader"`
}

// List returns all settings in the order of the documentation, and the problems of values that are not used.
func List(file string, getenv func(string) string) ([]Setting, []Problem) {
	l := load(file, getenv)
	defaults := Default()
	var all []Setting
	for _, s := range register {
		all = append(all, Setting{
			Key: s.key, Env: s.env, Value: s.get(&l.cfg), Default: s.get(&defaults),
			Origin: l.origins[s.key], Secret: s.key == password, Text: s.text, Reader: s.reader,
		})
	}
	return all, l.problems
}

// Set writes a setting into the file and keeps all others. It fails if the key is unknown or the value invalid.
func Set(file, key, value string) error {
	s, known := find(key)
	if !known {
		return fmt.Errorf("%q: %w", key, ErrNoSetting)
	}
	value = s.trimmed(value)
	scratch := Default()
	if err := s.set(&scratch, value); err != nil {
		return fmt.Errorf("%s cannot be set: %w", key, err) // no colon after the key: defuse would take "model:" for a turn of a conversation
	}
	return change(file, key, typed(s.get(&scratch))) // yes is written as true
}

// Unset removes a setting from the file, so that its default applies. It fails if the key is unknown.
func Unset(file, key string) error {
	if _, known := find(key); !known {
		return fmt.Errorf("%q: %w", key, ErrNoSetting)
	}
	return change(file, key, nil)
}

// typed returns numbers and truth values in their JSON form, and any other value as text.
func typed(value string) any {
	var parsed any
	if err := json.Unmarshal([]byte(value), &parsed); err == nil {
		switch parsed.(type) {
		case bool:
			return parsed
		case float64:
			return json.Number(value)
		}
	}
	return value
}

// change removes a key in any notation, and then sets it to value unless that is nil.
func change(file, key string, value any) error {
	tree, err := readTree(file)
	if err != nil {
		return fmt.Errorf("%s %w; correct it by hand", file, err)
	}
	if remove(tree, key); value != nil {
		tree[key] = value
	}
	data, err := json.MarshalIndent(tree, "", "  ")
	if err != nil {
		return fmt.Errorf("write the settings: %w", err)
	}
	return write(file, append(data, '\n'))
}

// remove removes a key in any case and any mixture of nesting and dots, and the objects that it leaves empty.
func remove(tree map[string]any, key string) {
	for name, value := range tree {
		inner, isObject := value.(map[string]any)
		if rest, inside := strings.CutPrefix(key, plain(name)+"."); isObject && inside {
			remove(inner, rest)
		}
		if plain(name) == key || isObject && len(inner) == 0 {
			delete(tree, name)
		}
	}
}

// write replaces the settings file. Only the user may read it, because it may hold a password.
func write(file string, data []byte) error {
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil {
		err = atomicfile.Write(file, 0o600, data)
	}
	if err != nil {
		return fmt.Errorf("write the settings: %w", err)
	}
	return nil
}

// FilterGetenv returns a filtered getenv for a program that a client, a repository or a script may have started. It passes on passwords,
// variables that are not settings, and the settings of hooks.* that hooks read (ByHook): a session may decide for itself how much is
// injected, and how fast. MEMORY_DISABLED can only switch memory off. All other settings must be in the settings file: only the owner of
// the home decides who receives text, and what is run.
func FilterGetenv(getenv func(string) string) func(string) string {
	return func(name string) string {
		value := getenv(name)
		s, isSetting := ofVariable(name)
		switch {
		case !isSetting || value == "" || s.key == password:
			return value
		case s.key == Disabled:
			var c Config
			if _ = s.set(&c, s.trimmed(value)); c.Disabled { // also if the value is neither true nor false
				return value
			}
			return ""
		case s.reader == ByHook && strings.HasPrefix(s.key, "hooks."):
			return value
		}
		return ""
	}
}

// IgnoredVariables returns the settings, other than EngineVariable's, whose variables are set but hidden by FilterGetenv.
func IgnoredVariables(getenv func(string) string) []Setting {
	given := FilterGetenv(getenv)
	var all []Setting
	for _, s := range register {
		if getenv(s.env) != given(s.env) && s.env != EngineVariable {
			all = append(all, Setting{Key: s.key, Env: s.env})
		}
	}
	return all
}

// IsPassword reports whether a variable holds a password or key. Such a variable does not decide who receives anything.
func IsPassword(name string) bool {
	s, isSetting := ofVariable(name)
	return isSetting && s.key == password || name == DistillKey
}

func ofVariable(name string) (setting, bool) {
	for _, s := range register {
		if s.env == name {
			return s, true
		}
	}
	return setting{}, false
}
