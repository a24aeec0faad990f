package consent

import (
	"cmp"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

const (
	mostRead      = 1 << 20 // bytes of all texts that are read for one line
	mostNested    = 6       // nesting of substitutions and arguments
	mostVariables = 64      // variables in one word
	mostWords     = 32      // words of a memory command
)

// reader reads the commands of one line. Its directory and variables are as the commands before have set them.
type reader struct {
	Guard
	vars    map[string]string // values of assigned variables
	calls   []call
	runs    bool   // a shell or an interpreter runs in the line, so each text of the line may be code
	isPower bool   // the line is PowerShell's
	back    string // the directory before the last cd
	left    int    // number of bytes that may still be read
}

// call is one command of a line.
type call struct {
	shell.Simple
	all    []string // its words, with variables expanded, without keywords and assignments
	words  []string // the words from the program on that its wrappers start
	sets   []string // the values of variables that it sets for the program, or exports
	dir    string   // the directory in which it runs
	isRead bool     // it runs a text whose commands follow as calls of their own
}

// name returns the program as it is written, or "".
func (c call) name() string { return strings.Join(c.words[:min(1, len(c.words))], "") }

func (c call) program() string { return nameOf(c.name()) }

// reader returns a reader that has read nothing. It knows the variables for the user's folders that only Windows sets, too.
func (g *Guard) reader() *reader {
	r := &reader{Guard: *g, vars: map[string]string{}, left: mostRead}
	r.known = newLookup()
	for name, folder := range map[string]string{"HOME": "", "USERPROFILE": "", "HOMEPATH": "", "APPDATA": "/AppData/Roaming", "LOCALAPPDATA": "/AppData/Local"} {
		r.vars[name] = cmp.Or(g.Getenv(name), g.user()+folder)
	}
	r.vars["HOMEDRIVE"] = g.Getenv("HOMEDRIVE")
	return r
}

// read adds the commands of a text, and of the texts that they run, to r.calls. depth counts the texts around it.
func (r *reader) read(text string, depth int) {
	if r.left -= len(text); depth > mostNested || r.left < 0 {
		return
	}
	dir := r.Dir
	for _, one := range shell.Simples(text) {
		for _, inside := range one.Runs {
			r.read(inside, depth+1)
		}
		c := call{Simple: one, dir: r.Dir}
		c.all, c.sets = r.expanded(one.Words)
		c.words = started(c.all)
		at := len(r.calls)
		r.calls = append(r.calls, c)
		r.calls[at].isRead = r.texts(c, depth)
		r.changeFolder(c.words)
		if len(c.all) > 0 {
			r.vars["_"] = c.all[len(c.all)-1]
		}
	}
	if depth > 0 {
		r.Dir = dir // a subshell's cd ends with it
	}
}

// texts reads the texts that a command runs as shell, such as the argument of sh -c, and reports whether there was such a text. It
// notes whether the command runs code.
func (r *reader) texts(c call, depth int) (isRead bool) {
	for i, word := range c.all {
		name := nameOf(word)
		r.runs = r.runs || shells[name] || isInterpreter(name) || feeders[name]
		switch {
		case rejoining[name] && len(started(c.all[i+1:])) > 0:
			r.read(strings.Join(c.all[i+1:], " "), depth+1)
			return true
		case i > 0 && isText(word) && (shells[c.program()] || wrappers[nameOf(c.all[0])]):
			r.read(word, depth+1)
			isRead = true
		}
	}
	return isRead
}

// reserved are the shell's keywords that may precede a command.
var reserved = shell.SetOf(`if then else elif do while until ! { time coproc`)

// expanded returns the words of a command, with variables expanded and without keywords and assignments, and the assigned values, which
// it also stores in r.vars.
func (r *reader) expanded(given []string) (words, values []string) {
	for _, word := range given {
		if word = r.expand(word); word == "" || len(words) == 0 && reserved[word] {
			continue
		}
		if name, value, _ := strings.Cut(word, "="); shell.IsAssignment(word) && (len(words) == 0 || words[0] == "export" || words[0] == "env") {
			if len(value) <= mostPath {
				r.vars[name] = value
			}
			values = append(values, value)
			continue
		}
		words = append(words, word)
	}
	return words, values
}

// expand replaces the known variables in a word.
func (r *reader) expand(word string) string {
	if !strings.Contains(word, "$") || strings.Count(word, "$") > mostVariables {
		return word
	}
	return os.Expand(word, func(name string) string {
		otherwise := strings.TrimLeft(name, shell.NameLetters) // ${NAME:-otherwise}, ${NAME%/}
		given := name[:len(name)-len(otherwise)]
		operator := strings.TrimPrefix(otherwise, ":")
		value, is := r.vars[given]
		if !is {
			value = r.Getenv(given)
			is = value != "" && len(value) <= mostPath
		}
		switch {
		case is && (operator == "" || strings.ContainsAny(operator[:1], "-=?")):
			return value
		case is && strings.Trim(operator, "%") == "/":
			return strings.TrimSuffix(value, "/")
		case operator != "" && (!is && strings.ContainsAny(operator[:1], "-=") || operator[0] == '+'):
			return r.expand(operator[1:])
		}
		return "${" + name + "}"
	})
}

// changeFolder follows a cd, which without words leads home.
func (r *reader) changeFolder(words []string) {
	if len(words) == 0 || !changesFolder[words[0]] && !(r.isPower && changesFolder[strings.ToLower(words[0])]) {
		return
	}
	to := words[len(words)-1]
	switch {
	case (len(words) == 1 || to == "--") && words[0] == "cd":
		to = r.user()
	case to == "-", words[0] == "popd":
		to = cmp.Or(r.back, r.Dir)
	case len(words) == 1:
		return
	}
	r.back, r.Dir = r.Dir, r.absolute(r.Dir, to)
	r.vars["OLDPWD"] = r.back
}

// started returns the part of a command that begins with the program that its wrappers start. The word behind a flag that may have a
// value is not taken for the program.
func started(words []string) []string {
	for i, word := range words {
		isValue := i > 0 && strings.HasPrefix(words[i-1], "-") && strings.Trim(words[i-1], "-0rtxi") != "" && !strings.ContainsAny(words[i-1], "={}%123456789")
		isOwn := strings.HasPrefix(word, "-") || strings.Trim(word, "0123456789.smhd{}%") == "" || strings.Contains(word, "=") // the wrapper's
		if !wrappers[nameOf(word)] && (i == 0 || !isValue && !isOwn) {
			return words[i:]
		}
	}
	return nil
}

// isWritten reports whether output goes to a file or a connection (/dev/tcp), and not only to other devices.
func isWritten(files []string) bool {
	return slices.ContainsFunc(files, func(file string) bool { return path.Dir(file) != "/dev" })
}

// hasFlag reports whether a word begins with a flag, or has a flag of one letter among others, as -uo has -o.
func hasFlag(word, flag string) bool {
	isOne := len(flag) == 2 && flag[0] == '-'
	return strings.HasPrefix(word, flag) || isOne && len(word) > 1 && word[0] == '-' && word[1] != '-' && strings.Contains(word, flag[1:])
}

func nameOf(word string) string { return strings.TrimSuffix(path.Base(word), ".exe") }

// isInterpreter reports whether a program runs code of a language, whatever its version.
func isInterpreter(name string) bool { return interpreters[strings.TrimRight(name, "0123456789.")] }

// gitCommand returns the command of a call of git.
func gitCommand(words []string) string {
	for i := 1; i < len(words); i++ {
		switch {
		case slices.Contains([]string{"-C", "-c", "--git-dir", "--work-tree"}, words[i]):
			i++
		case !strings.HasPrefix(words[i], "-"):
			return words[i]
		}
	}
	return ""
}

// asShell writes the paths, variables and blocks of PowerShell and cmd as a shell writes them.
var asShell = strings.NewReplacer("`\r\n", " ", "`\n", " ", "`", "", `\`, "/", ",", " ", "${env:userprofile}", "$HOME", "%USERPROFILE%", "$HOME", "$home", "$HOME",
	"${env}:", "$", "$env:", "$", "$Env:", "$", "{", " { ", "}", " } ")
