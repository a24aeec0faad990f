package shell

import (
	"path"
	"slices"
	"strings"
)

// Run is one command of a line that runs several.
type Run struct {
	Command string // the command as written, after its preparations, such as a change of directory
	// Before lists the commands that the line ran earlier.
	Before []string

	pipe         []segment
	outcomeKnown bool // the exit code of the line shows whether this command worked
}

// Runs returns the commands of a line. Only the last command of a line decides its exit code. The code shows nothing about a command before a semicolon or ||,
// before a pipe that only shows or copies output, or in the background.
func Runs(line string) []Run {
	r := runner{}
	for _, s := range withoutEmpty(segments(splitter{text: line, isWhole: true})) {
		r.step(s)
	}
	if len(r.run.pipe) > 0 {
		r.end("")
	}
	for i := range r.runs {
		for _, one := range r.runs[:i] {
			r.runs[i].Before = append(r.runs[i].Before, one.Command)
		}
	}
	return r.runs
}

// Succeeded returns the runs of a line that certainly did their work if the line exited with 0: the whole line first, then its commands if it has several. A
// command does not do its work if it asks for help, is a dry run, or has a flag that hides failures.
func Succeeded(line string) []Run {
	runs := Runs(line)
	known := slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return !r.outcomeKnown || doesNoWork(r.Command) })
	if len(known) == 0 || !runs[len(runs)-1].outcomeKnown || doesNoWork(line) || !endsAs(line) {
		return known
	}
	if len(runs) == 1 {
		return []Run{{Command: line}}
	}
	return slices.Insert(known, 0, Run{Command: line})
}

// endsAs reports whether the exit code depends on the part of a line that Parse keeps: Parse must drop nothing after a semicolon or a pipe.
func endsAs(line string) bool {
	all := withoutEmpty(split(line))
	left := len(withoutViewers(all))
	return left == len(all) || all[left-1].operator == "&&"
}

// HasRun reports whether line, which exited with 0, has certainly run the other command in full.
func HasRun(line, other string) bool {
	return slices.ContainsFunc(Succeeded(line), func(r Run) bool { return Same(r.Command, other) && !DoesLess(other, r.Command) })
}

// CoresOf returns the core of a line and, if it has several commands, the core of each.
func CoresOf(line string) []string {
	cores := []string{CoreOf(line)}
	for _, run := range Runs(line) {
		if core := CoreOf(run.Command); !slices.Contains(cores, core) {
			cores = append(cores, core)
		}
	}
	return cores
}

// notRunable is the exit code of the shell for a file that it cannot execute.
const notRunable = 126

var endings = []int{124, 129, 130, 141, 143} // of timeout(1), and 128 + SIGHUP, SIGINT, SIGPIPE, SIGTERM

// IsExpectedExit reports whether a line's exit code other than 0 is not a failure: the program answers by its exit code,
// as grep and diff do, or somebody ended it, as timeout does.
func IsExpectedExit(line string, code int) bool {
	if slices.Contains(endings, code) {
		return true
	}
	last := slices.DeleteFunc(Runs(line), func(r Run) bool { return !r.outcomeKnown })
	return code < notRunable && len(last) > 0 && !slices.ContainsFunc(last, func(r Run) bool { return !r.answers() })
}

// answers reports whether the last program of a run answers with its exit code. Clients of a server, such as docker, use it for failures.
func (r Run) answers() bool {
	var c Command
	pipe := withoutViewers(r.pipe)
	words := c.unwrap(pipe[len(pipe)-1].Words)
	program := path.Base(words[0])
	return readOnlyPrograms[program] || (program == "git" || program == "systemctl") && IsReadOnly(strings.Join(words, " "))
}

// runner collects the runs of a line.
type runner struct {
	runs     []Run
	prepared Command
	before   string // the preparations so far, as text
	run      Run    // the run being read

	from      int  // index of the first run in the current list of && and ||
	isOver    bool // a semicolon or & has ended the current list
	isTrapped bool
}

func (r *runner) step(s segment) {
	if r.isOver {
		r.markUnknown(0)
		r.isOver, r.from = false, len(r.runs)
	}
	r.run.pipe, r.run.Command = append(r.run.pipe, s), r.run.Command+s.text
	switch s.operator {
	case "|":
		r.run.Command += " | "
	case "||":
		r.markUnknown(r.from)
		r.run.Command += " || "
	default:
		r.end(s.operator)
	}
}

// end finishes the current run at an operator.
func (r *runner) end(operator string) {
	run := r.run
	r.run = Run{}
	words := run.pipe[0].Words
	r.isTrapped = r.isTrapped || words[0] == "trap"
	if len(run.pipe) == 1 && len(run.pipe[0].Runs) == 0 && r.prepared.prepares(words) {
		r.before += run.Command + " && "
	} else {
		run.Command = r.before + run.Command
		run.outcomeKnown = !r.isTrapped && operator != "&" && len(withoutViewers(run.pipe)) == len(run.pipe)
		r.runs = append(r.runs, run)
	}
	if operator == "&" && len(r.runs) > 0 {
		r.runs[len(r.runs)-1].Command += " &"
		r.markUnknown(r.from)
	}
	r.isOver = operator == "&" || operator == ";"
	if operator == ";" {
		r.from = len(r.runs)
	}
}

// markUnknown marks runs[from:]: the line's exit code does not show whether they worked.
func (r *runner) markUnknown(from int) {
	for i := range r.runs[from:] {
		r.runs[from+i].outcomeKnown = false
	}
}

// noWorkFlags are flags with which a program does not do its work, or hides a failure from its exit code. PROGRAM:FLAG is a flag of one program only.
var noWorkFlags = SetOf(`--help --usage --version --dry-run --dryrun --dry_run --just-print --recon --noop --no-op --simulate --whatif --what-if -WhatIf
	--no-run --no-act --no-execute --collect-only --exit-zero --no-exit-code --passWithNoTests --pass-with-no-tests --ignore-errors
	--ignore-failures --soft-fail --warn-only --allow-failure --allow-failures --no-fail --continue-on-error
	make:-n make:-q make:-t make:-i gmake:-n rsync:-n ninja:-n bash:-n sh:-n zsh:-n`)

// partialFlags are flags with which a program does only a part of its work.
var partialFlags = SetOf(`-run --run --filter --grep --only --skip --exclude --ignore --deselect --testNamePattern --testPathPattern --testPathPatterns
	--test-name-pattern --tests --lf --last-failed --failed --short -short --spec --changed --only-changed --only-failures --changedSince
	--select --list --list-tests --check --syntax-check --validate --no-verify --skip-tests -DskipTests
	pytest:-k jest:-t vitest:-t mocha:-g`)

// doesNoWork reports whether a command has a flag of noWorkFlags or asks for help.
func doesNoWork(command string) bool {
	c := Parse(command)
	for i, word := range c.line {
		if c.has(word, noWorkFlags) || word == "-h" && len(c.values(i, nil)) == 0 {
			return true
		}
	}
	return len(c.Words) > 1 && (c.Words[0] == "help" || c.Words[1] == "help")
}

// DoesLess reports whether the command after does less than the command before, because of an added flag.
func DoesLess(before, after string) bool {
	was, is := Parse(before), Parse(after)
	return slices.ContainsFunc(is.Flags, func(flag string) bool {
		return !slices.Contains(was.Flags, flag) && is.has(flag, partialFlags)
	})
}

// has reports whether set contains a flag, alone or with the program's name before it.
func (c Command) has(flag string, set map[string]bool) bool {
	name, _, _ := strings.Cut(flag, "=")
	return set[name] || len(c.Words) > 0 && set[path.Base(c.Words[0])+":"+name]
}
