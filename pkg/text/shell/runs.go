package shell

import (
	"path"
	"slices"
	"strings"
)

// Run is one of the commands that a line runs one after another.
type Run struct {
	Command string // as it is written, behind the preparations before it, such as a change of directory
	// Before are those that the line ran before it.
	Before []string

	pipe  []segment
	tells bool // its outcome is known from the exit code of the line
}

// Runs are the commands of a line. The exit code of the line is that of its last command alone: of one before a semicolon or ||, before a
// pipe that only shows or copies its output, or in the background, it tells nothing.
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

// Worked are the runs of a line that have certainly done their work if it ended with exit code 0: first the line as a whole, then its
// commands if it has several. Help, a dry run and a flag that hides failures do no work.
func Worked(line string) []Run {
	runs := Runs(line)
	known := slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return !r.tells || idle(r.Command) })
	if len(known) == 0 || !runs[len(runs)-1].tells || idle(line) || !endsAs(line) {
		return known
	}
	if len(runs) == 1 {
		return []Run{{Command: line}}
	}
	return slices.Insert(known, 0, Run{Command: line})
}

// endsAs reports whether a line's exit code is that of what Parse leaves of it: nothing is left away behind a semicolon or a pipe.
func endsAs(line string) bool {
	all := withoutEmpty(split(line))
	left := len(withoutViewers(all))
	return left == len(all) || all[left-1].operator == "&&"
}

// Repeats reports whether a line that ended with exit code 0 has certainly run another command, and no less of it.
func Repeats(line, other string) bool {
	return slices.ContainsFunc(Worked(line), func(r Run) bool { return Same(r.Command, other) && !Less(other, r.Command) })
}

// Cores are the core of a line and those of its commands, if it has several.
func Cores(line string) []string {
	cores := []string{Core(line)}
	for _, run := range Runs(line) {
		if core := Core(run.Command); !slices.Contains(cores, core) {
			cores = append(cores, core)
		}
	}
	return cores
}

// Exit codes of programs that were ended from outside, and of timeout(1).
const (
	timedOut   = 124
	notRunable = 126
	killed     = 137
)

var endings = []int{129, 130, 141, 143} // 128 and SIGHUP, SIGINT, SIGPIPE, SIGTERM

// Answers reports whether the exit code of a line, which is not 0, is no failure: the program that it is of only looks or compares and
// answers with it, or somebody ended the program, as timeout was asked to.
func Answers(line string, code int) bool {
	if slices.Contains(endings, code) {
		return true
	}
	asked, last := false, []Run{}
	for _, run := range Runs(line) {
		if run.tells {
			last = append(last, run)
		}
		for _, s := range run.pipe {
			asked = asked || slices.Contains(s.words, "timeout") || slices.Contains(s.words, "gtimeout")
		}
	}
	if code == timedOut || code == killed {
		return asked
	}
	return code < notRunable && len(last) > 0 && !slices.ContainsFunc(last, func(r Run) bool { return !r.answers() })
}

// answers reports whether the program that a run ends with answers with its exit code. Clients of a server, such as docker, fail.
func (r Run) answers() bool {
	var c Command
	pipe := withoutViewers(r.pipe)
	words := c.unwrap(pipe[len(pipe)-1].words)
	program := path.Base(words[0])
	return lookers[program] || (program == "git" || program == "systemctl") && LooksAround(strings.Join(words, " "))
}

// runner collects the runs of a line.
type runner struct {
	runs     []Run
	prepared Command
	before   string // the preparations so far
	run      Run    // the one under way

	from              int  // the first run of the current list of && and ||
	isOver            bool // a semicolon or & has ended what was before
	errexit, pipefail bool
	isTrapped         bool
}

func (r *runner) step(s segment) {
	if r.isOver {
		r.forget(0)
		r.isOver, r.from = false, len(r.runs)
	}
	r.run.pipe, r.run.Command = append(r.run.pipe, s), r.run.Command+s.text
	switch s.operator {
	case "|":
		r.run.Command += " | "
	case "||":
		r.forget(r.from)
		r.run.Command += " || "
	default:
		r.end(s.operator)
	}
}

// end ends the run under way, in front of an operator.
func (r *runner) end(operator string) {
	run := r.run
	r.run = Run{}
	words := run.pipe[0].words
	r.isTrapped = r.isTrapped || words[0] == "trap"
	if len(run.pipe) == 1 && r.prepared.prepares(words) {
		r.set(words)
		r.before += run.Command + " && "
	} else {
		run.Command = r.before + run.Command
		run.tells = !r.isTrapped && operator != "&" && (r.pipefail || len(withoutViewers(run.pipe)) == len(run.pipe))
		r.runs = append(r.runs, run)
	}
	if operator == "&" && len(r.runs) > 0 {
		r.runs[len(r.runs)-1].Command += " &"
		r.forget(r.from)
	}
	r.isOver = operator == "&" || operator == ";" && !r.errexit
	if operator == ";" {
		r.from = len(r.runs)
	}
}

// forget notes that the line's exit code tells nothing of the runs from one on.
func (r *runner) forget(from int) {
	for i := range r.runs[from:] {
		r.runs[from+i].tells = false
	}
}

// set follows set -e and set -o pipefail.
func (r *runner) set(words []string) {
	if words[0] != "set" {
		return
	}
	for _, word := range words[1:] {
		switch {
		case word == "pipefail":
			r.pipefail = true
		case strings.HasPrefix(word, "-"):
			r.errexit = r.errexit || strings.Contains(word, "e")
		case strings.HasPrefix(word, "+"):
			r.errexit = r.errexit && !strings.Contains(word, "e")
		}
	}
}

// idlers are flags with which a program does not do its work, or does not say by its exit code that it failed. Those of one program
// stand behind it.
var idlers = SetOf(`--help --usage --version --dry-run --dryrun --dry_run --just-print --recon --noop --no-op --simulate --whatif --what-if -WhatIf
	--no-run --no-act --no-execute --collect-only --exit-zero --no-exit-code --passWithNoTests --pass-with-no-tests --ignore-errors
	--ignore-failures --soft-fail --warn-only --allow-failure --allow-failures --no-fail --continue-on-error
	make:-n make:-q make:-t make:-i gmake:-n rsync:-n ninja:-n bash:-n sh:-n zsh:-n`)

// selectors are flags with which a program does less of its work.
var selectors = SetOf(`-run --run --filter --grep --only --skip --exclude --ignore --deselect --testNamePattern --testPathPattern --testPathPatterns
	--test-name-pattern --tests --lf --last-failed --failed --short -short --spec --changed --only-changed --only-failures --changedSince
	--select --list --list-tests --check --syntax-check --validate --no-verify --skip-tests -DskipTests
	pytest:-k jest:-t vitest:-t mocha:-g`)

// idle reports whether a command has a flag of idlers, or asks for help by -h.
func idle(command string) bool {
	c := Parse(command)
	for i, word := range c.line {
		if c.has(word, idlers) || word == "-h" && len(c.values(i, nil)) == 0 {
			return true
		}
	}
	return len(c.Words) > 1 && (c.Words[0] == "help" || c.Words[1] == "help")
}

// Less reports whether the later of two commands does less than the other, by a flag.
func Less(before, after string) bool {
	was, is := Parse(before), Parse(after)
	return slices.ContainsFunc(is.Flags, func(flag string) bool {
		return !slices.Contains(was.Flags, flag) && is.has(flag, selectors)
	})
}

// menders are flags with which a program that checks mends what it finds.
var menders = SetOf(`--fix --write --apply --autofix --auto-correct --autocorrect -w -A`)

// Mends reports whether a part of a cure is the command's own form that mends what it finds: "npm run lint:fix" or "--fix" of "npm run lint".
func Mends(command, part string) bool {
	name, _, _ := strings.Cut(part, " ")
	if menders[name] {
		return true
	}
	of, form := Parse(command).Words, Parse(part)
	if len(of) == 0 || len(form.Words) < len(of) {
		return false
	}
	last := len(of) - 1
	rest, isForm := strings.CutPrefix(form.Words[last], of[last])
	if !isForm || !slices.Equal(form.Words[:last], of[:last]) {
		return false
	}
	return rest != "" && strings.ContainsRune(":-_.", rune(rest[0])) || rest == "" && slices.ContainsFunc(form.Flags, func(f string) bool { return menders[f] })
}

// has reports whether a flag is in a set, by itself or behind the program.
func (c Command) has(flag string, set map[string]bool) bool {
	name, _, _ := strings.Cut(flag, "=")
	return set[name] || len(c.Words) > 0 && set[path.Base(c.Words[0])+":"+name]
}
