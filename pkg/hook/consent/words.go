package consent

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/text/shell"
)

// open stands for a part of a path that only the shell knows.
const open = "**"

// opened returns a text with open in the place of each variable and substitution, and of the folders above these.
func opened(text string) string {
	text = replaced(text, func(string) string { return open })
	for strings.Contains(text, open+"/..") {
		text = strings.ReplaceAll(text, open+"/..", open)
	}
	return text
}

// guessed returns a text with the last word of each substitution in its place, which echo, realpath and their like print.
func guessed(text string) string {
	return replaced(text, func(inside string) string {
		inside = strings.Trim(inside, ` )"'`)
		return inside[strings.LastIndexAny(inside, " \t\n;|&\"'")+1:]
	})
}

// replaced returns a text in which each variable and substitution is replaced by the result of by. The argument of by is the command
// inside the substitution, empty for a variable.
func replaced(text string, by func(inside string) string) string {
	var all strings.Builder
	for text != "" {
		at := strings.IndexAny(text, "$`")
		if at < 0 {
			break
		}
		all.WriteString(text[:at])
		inside, length := shell.Substituted(text[at:])
		if length == 0 {
			length = 1 + variable(text[at+1:])
		}
		if length > 1 {
			all.WriteString(by(inside))
		}
		text = text[at+length:]
	}
	return all.String() + text
}

// variable returns the length of a variable's name, with its braces, at the beginning of a text.
func variable(text string) int {
	switch {
	case text == "":
		return 0
	case text[0] == '{':
		return cmp.Or(strings.IndexByte(text, '}')+1, len(text))
	case strings.IndexByte("@*#?!$-", text[0]) >= 0:
		return 1
	}
	return len(text) - len(strings.TrimLeft(text, shell.NameLetters))
}

// mayLie reports whether a path with open parts may lie in a folder. It may if the last two names of the folder stand behind an open part;
// if isEnough is set, its last name alone is enough. rest is the path below the folder.
func mayLie(path, folder string, isEnough bool) (rest string, may bool) {
	parts, names := strings.Split(path, string(filepath.Separator)), strings.Split(folder, string(filepath.Separator))
	for i, part := range parts {
		if !strings.Contains(part, open) {
			continue
		}
		if part != open {
			i-- // the part has a piece of a name, too
		}
		for n := 1; n <= len(names) && i+n < len(parts); n++ {
			behind, known, isLiteral := parts[i+1:i+1+n], 0, false
			for k, name := range names[len(names)-n:] {
				if is, err := filepath.Match(behind[k], name); err != nil || !is {
					known = -n
				} else if behind[k] != open {
					known, isLiteral = known+1, isLiteral || !strings.Contains(behind[k], "*")
				}
			}
			if isLiteral && (known > 1 || known == 1 && n == 1 && isEnough) {
				return filepath.Join(parts[i+1+n:]...), true
			}
		}
	}
	return "", false
}

// started returns the part of a command that begins with the program that its wrappers start. The word behind a flag that may have a
// value is not taken for the program.
func started(line []string) []string {
	for i, word := range line {
		isValue := i > 0 && strings.HasPrefix(line[i-1], "-") && strings.Trim(line[i-1], "-0rtx") != "" && !strings.ContainsAny(line[i-1], "={}%123456789")
		if !wrappers[nameOf(word)] && (i == 0 || !isValue && !isWrappersOwn(word)) {
			return line[i:]
		}
	}
	return nil
}

// isWrappersOwn reports whether a word belongs to a wrapper itself: a flag, a number or a variable, and not a program.
func isWrappersOwn(word string) bool {
	return strings.HasPrefix(word, "-") || strings.Trim(word, "0123456789.smhd{}%") == "" || strings.Contains(word, "=")
}

// startFolder returns the folder in which a wrapper starts a program, or "".
func startFolder(line []string) string {
	for i, word := range line[:len(line)-len(started(line))] {
		if folder, is := strings.CutPrefix(word, "--chdir="); is {
			return folder
		}
		if i > 0 && (line[i-1] == "-C" || line[i-1] == "-D" || line[i-1] == "--chdir") {
			return word
		}
	}
	return ""
}

// isFirst reports whether the word after some arguments of a wrapper is the program that it starts.
func isFirst(before []string) bool {
	return !slices.ContainsFunc(before, func(word string) bool { return !isWrappersOwn(word) && !wrappers[word] && !shells[word] })
}

// isListed reports whether a command reads names of files, or words for a program that it starts, from its input.
func isListed(line []string) bool {
	return slices.ContainsFunc(line, func(word string) bool { return listed[nameOf(word)] })
}

// isClosing reports whether a command is the end of a group, or only a redirection or a pipe behind one.
func isClosing(one shell.Simple) bool { return len(one.Words) == 0 || closings[one.Words[0]] }

// isWritten reports whether output goes to a file or a connection (/dev/tcp), and not only to other devices.
func isWritten(files []string) bool {
	return slices.ContainsFunc(files, func(file string) bool { return path.Dir(file) != "/dev" })
}

// isSent reports whether output goes to a connection or to another command.
func isSent(files []string) bool {
	return isWritten(files) && slices.ContainsFunc(files, func(file string) bool { return strings.HasPrefix(file, "/dev/") || strings.HasPrefix(file, ">(") })
}

// isTarget reports whether a word is the folder that a command makes, or copies files to.
func isTarget(line []string, word string) bool {
	return len(line) > 0 && (nameOf(line[0]) == "mkdir" || copiers[nameOf(line[0])] && word == line[len(line)-1])
}

// filesIn returns the words of a command that may name files which it reads. It leaves out patterns and texts for people.
func filesIn(line []string) []string {
	if len(line) == 0 {
		return nil
	}
	program, isPattern := nameOf(line[0]), patterned[nameOf(line[0])]
	if counting[program] || changesFolder[program] || isMemory(line[0]) {
		return nil
	}
	var files []string
	folder := ""
	for i, word := range line[1:] {
		switch isFlag := strings.HasPrefix(word, "-"); {
		case isPattern && !isFlag:
			isPattern = false
			continue
		case isMessage(program, line[i]), echoing[program] && isText(word):
			continue
		case packers[program] && (line[i] == "-C" || strings.HasPrefix(word, "--directory=")):
			folder = word[strings.IndexByte(word, '=')+1:] + "/"
			word = folder
		case folder != "":
			files = append(files, folder+word)
		}
		files = append(files, word)
	}
	return files
}

// isMessage reports whether the value of a flag is a text for people.
func isMessage(program, flag string) bool {
	return !wrappers[program] && (textFlags[flag] || program == "git" && hasFlag(flag, "-m"))
}

// hasFlag reports whether a word begins with a flag, or has a flag of one letter among others, as -uo has -o.
func hasFlag(word, flag string) bool {
	isOne := len(flag) == 2 && flag[0] == '-'
	return strings.HasPrefix(word, flag) || isOne && len(word) > 1 && word[0] == '-' && word[1] != '-' && strings.Contains(word, flag[1:])
}

func nameOf(word string) string { return strings.TrimSuffix(path.Base(word), ".exe") }

// isInterpreter reports whether a program runs code of a language, whatever its version.
func isInterpreter(name string) bool { return interpreters[strings.TrimRight(name, "0123456789.")] }

// isSending reports whether a call of git or gh, which otherwise count as showing, keeps or publishes a text that it is given.
func isSending(line []string) bool {
	switch line = started(line); {
	case len(line) == 0:
		return false
	case nameOf(line[0]) == "git":
		_, command := gitCommand(line)
		return gitKeeps[command]
	case nameOf(line[0]) == "gh":
		words, _ := splitFlags(line[1:])
		return !slices.ContainsFunc(words[:min(2, len(words))], func(word string) bool { return ghShows[word] })
	}
	return false
}

// gitCommand returns the folders that a call of git goes to, one from the other, and its command.
func gitCommand(line []string) (folders []string, command string) {
	for i := 1; i < len(line); i++ {
		name, value, has := strings.Cut(line[i], "=")
		switch {
		case slices.Contains([]string{"-C", "-c", "--git-dir", "--work-tree"}, name):
			if !has {
				i++
				value = line[min(i, len(line)-1)]
			}
			if name == "-C" || name == "--work-tree" {
				folders = append(folders, value)
			} else if tree, is := strings.CutPrefix(value, "core.worktree="); is {
				folders = append(folders, tree)
			}
		case !strings.HasPrefix(name, "-"):
			return folders, line[i]
		}
	}
	return folders, ""
}

// amount says how much of what the memory keeps a command gives.
type amount int

const (
	nothing     amount = iota
	some               // some memories, which may go into a file or to an interpreter
	transcripts        // transcripts, which an interpreter may read
	everything         // all memories, or words and keys in the files of the home
)

// printed returns how much a command of the program memory prints. With --limit 0, or a limit of more than two digits, it prints everything.
func printed(line []string) amount {
	if len(line) == 0 || !isMemory(line[0]) {
		return nothing
	}
	words, flags := splitFlags(line[1:])
	switch command := cmp.Or(strings.Join(words[:min(1, len(words))], ""), "-"); {
	case command == "export", command == "sessions" && slices.Contains(flags, "all"):
		return everything
	case !slices.Contains([]string{"list", "recall", "sessions", "show"}, command):
		return nothing
	}
	for i, word := range line {
		if value, is := strings.CutPrefix(strings.TrimLeft(word, "-"), "limit"); is && strings.HasPrefix(word, "-") {
			value = cmp.Or(strings.TrimPrefix(value, "="), line[min(i+1, len(line)-1)])
			if len(value) != 1 && len(value) != 2 || value == "0" || isExpandable(value) {
				return everything
			}
		}
	}
	return some
}

// isMemory reports whether a word names the memory's command line program, or its package on npm, which npx runs.
func isMemory(word string) bool {
	name, _, _ := strings.Cut(strings.ToLower(path.Base(word)), "@")
	return slices.Contains([]string{"memory", "memory.exe", "memory.cmd", "surrealdb-memory"}, name)
}

// isText reports whether a word may be a command, or code, and not the name of a file.
func isText(word string) bool { return strings.ContainsAny(word, " \t\n;(") }
