// Package shell compares shell commands: the core of a command without flags, variables and wrappers, the difference between two commands, and whether a
// command only shows something. It also quotes words. It runs nothing and expands nothing.
package shell

import (
	"path"
	"slices"
	"strings"
)

// Command is a parsed shell command: its core, separate from its flags, variables and wrappers.
type Command struct {
	// Words are the program and its arguments without flags, in order, with the operators between commands.
	Words []string
	// Flags are the words that begin with a dash.
	Flags []string
	// Env are the variables set for the command: before it, by an earlier export, or among its arguments (make build TOKEN=1).
	Env []string
	// Dir is the directory that the command changes to first.
	Dir string
	// Before lists the other preparations, such as sourced files.
	Before []string
	// Wrappers are the programs that only run another one but can change the result: sudo, uv run, bash.
	Wrappers []string

	line []string // words and flags, in order
}

// Parse parses a command line. It never fails.
func Parse(command string) Command {
	var c Command
	segments := withoutViewers(withoutEmpty(split(command)))
	for len(segments) > 1 && c.prepares(segments[0].Words) {
		segments = segments[1:]
	}
	for i, s := range segments {
		if i > 0 {
			c.Words = append(c.Words, segments[i-1].operator)
			c.line = append(c.line, segments[i-1].operator)
		}
		c.add(c.unwrap(s.Words))
	}
	return c
}

// withoutEmpty drops empty words, and segments without any other words.
func withoutEmpty(segments []segment) []segment {
	for i := range segments {
		segments[i].Words = slices.DeleteFunc(segments[i].Words, func(word string) bool { return word == "" })
	}
	return slices.DeleteFunc(segments, func(s segment) bool { return len(s.Words) == 0 })
}

// add adds a program with its arguments. A NAME=value argument becomes a variable, unless it is the value of a flag.
func (c *Command) add(words []string) {
	for i, word := range words {
		isFlag := len(word) > 1 && word[0] == '-'
		switch {
		case i == 0:
			word = program(word)
		case !isFlag && words[i-1][0] != '-' && IsAssignment(word):
			c.Env = append(c.Env, word)
			continue
		}
		c.line = append(c.line, word)
		if isFlag {
			c.Flags = append(c.Flags, word)
		} else {
			c.Words = append(c.Words, word)
		}
	}
}

// program returns the path of a program. A program in the current directory keeps its "./", because the PATH may have another one of that name.
func program(word string) string {
	if strings.HasPrefix(word, "./") && !strings.Contains(word[2:], "/") {
		return word
	}
	return path.Clean(word)
}

// CoreOf returns the core of a command, by which commands are compared: without variables, changes of directory,
// other preparations, redirections, pipes to viewers such as head, and flags.
func CoreOf(command string) string { return strings.Join(Parse(command).Words, " ") }

// Same reports whether two commands do the same, ignoring flags, their values, variables and preparations that only one of them has.
func Same(a, b string) bool {
	left, right := Parse(a), Parse(b)
	if len(left.Words) == 0 || len(right.Words) == 0 {
		return false
	}
	if sameProgram(left.Words[0], right.Words[0]) && left.Words[0] == left.line[0] && right.Words[0] == right.line[0] {
		left.Words[0], left.line[0] = right.Words[0], right.line[0]
	}
	return slices.Equal(left.Words, right.Words) ||
		slices.Equal(left.without(right.line), right.without(left.line))
}

// sameProgram reports whether two programs have the same name, ignoring a version and a longer path: python3 and .venv/bin/python.
func sameProgram(a, b string) bool {
	a, b = strings.TrimRight(a, "0123456789.-"), strings.TrimRight(b, "0123456789.-")
	if a == "" || b == "" || strings.HasPrefix(a, "..") || strings.HasPrefix(b, "..") {
		return false
	}
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}

// without returns the words and flags of a command, except the flags that other lacks and their values.
func (c Command) without(other []string) []string {
	var kept []string
	for i := 0; i < len(c.line); i++ {
		if word := c.line[i]; word[0] != '-' || slices.Contains(other, word) || word == "--" && len(c.values(i, nil)) > 0 {
			kept = append(kept, word)
			continue
		}
		i += len(c.values(i, other))
	}
	return kept
}

// values returns the words after a flag, up to the next flag, operator or word of other. For -u in "-u origin main" these are "origin" and "main".
func (c Command) values(flag int, other []string) []string {
	end := flag + 1
	for end < len(c.line) && c.line[end][0] != '-' && !slices.Contains(other, c.line[end]) && !isOperator(c.line[end]) {
		end++
	}
	return c.line[flag+1 : end]
}

// Difference returns the parts that the command after adds ("--legacy-peer-deps", "PGHOST=localhost", "cd web", "sudo"), and the parts that it drops, prefixed
// with "without". A dropped change of directory does not count, because the shell is still in that directory.
func Difference(before, after string) []string {
	was, is := Parse(before), Parse(after)
	if is.Dir == "" {
		was.Dir = ""
	}
	added := append(missing(is.parts(), was.parts()), missingFlags(is, was)...)
	if len(was.Words) > 0 && len(is.Words) > 0 && was.Words[0] != is.Words[0] && len(is.Wrappers) == 0 &&
		path.Clean(was.Words[0]) != is.Words[0] {
		added = append(added, is.Words[0])
	}
	for _, gone := range append(missing(was.parts(), is.parts()), missingFlags(was, is)...) {
		added = append(added, "without "+gone)
	}
	return added
}

// parts returns the wrappers, variables and preparations of a command.
func (c Command) parts() []string {
	parts := slices.Concat(c.Wrappers, c.Env, c.Before)
	if c.Dir != "" {
		parts = append(parts, "cd "+c.Dir)
	}
	return parts
}

func missing(from, in []string) []string {
	var found []string
	for _, part := range from {
		if !slices.Contains(in, part) {
			found = append(found, part)
		}
	}
	return found
}

// missingFlags returns the flags of from that in lacks, each with its value.
func missingFlags(from, in Command) []string {
	var found []string
	for i, word := range from.line {
		if word[0] != '-' || len(word) == 1 || slices.Contains(in.line, word) {
			continue
		}
		found = append(found, strings.Join(append([]string{word}, from.values(i, in.line)...), " "))
	}
	return found
}

// prepares reports whether words only prepare the next command, and records them if so.
func (c *Command) prepares(words []string) bool {
	switch words[0] {
	case "cd", "pushd":
		if len(words) > 1 {
			c.Dir = within(c.Dir, words[len(words)-1])
		}
	case "export":
		c.Env = append(c.Env, words[1:]...)
	case "source", ".", "unset", "ulimit", "umask":
		c.Before = append(c.Before, strings.Join(words, " "))
	case "set", "popd", "shopt":
	default:
		for _, word := range words {
			if !IsAssignment(word) {
				return false
			}
		}
		c.Env = append(c.Env, words...)
	}
	return true
}

// within returns the directory after a change from dir, or "" for the original directory.
func within(dir, to string) string {
	switch {
	case to == "-":
		return ""
	case dir == "" || path.IsAbs(to) || strings.HasPrefix(to, "~") || strings.HasPrefix(to, "$"):
		return to
	}
	if dir = path.Join(dir, to); dir == "." {
		return ""
	}
	return dir
}

// unwrap records the variables and wrappers before the actual program, and returns the words after them.
func (c *Command) unwrap(words []string) []string {
	for len(words) > 1 {
		switch {
		case IsAssignment(words[0]):
			c.Env = append(c.Env, words[0])
			words = words[1:]
		case slices.Contains([]string{"sudo", "time", "nohup", "env", "nice", "command"}, words[0]) && (words[0] != "command" || words[1][0] != '-'):
			if words[0] == "sudo" {
				c.Wrappers = append(c.Wrappers, words[0])
			}
			words = words[1:]
		case words[0] == "timeout" && len(words) > 2:
			words = words[2:]
		case (words[0] == "bash" || words[0] == "sh" || wrappers[words[0]]) && words[1][0] != '-':
			c.Wrappers = append(c.Wrappers, words[0])
			words = words[1:]
		case len(words) > 2 && wrappers[words[0]+" "+words[1]] && words[2][0] != '-':
			c.Wrappers = append(c.Wrappers, words[0]+" "+words[1])
			words = words[2:]
		default:
			return words
		}
	}
	return words
}

// wrappers lists the programs that run the program named by their arguments.
var wrappers = map[string]bool{
	"npx": true, "bunx": true, "npm exec": true, "pnpm exec": true, "pnpm dlx": true, "yarn dlx": true,
	"poetry run": true, "uv run": true, "pipenv run": true, "bundle exec": true,
}

// IsAssignment reports whether a word sets a variable: NAME=value.
func IsAssignment(word string) bool {
	name, _, found := strings.Cut(word, "=")
	return found && strings.TrimLeft(name, "0123456789") == name && strings.Trim(name, NameLetters) == "" && name != ""
}

// viewers, at the end of a pipe, only shorten or copy the output.
var viewers = SetOf(`head tail less more cat tee`)

// withoutViewers drops pipes to viewers, and trailing commands that only print a message.
func withoutViewers(segments []segment) []segment {
	for last := len(segments) - 1; last > 0; last-- {
		words := segments[last].Words
		viewed := segments[last-1].operator == "|" && viewers[words[0]]
		silent := (words[0] == "echo" || words[0] == "true" || words[0] == "exit") && segments[last-1].operator != "|"
		if !viewed && !silent {
			break
		}
		segments = segments[:last]
	}
	return segments
}

func isOperator(word string) bool {
	return word == "&&" || word == "||" || word == "|" || word == ";" || word == "&"
}
