// Package consent checks what only the user may decide: the environment variables that our programs pass on, the place of a
// home, and the commands of the model that need a person. The client adds a repository's settings to the environment of all
// programs that it starts. A repository must not choose who receives words, or which programs run. The package changes nothing.
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
	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// ErrHome is returned if the home lies in a project, or a project's settings name the home.
var ErrHome = errors.New("the memory's home must not belong to a project")

// homeVariables lists the variables by which the home, the client's settings and the fallback spools are found.
var homeVariables = []string{"MEMORY_HOME", "CLAUDE_CONFIG_DIR", "HOME", "USERPROFILE", "XDG_RUNTIME_DIR"}

// CheckHome returns ErrHome if the memory's home, or a folder by which it is found, lies in the session's project, or if a
// settings file of the project sets a variable for one of them: the project could then write the home's config.json. The
// user's own ~/.claude never counts as a project's, although people keep it, or their whole home directory, in a repository.
func CheckHome(layout paths.Layout, getenv func(string) string, where project.Project) error {
	if by := namedBy(where, homeVariables...); by != "" && !isOwn(where.Root, layout.Home) {
		return fmt.Errorf("%w: %s, a file of the project, sets it. Remove it there; you may set it in your own ~/.claude/settings.json", ErrHome, by)
	}
	dirs := []string{layout.Home, paths.ClientDir(getenv)}
	for _, name := range []string{"HOME", "USERPROFILE", "XDG_RUNTIME_DIR"} {
		dirs = append(dirs, getenv(name))
	}
	for i, dir := range dirs {
		isAbove := slices.ContainsFunc(dirs[:i], func(other string) bool { return strings.HasPrefix(other, dir+string(filepath.Separator)) })
		if dir != "" && !isAbove && isWithin(dir, where.Root) && !isOwn(where.Root, dir) {
			return fmt.Errorf("%w: %s lies in the project %s. Set MEMORY_HOME to a folder outside of projects, or unset it", ErrHome, dir, where.Root)
		}
	}
	return nil
}

// isOwn reports whether a folder in a project is nevertheless the user's own: the project contains the user's home
// directory, or the folder is that directory or lies in its .claude.
func isOwn(root, dir string) bool {
	home := accountHome()
	return home != "" && (isWithin(home, root) || isSame(dir, home) || isWithin(dir, filepath.Join(home, ".claude")))
}

// accountHome returns the home directory of the process's user from the system's user list, which no environment
// variable changes, or "".
func accountHome() string {
	account, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if os.Getuid() < 0 { // on Windows; Current reads no environment variable there
		account, err = user.Current()
	}
	if err != nil {
		return ""
	}
	return account.HomeDir
}

// mostSettings is the size limit of a project's settings file, in bytes.
const mostSettings = 4 << 20

// namedBy returns the first settings file of a project that sets any of the variables, or "". It also returns a file
// that cannot be read or parsed.
func namedBy(where project.Project, names ...string) string {
	return settingsWith(where, func(tree hookio.Value) bool {
		return slices.ContainsFunc(tree.Get("env").Fields, func(f hookio.Field) bool { return slices.Contains(names, f.Name) })
	})
}

// HasHook reports whether a settings file of a project has a hook for an event and a tool ("" for an event without tools), or cannot be
// read. Such a hook can speak in the user's place: it may answer a dialog, or submit the first prompt of print mode.
func HasHook(where project.Project, event, tool string) bool {
	return settingsWith(where, func(tree hookio.Value) bool {
		return slices.ContainsFunc(tree.List("hooks", event), func(one hookio.Value) bool {
			matcher := one.String("matcher")
			isNames := matcher != "" && strings.Trim(matcher, "|"+shell.NameLetters) == "" // anything else may match every tool
			return tool == "" || !isNames || slices.Contains(strings.Split(matcher, "|"), tool)
		})
	}) != ""
}

// settingsWith returns the first settings file of a project whose content fits, or which cannot be read or parsed, or "".
func settingsWith(where project.Project, fits func(tree hookio.Value) bool) string {
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
			if !info.Mode().IsRegular() || info.Size() > mostSettings { // reading a pipe would block
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
			if fits(tree) {
				return file
			}
		}
	}
	return ""
}

// passedOn lists the variables that are passed to a program that outlives its starter.
var passedOn = []string{
	"PATH", "HOME", "USERPROFILE", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT",
	"CLAUDE_CONFIG_DIR", "XDG_RUNTIME_DIR", "MEMORY_HOME", "npm_config_registry", "NPM_CONFIG_REGISTRY",
}

// SafeEnvironment returns what may be passed on of a session's environment to a program that outlives the session, such as
// the daemon: the variables for the user's folders, and passwords. It leaves out settings, proxies, the client's keys, and
// folders of the project in PATH. It keeps npm's registry, because the lock file has the hash of each package.
func SafeEnvironment(environ []string, where project.Project) []string {
	if home := accountHome(); home != "" && isWithin(home, where.Root) { // a session in the home directory or above it
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
		case !slices.Contains(passedOn, name) && !strings.HasPrefix(name, "LC_") && !config.IsPassword(name):
			continue
		}
		kept = append(kept, name+"="+value)
	}
	return kept
}

// usualPath is the PATH that is used if outside leaves nothing of the session's PATH.
const usualPath = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin"

// outside returns a PATH without relative folders and folders in the project.
func outside(path, root string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool {
		return !filepath.IsAbs(dir) || isWithin(dir, root)
	})
	return cmp.Or(strings.Join(dirs, string(os.PathListSeparator)), usualPath)
}

// isUsersEngine reports whether the folder in MEMORY_ENGINE_DIR may be passed on. No file of the project may name it, it must lie
// outside of the project, and only the user may be able to write to it, if it exists. Tests and checkouts share an engine this way.
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

// NetworkVariables returns the variables of an environment for reaching a registry behind a proxy. They are only for a program
// that checks the hashes of a lock file, because a proxy can read everything.
func NetworkVariables(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return !slices.Contains([]string{
			"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR",
		}, strings.ToUpper(name))
	})
}

// isWithin reports whether a path is a folder or lies in it. It follows links, and it compares files, not names.
// Missing parts of the path are ignored.
func isWithin(path, folder string) bool { return newLookup().isWithin(path, folder) }

// lookup answers isWithin for many paths, and asks the file system once about each.
type lookup struct {
	files   map[string]os.FileInfo // nil for a missing one
	folders map[string]os.FileInfo // what links lead to
	within  map[[2]string]bool
}

func newLookup() *lookup {
	return &lookup{map[string]os.FileInfo{}, map[string]os.FileInfo{}, map[[2]string]bool{}}
}

func (l *lookup) isWithin(path, folder string) bool {
	path = filepath.Clean(path)
	pair := [2]string{path, folder}
	if is, known := l.within[pair]; known {
		return is
	}
	l.within[pair] = false // also ends a circle of links
	top, file := seen(l.folders, folder, os.Stat), seen(l.files, path, os.Lstat)
	switch above := filepath.Dir(path); {
	case top == nil:
	case file != nil && file.Mode()&os.ModeSymlink != 0:
		l.within[pair] = l.isWithin(project.Resolved(path), folder)
	case file != nil && os.SameFile(file, top):
		l.within[pair] = true
	case above != path:
		l.within[pair] = l.isWithin(above, folder)
	}
	return l.within[pair]
}

// seen returns what look says about a path, or nil on an error.
func seen(known map[string]os.FileInfo, path string, look func(string) (os.FileInfo, error)) os.FileInfo {
	info, is := known[path]
	if !is {
		info, _ = look(path) // a missing file is in no folder; one that cannot be looked at is judged by the folders above it
		known[path] = info
	}
	return info
}

func isSame(one, other string) bool {
	a, err := os.Stat(one)
	if err != nil {
		return false
	}
	b, err := os.Stat(other)
	return err == nil && os.SameFile(a, b)
}
