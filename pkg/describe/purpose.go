package describe

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/language"
	"github.com/surrealdb-memory/surrealdb-memory/pkg/shell"
)

// The purposes a shell command can be remembered for.
const (
	Install = "install"
	Build   = "build"
	Test    = "test"
	Deploy  = "deploy"
	Migrate = "migrate"
)

//go:embed purposes.txt
var purposesText string

// purposes are the purposes of commands, by their program and sub-commands, and those of the
// words of targets.
type purposes struct {
	commands map[string]string
	targets  []language.Row
}

// known is read when a hook asks for the first command.
var known = sync.OnceValue(func() purposes {
	made := purposes{commands: map[string]string{}}
	for _, row := range language.Rows(purposesText) {
		made.targets = append(made.targets, row)
		purpose := strings.TrimSuffix(row.Columns[0], "none")
		for _, command := range row.List(2) {
			program := command[:strings.LastIndexByte(command, ' ')+1]
			for last := range strings.SplitSeq(command[len(program):], "|") {
				made.commands[program+last] = purpose
			}
		}
	}
	return made
})

// runners take a target or a script as their first argument; npm and its like
// take it after run.
var runners = map[string]bool{
	"make": true, "just": true, "task": true, "rake": true, "rails": true, "mise": true, "gradle": true, "mvn": true,
	"npm run": true, "yarn run": true, "pnpm run": true, "bun run": true,
	"yarn": true, "manage.py": true, "artisan": true,
}

// manyTargets are the runners all of whose arguments are targets.
var manyTargets = map[string]bool{"make": true, "gradle": true, "mvn": true, "rake": true}

// aliases are other names of programs.
var aliases = map[string]string{
	"python3": "python", "pip3": "pip", "gradlew": "gradle", "mvnw": "mvn", "gmake": "make", "bash": "sh", "zsh": "sh",
}

// Purpose names the purpose of a shell command: that of its first part with a purpose, or
// "" for a command that only looks around. Text that a part merely prints, searches or
// writes to a file has no purpose.
func Purpose(command string) string {
	for _, words := range shell.Commands(command) {
		if purpose := purposeOfCommand(words); purpose != "" {
			return purpose
		}
	}
	return ""
}

func purposeOfCommand(words []string) string {
	words = skipPrefix(words)
	if len(words) == 0 || slices.Contains(words, "--help") || slices.Contains(words, "--version") {
		return ""
	}
	program := words[0][strings.LastIndexByte(words[0], '/')+1:]
	if name, known := aliases[program]; known {
		program = name
	}
	if program == "sh" || program == "python" || program == "php" {
		return purposeOfScript(words[1:])
	}
	if strings.HasSuffix(program, ".sh") {
		return purposeOfTarget(program)
	}
	arguments := plain(words[1:])
	if program == "docker" && len(arguments) > 0 && arguments[0] == "compose" {
		program, arguments = "docker-compose", arguments[1:]
	}
	return purposeOfProgram(program, arguments, words)
}

// purposeOfProgram is the purpose of a program with its arguments, which stand among the
// words of its command.
func purposeOfProgram(program string, arguments, words []string) string {
	pair := program
	if len(arguments) > 0 {
		pair += " " + arguments[0]
	}
	if shell.Delegates[program] {
		return purposeOfDelegate(words[1:])
	}
	if len(arguments) > 0 && shell.Delegates[pair] {
		return purposeOfDelegate(words[slices.Index(words, arguments[0])+1:])
	}
	if purpose, decided := lookUp(program, arguments); purpose != "" || (decided && len(arguments) == 1) {
		return purpose
	}
	switch {
	case len(arguments) > 0 && runners[pair]:
		return firstPurpose(program, arguments[1:min(2, len(arguments))])
	case manyTargets[program]:
		if purpose := firstPurpose(program, arguments); purpose != "" {
			return purpose
		}
	case runners[program]:
		return firstPurpose(program, arguments[:min(1, len(arguments))])
	}
	return known().commands[program]
}

// lookUp finds the purpose of a program with up to two of its arguments.
func lookUp(program string, arguments []string) (purpose string, decided bool) {
	for n := min(2, len(arguments)); n > 0 && !decided; n-- {
		purpose, decided = known().commands[program+" "+strings.Join(arguments[:n], " ")]
	}
	return purpose, decided
}

func firstPurpose(program string, targets []string) string {
	for _, target := range targets {
		purpose, isKnown := known().commands[program+" "+target]
		if !isKnown {
			purpose = purposeOfTarget(target)
		}
		if purpose != "" {
			return purpose
		}
	}
	return ""
}

// purposeOfScript is for sh -c "...", python -m module and an interpreter's
// script file.
func purposeOfScript(words []string) string {
	for i, word := range words {
		switch {
		case strings.HasPrefix(word, "-") && strings.HasSuffix(word, "c"):
			if i+1 < len(words) {
				return Purpose(words[i+1])
			}
			return ""
		case word == "-m":
			return purposeOfCommand(words[i+1:])
		case !strings.HasPrefix(word, "-"):
			return purposeOfCommand(words[i:])
		}
	}
	return ""
}

func purposeOfDelegate(words []string) string {
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		words = words[1:]
	}
	if purpose := purposeOfCommand(words); purpose != "" || len(words) == 0 {
		return purpose
	}
	return purposeOfTarget(words[0])
}

// prefix is a command that only runs the command after it.
type prefix struct {
	withValue string // its options that take a value, each between blanks
	operands  int    // the number of its operands before the command
}

var prefixes = map[string]prefix{
	"sudo": {withValue: " -u -g -h -p -C "}, "doas": {withValue: " -u "}, "env": {withValue: " -u -C "},
	"nice": {withValue: " -n "}, "timeout": {withValue: " -s -k ", operands: 1}, "time": {}, "nohup": {}, "exec": {},
	"if": {}, "elif": {}, "then": {}, "else": {}, "while": {}, "until": {}, "do": {}, "!": {}, "{": {},
}

// skipPrefix drops prefixes of the command proper: FOO=bar, sudo, env, time, then.
func skipPrefix(words []string) []string {
	for len(words) > 0 {
		word := words[0]
		p, known := prefixes[word]
		switch {
		case known:
			words = words[1:]
			for len(words) > 0 && strings.HasPrefix(words[0], "-") {
				taken := 1
				if strings.Contains(p.withValue, " "+words[0]+" ") {
					taken = 2
				}
				words = words[min(taken, len(words)):]
			}
			words = words[min(p.operands, len(words)):]
		case strings.Contains(word, "=") && !strings.HasPrefix(word, "-"):
			words = words[1:]
		default:
			return words
		}
	}
	return nil
}

// valueOptions are options, of any program, whose value is the next word.
const valueOptions = " -C -f --directory --file --prefix --filter --cwd --workspace -w -n --namespace "

// plain leaves out options with their values, variables, and numbers (make -j 4).
func plain(words []string) []string {
	var some []string
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case strings.Contains(valueOptions, " "+word+" "):
			i++
		case word == "", strings.HasPrefix(word, "-"), strings.HasPrefix(word, "+"),
			strings.Contains(word, "="), strings.Trim(word, "0123456789") == "":
		default:
			some = append(some, word)
		}
	}
	return some
}

func purposeOfTarget(target string) string {
	target = strings.ToLower(target)
	for _, row := range known().targets {
		for word := range strings.FieldsSeq(row.Column(1)) {
			if strings.Contains(target, word) {
				return row.Columns[0]
			}
		}
	}
	return ""
}
