package knowledge

import (
	"slices"
	"strings"
)

// Command is a parsed shell command: what it does, separate from its flags, variables
// and wrappers.
type Command struct {
	// Words are the program and its arguments without flags, in order, with the
	// operators of a chain.
	Words []string
	// Flags are the words that begin with a dash.
	Flags []string
	// Env are the variables set for it, by a prefix or by an export before it.
	Env []string
	// Dir is the directory that it changes to first. Before lists the other
	// preparations, such as sourced files.
	Dir    string
	Before []string
	// Wrapped are the programs that only run another one: sudo, time, timeout, env.
	Wrapped []string

	line []string // words and flags in order
}

// ParseCommand parses a command. It handles quotes, chains, pipes and redirections;
// everything else stays a word.
func ParseCommand(command string) Command {
	var c Command
	segments := withoutViewers(split(command))
	for len(segments) > 1 && c.prepares(segments[0].words) {
		segments = segments[1:]
	}
	for i, s := range segments {
		if i > 0 {
			c.Words = append(c.Words, segments[i-1].operator)
			c.line = append(c.line, segments[i-1].operator)
		}
		for _, word := range c.unwrap(withoutRedirections(s.words)) {
			c.line = append(c.line, word)
			if len(word) > 1 && word[0] == '-' {
				c.Flags = append(c.Flags, word)
			} else {
				c.Words = append(c.Words, word)
			}
		}
	}
	return c
}

// FailureCore is the core of a command, by which commands are compared: without
// variables, changes of directory, preparations of the shell, redirections, pipes to
// head and similar viewers, and flags.
func FailureCore(command string) string { return strings.Join(ParseCommand(command).Words, " ") }

// SameCommand says whether two commands do the same, apart from flags, values of flags,
// variables and preparations that only one of them has.
func SameCommand(a, b string) bool {
	left, right := ParseCommand(a), ParseCommand(b)
	if len(left.line) == 0 || len(right.line) == 0 {
		return false
	}
	return slices.Equal(left.Words, right.Words) ||
		slices.Equal(left.without(right.line), right.without(left.line))
}

// without is the command without the flags missing in another, and without the value
// behind such a flag if that is missing too.
func (c Command) without(other []string) []string {
	var kept []string
	for i := 0; i < len(c.line); i++ {
		word := c.line[i]
		if word[0] != '-' || slices.Contains(other, word) {
			kept = append(kept, word)
			continue
		}
		if next := i + 1; next < len(c.line) && c.line[next][0] != '-' && !slices.Contains(other, c.line[next]) && !isOperator(c.line[next]) {
			i++
		}
	}
	return kept
}

// Difference lists what the later of two commands adds ("--legacy-peer-deps",
// "PGHOST=localhost", "cd web", "sudo"), and what it drops, prefixed with "without". A
// dropped change of directory is no difference: the shell is still in that directory.
func Difference(before, after string) []string {
	was, is := ParseCommand(before), ParseCommand(after)
	if is.Dir == "" {
		was.Dir = ""
	}
	added := append(missing(is.parts(), was.parts()), missingFlags(is, was)...)
	for _, gone := range append(missing(was.parts(), is.parts()), missingFlags(was, is)...) {
		added = append(added, "without "+gone)
	}
	return added
}

// parts are the variables, preparations and wrappers of a command.
func (c Command) parts() []string {
	parts := slices.Concat(c.Wrapped, c.Env, c.Before)
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

// missingFlags are the flags of one command that the other lacks, each with its value.
func missingFlags(from, in Command) []string {
	var found []string
	for i, word := range from.line {
		if word[0] != '-' || len(word) == 1 || slices.Contains(in.line, word) {
			continue
		}
		if next := i + 1; next < len(from.line) && from.line[next][0] != '-' && !slices.Contains(in.line, from.line[next]) && !isOperator(from.line[next]) {
			word += " " + from.line[next]
		}
		found = append(found, word)
	}
	return found
}

// prepares records a part of a chain that only prepares the next one.
func (c *Command) prepares(words []string) bool {
	words = withoutRedirections(words)
	if len(words) == 0 {
		return true
	}
	switch words[0] {
	case "cd", "pushd":
		if len(words) > 1 {
			c.Dir = words[len(words)-1]
		}
	case "export":
		c.Env = append(c.Env, words[1:]...)
	case "source", ".":
		c.Before = append(c.Before, strings.Join(words, " "))
	case "set", "unset", "popd", "shopt", "ulimit", "umask":
	default:
		for _, word := range words {
			if !isAssignment(word) {
				return false
			}
		}
		c.Env = append(c.Env, words...)
	}
	return true
}

// unwrap records the variables and wrappers before the actual program.
func (c *Command) unwrap(words []string) []string {
	for len(words) > 1 {
		switch {
		case isAssignment(words[0]):
			c.Env = append(c.Env, words[0])
			words = words[1:]
		case words[0] == "sudo" || words[0] == "time" || words[0] == "nohup" || words[0] == "env" || words[0] == "nice" || words[0] == "command":
			if words[0] == "sudo" {
				c.Wrapped = append(c.Wrapped, words[0])
			}
			words = words[1:]
		case words[0] == "timeout" && len(words) > 2:
			words = words[2:]
		default:
			return words
		}
	}
	return words
}

func isAssignment(word string) bool {
	name, _, found := strings.Cut(word, "=")
	if !found || name == "" || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	for _, r := range name {
		if r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return false
		}
	}
	return true
}

// withoutRedirections drops redirections of output.
func withoutRedirections(words []string) []string {
	var kept []string
	for i := 0; i < len(words); i++ {
		word := words[i]
		bare := strings.TrimLeft(word, "0123456789&")
		if !strings.HasPrefix(bare, ">") {
			kept = append(kept, word)
			continue
		}
		if strings.Trim(bare, ">") == "" { // the file is the next word
			i++
		}
	}
	return kept
}

// viewers at the end of a pipe only shorten or copy the output.
var viewers = setOf(`head tail less more cat tee`)

// withoutViewers drops pipes to viewers, and trailing parts that only print a message.
func withoutViewers(segments []segment) []segment {
	for last := len(segments) - 1; last > 0; last-- {
		words := segments[last].words
		viewed := segments[last-1].operator == "|" && len(words) > 0 && viewers[words[0]]
		said := len(words) == 0 || (words[0] == "echo" || words[0] == "true" || words[0] == "exit") && segments[last-1].operator != "|"
		if !viewed && !said {
			break
		}
		segments = segments[:last]
	}
	return segments
}

// segment is a part of a chain with the operator after it.
type segment struct {
	words    []string
	operator string
}

func isOperator(word string) bool {
	return word == "&&" || word == "||" || word == "|" || word == ";" || word == "&"
}

// split splits a command into the parts of its chain and their words. A quoted string
// is one word, without its quotes if they enclose all of it.
func split(command string) []segment {
	var segments []segment
	var words []string
	var word strings.Builder
	started := false
	endWord := func() {
		if started && word.Len() > 0 {
			words = append(words, word.String())
		}
		word.Reset()
		started = false
	}
	endSegment := func(operator string) {
		endWord()
		segments = append(segments, segment{words, operator})
		words = nil
	}
	var quote byte
	for i := 0; i < len(command); i++ {
		c := command[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			} else {
				word.WriteByte(c)
			}
		case c == '\'' || c == '"':
			quote, started = c, true
		case c == '\\' && i+1 < len(command):
			i++
			if command[i] != '\n' {
				word.WriteByte(command[i])
				started = true
			}
		case c == ' ' || c == '\t':
			endWord()
		case c == '\n' || c == ';':
			endSegment(";")
		case c == '&' && i+1 < len(command) && command[i+1] == '&':
			i++
			endSegment("&&")
		case c == '|' && i+1 < len(command) && command[i+1] == '|':
			i++
			endSegment("||")
		case c == '|':
			endSegment("|")
		default:
			word.WriteByte(c)
			started = true
		}
	}
	endSegment("")
	return slices.DeleteFunc(segments, func(s segment) bool { return len(s.words) == 0 && s.operator == ";" })
}
