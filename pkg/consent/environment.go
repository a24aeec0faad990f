// Package consent decides which settings and commands belong to the user alone, which part of a process's environment
// is the user's, and whether a person has typed a command. Where data is sent is the user's decision only: not that of
// a repository, whose settings file the client adds to the environment of everything that it starts, and not a model's.
// It changes nothing.
package consent

import (
	"maps"
	"os"
	"slices"
	"strconv"
)

// Environment is the environment of a process, of which each part is known whose it is.
type Environment struct {
	// Ignored are the variables of ours, sorted, that the user has not given: they are not used.
	Ignored []string

	own   map[string]string // of this process
	users map[string]string // nil: own is the user's, for no client has started this process
}

// OfProgram is the environment of a program that the client starts itself: a hook, or the MCP server.
func OfProgram() Environment { return read(here(), true) }

// OfCommand is the environment of a command, which a person's shell starts, or the client's, or a script.
func OfCommand() Environment { return read(here(), false) }

// process is a process as the system shows it.
type process struct {
	environ []string
	dir     string
	// parents returns the environment of the process that started this one, of that one's parent and so on; false where
	// the system does not show it.
	parents func(yield func(environ []string, shown bool) bool)
}

func here() process {
	dir, _ := os.Getwd() // without one no project is looked for there
	return process{environ: os.Environ(), dir: dir, parents: parents}
}

// read finds the user's part of the environment. direct: the client itself is the parent, unless something else, such
// as a test, has started the program.
func read(p process, direct bool) Environment {
	e := Environment{own: table(p.environ)}
	if _, started := e.own[startedByClient]; !started {
		return e
	}
	login, shown := loginOf(p, e.own, direct)
	if shown && login == nil {
		return e
	}
	e.users = map[string]string{}
	for name, value := range login {
		if isUsers(name) {
			e.users[name] = value
		}
	}
	e.takeOver(p, direct, shown, login)
	if e.users["PATH"] == "" {
		e.users["PATH"] = usualPath
	}
	slices.Sort(e.Ignored)
	return e
}

// takeOver takes over from the process's own environment the parts that the user has given since the login, and lists
// the others that are ours.
func (e *Environment) takeOver(p process, direct, shown bool, login map[string]string) {
	settings := userSettings(e.loginValue(login))
	var given givenByProjects
	if !shown || !direct {
		given = projectsSettings(settings.file, p.dir, e.own["CLAUDE_PROJECT_DIR"], e.own["MEMORY_PROJECT_DIR"])
	}
	for name, value := range e.own {
		before, had := login[name]
		if !isUsers(name) || had && before == value {
			continue
		}
		isOwnChoice := !shown || !direct && slices.Contains(findsHome, name)
		switch {
		case settings.gives(name, value), isOwnChoice && !given.has(name):
			e.users[name] = value
		case isOurs(name):
			e.Ignored = append(e.Ignored, name)
		}
	}
}

// usualPath finds the system's programs where a project has replaced the user's own PATH, and the system does not show
// that.
const usualPath = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin"

// loginOf is the environment in which the client was started: that of the nearest process above this one that no client
// has started. It is nil and shown if no client has started this program but something that a client runs, such as a
// test.
func loginOf(p process, own map[string]string, direct bool) (login map[string]string, shown bool) {
	for environ, isShown := range p.parents {
		if !isShown {
			return nil, false
		}
		above := table(environ)
		if _, started := above[startedByClient]; !started {
			return above, true
		}
		if direct && above[sessionVariable] == own[sessionVariable] {
			return nil, true
		}
		direct = false
	}
	return nil, false
}

// loginValue looks a variable up that finds the client's settings.
func (e Environment) loginValue(login map[string]string) func(string) string {
	return func(name string) string {
		if login != nil {
			return login[name]
		}
		return e.own[name]
	}
}

// Getenv is the value of a variable from whomever may give it; empty if nobody has who may.
func (e Environment) Getenv(name string) string {
	own := e.own[name]
	switch {
	case e.users == nil || !isUsers(name):
		return own
	case name == disabled: // a project may switch the memory off for itself, but not on
		if off, err := strconv.ParseBool(own); err == nil && off {
			return own
		}
	}
	return e.users[name]
}

// Resident is the environment for a resident program: the user's part, and nothing of the session that starts it.
func (e Environment) Resident() []string {
	from := e.users
	if from == nil {
		from = e.own
	}
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(from)) {
		if Inherited(name) && !slices.Contains(exported, name) {
			pairs = append(pairs, name+"="+from[name])
		}
	}
	return pairs
}
