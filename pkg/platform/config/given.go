package config

import (
	"strconv"
	"strings"
)

// FilterGetenv returns a filtered getenv for a program that a client, a repository or a script may have started. It
// passes on variables that are not settings, passwords, and the settings that a session may set for itself: how much is
// injected and how fast. MEMORY_DISABLED can only
// switch the memory off. All other settings must be in the settings file: only the owner of the home decides who
// receives text, and what is run.
func FilterGetenv(getenv func(string) string) func(string) string {
	return func(name string) string {
		value := getenv(name)
		s, isSetting := ofVariable(name)
		switch {
		case !isSetting || value == "" || s.key == password:
			return value
		case s.key == Disabled:
			if off, err := strconv.ParseBool(value); err == nil && !off {
				return ""
			}
			return value
		case strings.HasPrefix(s.key, "hooks."):
			return value
		}
		return ""
	}
}

// IgnoredVariables returns the settings whose variables are set but hidden by FilterGetenv.
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

// IsPassword reports whether a variable holds a password or key. Such a variable does not decide who receives
// anything.
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
