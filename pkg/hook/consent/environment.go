// Package consent decides what is the user's alone: which part of its environment a program of ours may hand on, where a home may
// lie, and which commands of the model's a person decides about. A repository, whose settings the client adds to the environment of
// everything that it starts, chooses neither who receives words nor what is run. It changes nothing.
package consent

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/hook/hookio"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/memory/project"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/config"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/paths"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/platform/private"
)

// ErrHome: a home is not used because a project holds it or names it.
var ErrHome = errors.New("the memory's home must not be a project's")

// findsHome are the variables by which the home and the client's settings are found, and where events wait without a home.
var findsHome = []string{"MEMORY_HOME", "CLAUDE_CONFIG_DIR", "HOME", "USERPROFILE", "XDG_RUNTIME_DIR"}

// Home returns ErrHome if the home of the memory, or a folder by which it is found, lies in the project of a session, or if the
// project's settings name it: then its config.json is the project's. The user's own ~/.claude is never a project's, though people
// keep it, and all of their home directory, in a repository.
func Home(layout paths.Layout, getenv func(string) string, where project.Project) error {
	if by := namedBy(where, findsHome...); by != "" && !isOwn(where.Root, layout.Home) {
		return fmt.Errorf("%w: %s, a file of the project, says where it is. Take it out there; in your own ~/.claude/settings.json it may stand", ErrHome, by)
	}
	dirs := []string{layout.Home, paths.ClientDir(getenv)}
	for _, name := range []string{"HOME", "USERPROFILE", "XDG_RUNTIME_DIR"} {
		dirs = append(dirs, getenv(name))
	}
	for i, dir := range dirs {
		isAbove := slices.ContainsFunc(dirs[:i], func(other string) bool { return strings.HasPrefix(other, dir+string(filepath.Separator)) })
		if dir != "" && !isAbove && isWithin(dir, where.Root) && !isOwn(where.Root, dir) {
			return fmt.Errorf("%w: %s lies in the project %s. Set MEMORY_HOME to a folder outside of projects, or to none", ErrHome, dir, where.Root)
		}
	}
	return nil
}

// isOwn reports whether a folder in a project is the user's own all the same: the project holds the user's home directory, or the
// folder is that or lies in its .claude.
func isOwn(root, dir string) bool {
	home := accountHome()
	return home != "" && (isWithin(home, root) || isSame(dir, home) || isWithin(dir, filepath.Join(home, ".claude")))
}

// accountHome is the home directory of this process's user by the system's list, which no environment changes; "" if it has none.
func accountHome() string {
	account, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if os.Getuid() < 0 { // Windows, where the other asks no environment
		account, err = user.Current()
	}
	if err != nil {
		return ""
	}
	return account.HomeDir
}

// mostSettings bounds a settings file of a project that is read, in bytes.
const mostSettings = 4 << 20

// namedBy returns the settings file of a project that gives one of the variables, or ""; one that cannot be read may give any.
func namedBy(where project.Project, names ...string) string {
	for _, dir := range slices.Compact([]string{where.Root, where.Dir}) {
		if dir == "" {
			continue
		}
		for _, name := range []string{"settings.json", "settings.local.json"} {
			file := filepath.Join(dir, ".claude", name)
			info, err := os.Stat(file)
			if err != nil {
				continue
			}
			if !info.Mode().IsRegular() || info.Size() > mostSettings { // a pipe would be waited for
				return file
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return file
			}
			tree, err := hookio.ParseObject(text)
			if err != nil {
				return file
			}
			if slices.ContainsFunc(tree.Get("env").Fields, func(f hookio.Field) bool { return slices.Contains(names, f.Name) }) {
				return file
			}
		}
	}
	return ""
}

// handed are the variables that a program has which outlives the one that starts it.
var handed = []string{
	"PATH", "HOME", "USERPROFILE", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT",
	"CLAUDE_CONFIG_DIR", "XDG_RUNTIME_DIR", "MEMORY_HOME", "npm_config_registry", "NPM_CONFIG_REGISTRY",
}

// Handed returns what of an environment a program gets that is started for good, such as the daemon, by a session in a project: where
// the user's folders are, and passwords. No setting is in it, no proxy and no key of the client's. A PATH has no folder of the project.
// The registry of npm chooses no program: the lock file has each one's hash.
func Handed(environ []string, where project.Project) []string {
	if home := accountHome(); home != "" && isWithin(home, where.Root) { // a session in the home directory, or above it
		where = project.Project{}
	}
	var kept []string
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		switch {
		case name == "PATH":
			value = outside(value, where.Root)
		case name == config.EngineVariable:
			if !isUsersEngine(environ, value, where) {
				continue
			}
		case !slices.Contains(handed, name) && !strings.HasPrefix(name, "LC_") && !config.IsPassword(name):
			continue
		}
		kept = append(kept, name+"="+value)
	}
	return kept
}

// usualPath finds the system's programs where nothing is left of a PATH.
const usualPath = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin"

// outside returns a PATH without folders that are in a project, or relative.
func outside(path, root string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool {
		return !filepath.IsAbs(dir) || isWithin(dir, root)
	})
	return cmp.Or(strings.Join(dirs, string(os.PathListSeparator)), usualPath)
}

// isUsersEngine reports whether the folder that MEMORY_ENGINE_DIR names may be handed on: no file of the project names it, it lies
// outside of the project, and it is the user's alone or not there yet. Tests and checkouts share an engine by it.
func isUsersEngine(environ []string, dir string, where project.Project) bool {
	dir = paths.Resolve(func(name string) string {
		at := slices.IndexFunc(environ, func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
		if at < 0 {
			return ""
		}
		return environ[at][len(name)+1:]
	}, dir)
	return dir != "" && !isWithin(dir, where.Root) && namedBy(where, config.EngineVariable) == "" && private.Home(dir) == nil
}

// Network returns the variables of an environment by which a registry is reached behind a proxy. Only a program that installs what a
// lock file names by its hashes is given them: whoever stands between may read all that goes by.
func Network(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return !slices.Contains([]string{
			"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR",
		}, strings.ToUpper(name))
	})
}

// isWithin reports whether a path, as far as it is there, is a folder or lies in it, by whatever links and letters it is named.
func isWithin(path, folder string) bool {
	top, err := os.Stat(folder)
	if err != nil {
		return false
	}
	isResolved := false
	for dir := filepath.Clean(path); ; dir = filepath.Dir(dir) {
		info, err := os.Lstat(dir)
		switch {
		case err == nil && info.Mode()&os.ModeSymlink != 0 && !isResolved:
			dir, isResolved = filepath.Join(project.Resolved(path), "-"), true
		case err == nil && os.SameFile(info, top):
			return true
		case dir == filepath.Dir(dir):
			return false
		}
	}
}

func isSame(one, other string) bool {
	a, err := os.Stat(one)
	if err != nil {
		return false
	}
	b, err := os.Stat(other)
	return err == nil && os.SameFile(a, b)
}
