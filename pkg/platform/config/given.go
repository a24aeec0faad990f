package config

import (
	"strconv"
	"strings"
)

// ofSession reports whether a session may give a setting for itself by its environment: how much is injected, and how fast,
// and that nothing is captured.
func ofSession(key string) bool {
	return key == Disabled || strings.HasPrefix(key, "hooks.") || strings.HasPrefix(key, "tokens.")
}

// Given returns the part of an environment that a program takes which a client, a repository or a script may have started:
// of the variables of settings those of the session itself, of which MEMORY_DISABLED switches the memory off and never on,
// the passwords, and every variable that is none. All other settings stand in the settings file: the home's owner alone
// chooses who receives words, and what is run.
func Given(getenv func(string) string) func(string) string {
	return func(name string) string {
		value := getenv(name)
		s, isSetting := ofVariable(name)
		switch {
		case !isSetting || value == "" || isSecret(s.key):
			return value
		case s.key == Disabled:
			if off, err := strconv.ParseBool(value); err == nil && !off {
				return ""
			}
			return value
		case ofSession(s.key):
			return value
		}
		return ""
	}
}

// NotTaken returns the settings whose variables are set and not taken, see Given.
func NotTaken(getenv func(string) string) []Setting {
	given := Given(getenv)
	var all []Setting
	for s := range register {
		if getenv(s.env) != given(s.env) && s.env != EngineVariable {
			all = append(all, Setting{Key: s.key, Env: s.env})
		}
	}
	return all
}

// IsPassword reports whether a variable holds a password or key, which does not choose who receives anything.
func IsPassword(name string) bool {
	s, isSetting := ofVariable(name)
	return isSetting && isSecret(s.key) || name == DistillKey
}

func ofVariable(name string) (setting, bool) {
	for s := range register {
		if s.env == name {
			return s, true
		}
	}
	return setting{}, false
}
